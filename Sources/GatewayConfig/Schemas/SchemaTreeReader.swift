import ASCIIText
import EndpointPlans
import HTTPModel
import JSONSchema

/// Makes a schema document of YAML, with the places of its values.
///
/// In the file's own schemas it expands the short forms, which no schema with `$schema` has.
struct SchemaTreeReader {
    /// What the value of a word is.
    private enum Role {
        case schema, schemaOrList, list, map, dependencies, data, type, reference
    }

    let problems: ProblemList
    /// Whether the schema is of the file itself: it has short forms, variables, and `#/schemas/NAME`.
    let isOwn: Bool
    /// Returns the URI of a schema of the file; nil after a problem.
    let uri: (_ name: String, _ scalar: YAMLScalar, _ place: ConfigPlace) -> String?
    private(set) var tree = SchemaDocument()
    /// The values of `$id`.
    private(set) var identifiers: [Located<String>] = []

    /// Reads a whole document.
    mutating func read(_ node: YAMLNode) {
        if schema(node, isOwn) == nil { append(.bool(true), node) }
    }

    // MARK: - Schemas

    /// Returns the index of a value; nil if a variable in it is not read.
    private mutating func value(_ node: YAMLNode, _ role: Role, _ expands: Bool) -> Int? {
        switch (role, node.content) {
        case (.schema, _): return schema(node, expands)
        case (.schemaOrList, .list(let items)) where !isNames(items): return list(items, node, expands)
        case (.schemaOrList, _): return schema(node, expands)
        case (.list, .list(let items)): return list(items, node, expands)
        case (.map, .map(let map)), (.dependencies, .map(let map)):
            let members = map.members.compactMap { member -> SchemaDocument.Member? in
                if role == .dependencies, case .list = member.value.content {
                    return self.member(member, .data, expands)
                }
                return self.member(member, .schema, expands)
            }
            return append(.object(members), node)
        case (.type, _): return types(node, expands)
        case (.reference, .scalar(let scalar)): return reference(scalar, node)
        default: return data(node)
        }
    }

    private mutating func list(_ items: [YAMLNode], _ node: YAMLNode, _ expands: Bool) -> Int {
        append(.array(items.compactMap { schema($0, expands) }), node)
    }

    private mutating func member(_ member: YAMLMember, _ role: Role, _ expands: Bool) -> SchemaDocument
        .Member?
    {
        value(member.value, role, expands).map {
            SchemaDocument.Member(member.name, at: member.namePlace.schemaPlace, value: $0)
        }
    }

    private mutating func schema(_ node: YAMLNode, _ expands: Bool) -> Int? {
        switch node.content {
        case .scalar(let scalar):
            guard !scalar.isUnknown else { return nil }
            if case .bool = YAMLValue(scalar) { return data(node) }
            guard !scalar.text.isEmpty, scalar.style != .missing else {
                problems.error("a schema has no value here", at: node.place)
                return nil
            }
            return expands ? named(scalar, node) : data(node)
        case .list(let items) where expands && isNames(items):
            guard let types = types(node, expands) else { return nil }
            return append(.object([member("type", node, types)]), node)
        case .list, .invalid: return data(node)
        case .map(let map):
            if isOwn, let message = UnquotedBraces.message(map) {
                problems.error(message, at: node.place)
                return nil
            }
            return schema(map, node, expands && map["$schema"] == nil)
        }
    }

    private mutating func schema(_ map: YAMLMap, _ node: YAMLNode, _ expands: Bool) -> Int {
        var members: [SchemaDocument.Member] = []
        for own in map.members {
            if own.name == "$id", case .scalar(let scalar) = own.value.content {
                identifiers.append(Located(scalar.text, at: own.value.place))
            }
            let word = SchemaWord(rawValue: own.name)
            if isOwn, let word { warn(of: own, word) }
            if expands, word == .type, case .scalar(let scalar) = own.value.content,
                Self.formats.contains(scalar.text), map["format"] == nil
            {
                members.append(member("type", own, append(.string("string"), own.value)))
                members.append(member("format", own, append(.string(scalar.text), own.value)))
                continue
            }
            if let member = member(own, word.map(Self.role) ?? .data, expands) { members.append(member) }
        }
        // A type that is a variable is not known here.
        let hasUnknownType = map["type"] != nil && !members.contains { $0.name == "type" }
        return tree.append(.object(members), at: node.place.schemaPlace, isHidden: hasUnknownType)
    }

    private static func role(of word: SchemaWord) -> Role {
        switch word {
        case .type: .type
        case .ref: .reference
        default:
            switch word.children {
            case .none: .data
            case .schema: .schema
            case .list: .list
            case .map: .map
            case .schemaOrList: .schemaOrList
            case .dependencies: .dependencies
            }
        }
    }

    private func warn(of member: YAMLMember, _ word: SchemaWord) {
        guard word.isAssertion, let place = member.value.firstVariable else { return }
        problems.warning(
            "\(member.name) has a variable: clients can try values until one fits, so a secret does not belong here; "
                + "messages and the OpenAPI description do not show the rule", at: place)
    }

    // MARK: - Short forms

    private static let formats = ["date", "date-time", "uuid"]
    private static let types = ["string", "integer", "number", "boolean", "object", "array", "null"]

    /// Whether a list stands for the types of a value.
    private func isNames(_ items: [YAMLNode]) -> Bool {
        !items.isEmpty
            && items.allSatisfy { item in
                if case .scalar(let scalar) = item.content { YAMLValue(scalar).isName } else { false }
            }
    }

    /// A type, or the format of a text, in the place of a schema.
    private mutating func named(_ scalar: YAMLScalar, _ node: YAMLNode) -> Int {
        let name = scalar.text
        if Self.formats.contains(name) {
            let type = append(.string("string"), node)
            let format = append(.string(name), node)
            return append(.object([member("type", node, type), member("format", node, format)]), node)
        }
        guard Self.types.contains(name), YAMLValue(scalar).isName else {
            let near = scalar.suggestion(among: Self.types + Self.formats)
            problems.error(
                "\(ScalarFault.shown(scalar)) is not a schema: a type, a mapping, true or false\(near)",
                at: node.place)
            return append(.bool(true), node)
        }
        let type = append(.string(name), node)
        return append(.object([member("type", node, type)]), node)
    }

    private mutating func member(_ name: String, _ node: YAMLNode, _ value: Int) -> SchemaDocument.Member {
        SchemaDocument.Member(name, at: node.place.schemaPlace, value: value)
    }

    private mutating func member(_ name: String, _ own: YAMLMember, _ value: Int) -> SchemaDocument.Member {
        SchemaDocument.Member(name, at: own.namePlace.schemaPlace, value: value)
    }

    /// Types, among which a bare `null` is the type.
    private mutating func types(_ node: YAMLNode, _ expands: Bool) -> Int? {
        switch node.content {
        case .list(let items) where expands:
            var names: [Int] = []
            for item in items {
                guard let name = types(item, expands) else { return nil }
                names.append(name)
            }
            return append(.array(names), node)
        case .scalar(let scalar) where expands && scalar.text == "null" && !scalar.isUnknown:
            return append(.string("null"), node)
        default: return data(node)
        }
    }

    private mutating func reference(_ scalar: YAMLScalar, _ node: YAMLNode) -> Int? {
        let prefix = "#/schemas/"
        guard isOwn, scalar.text.hasPrefix(prefix), !scalar.isUnknown else { return data(node) }
        let rest = scalar.text.utf8.dropFirst(prefix.utf8.count)
        let token = rest.prefix { $0 != Byte.slash }
        let name = String(Substring(token)).replacing("~1", with: "/").replacing("~0", with: "~")
        guard let uri = uri(name, scalar, node.place) else { return nil }
        let pointer = String(Substring(rest.dropFirst(token.count)))
        return append(.string(pointer.isEmpty ? uri : "\(uri)#\(pointer)"), node, scalar)
    }

    // MARK: - Values

    @discardableResult
    private mutating func append(
        _ content: SchemaDocument.Content, _ node: YAMLNode, _ scalar: YAMLScalar? = nil
    ) -> Int {
        let isHidden = scalar?.substitution?.hasVariable == true
        return tree.append(content, at: node.place.schemaPlace, isHidden: isHidden)
    }

    /// Returns nil if a variable in the value is not read, or after a problem.
    private mutating func data(_ node: YAMLNode) -> Int? {
        switch node.content {
        case .invalid: return nil
        case .list(let items):
            var elements: [Int] = []
            for item in items {
                guard let element = data(item) else { return nil }
                elements.append(element)
            }
            return append(.array(elements), node)
        case .map(let map):
            var members: [SchemaDocument.Member] = []
            for own in map.members {
                guard let member = member(own, .data, false) else { return nil }
                members.append(member)
            }
            return append(.object(members), node)
        case .scalar(let scalar):
            guard !scalar.isUnknown else { return nil }
            switch YAMLValue(scalar) {
            case .null: return append(.null, node, scalar)
            case .bool(let value): return append(.bool(value), node, scalar)
            case .text: return append(.string(scalar.text), node, scalar)
            case .integer(let text), .decimal(let text):
                guard text.utf8.count <= ConfigValueBuilder.longestNumber else {
                    problems.error(
                        "a number has at most \(ConfigValueBuilder.longestNumber) characters", at: node.place)
                    return nil
                }
                return append(.number(Array(text.utf8)), node, scalar)
            case .unrepresentable:
                problems.error(
                    "\(scalar.shown) is not a number of JSON; quote it to make it text", at: node.place)
                return nil
            }
        }
    }
}

extension YAMLValue {
    /// Whether it may be the name of a type. A bare `null` is one, too.
    fileprivate var isName: Bool {
        switch self {
        case .text, .null: true
        case .bool, .integer, .decimal, .unrepresentable: false
        }
    }
}

extension ConfigPlace {
    var schemaPlace: SchemaPlace { SchemaPlace(line: line, column: column) }
}
