import ASCIIText
import EndpointPlans
import HTTPModel
import JSONBytes

/// The members of a call, which parts and steps share.
enum CallShape {
    static let upstream = Member("upstream", .upstreamName, "The upstream that is called.")
    static let methods: [(method: HTTPMethod, member: Member<PlannedText>)] = [
        (.get, get), (.post, post), (.put, put), (.patch, patch), (.delete, delete),
    ]
    static let get = Member("get", .callPath, "The path of a GET, below the upstream's URL.")
    static let post = Member("post", .callPath, "The path of a POST.")
    static let put = Member("put", .callPath, "The path of a PUT.")
    static let patch = Member("patch", .callPath, "The path of a PATCH.")
    static let delete = Member("delete", .callPath, "The path of a DELETE.")
    static let query = Member(
        "query", .queryItems, "The query. An absent value drops its name, a list repeats it.")
    static let headers = Member("headers", .headers(of: .request), "Header fields of the call.")
    static let body = Member("body", .value, "The JSON body.")
    static let timeout = Member(
        "timeout", .time("1ms", "1h"), "The time for the call, instead of the upstream's.")
    static let attempts = Member(
        "attempts", .integer(PlannedCall.attemptRange), "The most attempts, instead of the upstream's.")
    static let pick = Member(
        "pick", .pointer, "The place of the value in the upstream's data (JSON Pointer: /seller/name).")
    static let expect = Member("expect", ValueType<JSONFragment.Kind>.kind, "What the value must be.")

    /// Whether a mapping is meant as a call.
    static func isCall(_ values: ShapeValues) -> Bool {
        values.has(upstream) || methods.contains { values.has($0.member) }
    }

    /// Decodes a call; nil after a problem.
    static func decode(_ values: ShapeValues) -> PlannedCall? {
        let reader = values.reader
        let found = methods.filter { values.has($0.member) }
        guard let (method, member) = found.first, found.count == 1 else {
            reader.error(
                found.isEmpty
                    ? "a call needs a method with a path: get, post, put, patch or delete"
                    : "a call has one method, not \(found.map(\.member.name).joined(separator: " and "))",
                at: found.last.flatMap { values.place(of: $0.member) } ?? values.place)
            return nil
        }
        if !values.has(upstream) {
            reader.error(
                "a call needs the member \"upstream\"" + AnyMember(upstream).summary, at: values.place)
        }
        let (name, path) = (values.located(upstream), values.located(member))
        // Without a name or a path, the other members are read for their problems.
        var call = PlannedCall(
            name ?? Located(""), method, path ?? Located(PlannedText(), at: values.place))
        call.query = values.read(query) ?? []
        call.headers = values.read(headers) ?? []
        call.body = values.read(body)
        if method == .get, let place = values.place(of: body) { reader.error("a GET has no body", at: place) }
        call.$timeout = values.located(timeout)
        call.$attempts = values.located(attempts, afterProblem: 1)
        call.pick = values.read(pick)
        call.$expected = values.located(expect)
        return name == nil || path == nil ? nil : call
    }
}

extension ValueType where Value == JSONFragment.Kind {
    /// The kind of a value.
    static let kind = ValueType(.choice(JSONFragment.Kind.words.map(\.word)), unknown: .object) {
        (scalar) throws(ScalarFault) in
        let words = JSONFragment.Kind.words
        if let known = words.first(where: { $0.word == scalar.text }) { return known.kind }
        throw .unfit(
            "is not \(Words.list(words.map(\.word)))" + scalar.suggestion(among: words.map(\.word)))
    }
}

extension JSONFragment.Kind {
    /// The kinds that a file names, all but null.
    static let words: [(word: String, kind: JSONFragment.Kind)] = [
        ("object", .object), ("array", .array), ("string", .string), ("number", .number), ("boolean", .bool),
    ]

    /// The name that JSON Schema gives it.
    var word: String { Self.words.first { $0.kind == self }?.word ?? "null" }
}

extension ValueType where Value == String {
    /// The name of an upstream of the files.
    static let upstreamName = ValueType(schema: { _ in .type("string") }) { node, subject, reader in
        guard let scalar = reader.scalar(node, subject) else { return nil }
        reader.usedUpstreams.insert(scalar.text)
        if scalar.isUnknown { reader.usesUnknownUpstream = true }
        guard let known = reader.upstreamNames, !known.contains(scalar.text), !scalar.isUnknown else {
            return scalar.text
        }
        // A name taken from a variable may be secret: show neither it nor similar names.
        reader.error(
            "there is no upstream \(scalar.shown)"
                + (scalar.substitution == nil
                    ? Suggestion.textOrNames(for: scalar.text, among: known.names) : ""),
            at: node.place)
        return nil
    }
}

extension ValueType where Value == PlannedText {
    /// The path of a call, with constants in the form of a URL.
    static let callPath = ValueType(schema: { _ in .type("string", [("pattern", .text("^(/|\\$\\{)"))]) }) {
        node, subject, reader in
        guard let scalar = reader.scalar(node, subject),
            let template = reader.template(scalar, at: node.place)
        else { return nil }
        if !scalar.isUnknown, let fault = CallPath.fault(template) {
            reader.error("\(subject.text): \(scalar.shown) \(fault)", at: node.place)
            return nil
        }
        return template
    }
}

/// The rules for the path of a call.
enum CallPath {
    /// Returns why the path is invalid, phrased to follow it; nil if it is valid.
    static func fault(_ template: PlannedText) -> String? {
        guard case .text(let first)? = template.pieces.first, first.utf8.first == Byte.slash else {
            return "does not begin with a slash: write only the path, because the upstream has the base URL"
        }
        var isQuery = false
        // A value may be empty or any text, so its segment cannot be checked here.
        var path: [UInt8] = []
        for piece in template.pieces {
            switch piece {
            case .reference:
                if isQuery { return "has a reference after ?, which belongs in query" }
                path.append(UInt8(ascii: "x"))
            case .text(let text):
                if text.utf8.contains(Byte.openBrace) {
                    return "has {{; a reference has single braces: {item}"
                }
                if text.utf8.contains(Byte.hash) { return "has a #, which calls do not send" }
                guard text.utf8.allSatisfy(ASCII.isTargetByte) else {
                    return "has a character that is written %XX in a URL"
                }
                isQuery = isQuery || text.utf8.contains(Byte.questionMark)
                path += text.utf8
            }
        }
        if path.contains(Byte.point), hasDotSegment(path) { return "has the segment . or .." }
        return areEscapesWellFormed(path)
            ? nil : "has a % that is not followed by two hexadecimal digits"
    }
}

extension CallPath {
    private static func hasDotSegment(_ path: [UInt8]) -> Bool {
        path.prefix { $0 != Byte.questionMark }.split(separator: Byte.slash).contains { segment in
            segment.elementsEqual(".".utf8) || segment.elementsEqual("..".utf8)
        }
    }

    private static func areEscapesWellFormed(_ path: [UInt8]) -> Bool {
        path.indices.allSatisfy { index in
            path[index] != Byte.percent || PercentEncoding.byte(ofEscapeAt: index, in: path) != nil
        }
    }
}

extension ValueType where Value == [(name: String, value: PlannedValue)] {
    static let queryItems = ValueType { definitions in
        let scalar = ValueType<PlannedText>.template.schema(&definitions)
        return .type(
            "object", [("additionalProperties", .any(of: [scalar, .type("array", [("items", scalar)])]))])
    } read: { node, subject, reader in
        guard let map = reader.map(node, subject) else { return nil }
        return map.members.compactMap { member in
            let subject = Subject(member.name, of: subject.text)
            let nodes: [YAMLNode]
            // A list repeats the name.
            if case .list(let items) = member.value.content { nodes = items } else { nodes = [member.value] }
            let values = nodes.compactMap { ValueType<PlannedText>.template.read($0, subject, reader) }
            return values.count == nodes.count ? values.map { (member.name, PlannedValue($0)) } : nil
        }.flatMap { $0 }
    }
}

extension ValueType where Value == [PlannedField] {
    static func headers(of message: FieldRules.Message) -> ValueType {
        ValueType { definitions in
            .type(
                "object", [("additionalProperties", ValueType<PlannedText>.template.schema(&definitions))])
        } read: { node, subject, reader in
            reader.fields(node, subject, of: message)?.compactMap { name, member in
                let subject = Subject(member.name, of: subject.text)
                guard let scalar = reader.scalar(member.value, subject),
                    let value = reader.template(scalar, at: member.value.place)
                else { return nil }
                if let constant = value.constant, !scalar.isUnknown {
                    guard HeaderRules.isValue(constant) else {
                        reader.error(
                            "\(subject.text): the value has a control character, or blanks around it",
                            at: member.value.place)
                        return nil
                    }
                    HeaderRules.warn(
                        name.value, scalar.substitution?.hasVariable != true, member.value.place, reader)
                }
                return PlannedField(name, Located(value, at: member.value.place))
            }
        }
    }
}
