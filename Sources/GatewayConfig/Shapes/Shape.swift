import ASCIIText
import EndpointPlans

/// A member of an object of the format. The same table drives decoding, suggestions and the JSON Schema.
struct Member<Value: Sendable>: Sendable {
    let name: String
    let type: ValueType<Value>
    /// What its absence means, as YAML writes it; nil if that depends.
    let fallback: String?
    let description: String

    init(_ name: String, _ type: ValueType<Value>, default fallback: String? = nil, _ description: String) {
        self.name = name
        self.type = type
        self.fallback = fallback
        self.description = description
    }

    /// A member whose absence means a value of a policy.
    init(_ name: String, _ type: ValueType<Value>, standard: Value, _ description: String) {
        self.init(name, type, default: type.written?(standard), description)
    }
}

/// A member without the type of its value.
struct AnyMember: Sendable {
    let name: String
    let schema: @Sendable (inout SchemaDefinitions) -> SchemaTree
    let fallback: String?
    let description: String
    /// The object of the format that the value is; nil for other values.
    let shape: (@Sendable () -> Shape)?
    /// Whether the member takes a value.
    let takes: @Sendable (YAMLNode, ConfigReader) -> Bool
}

extension AnyMember {
    init<Value>(_ member: Member<Value>) {
        self.init(
            name: member.name, schema: member.type.schema, fallback: member.fallback,
            description: member.description, shape: member.type.shape,
            takes: { member.type.read($0, Subject(member.name, standard: member.fallback), $1) != nil })
    }

    /// What it is, in brackets after its name: the first sentence of its description.
    var summary: String {
        let sentence = description.split(separator: ". ", maxSplits: 1).first ?? ""
        let text = sentence.hasSuffix(".") ? sentence.dropLast() : sentence
        // A word of capitals stays as it is: "TLS to an https address".
        let isAcronym = text.dropFirst().first?.isUppercase == true
        return " (\(isAcronym ? String(text) : text.prefix(1).lowercased() + text.dropFirst()))"
    }
}

/// The members of an object of the format.
struct Shape: Sendable {
    /// What messages call the object: "a part".
    let title: String
    /// The name of the definition in the JSON Schema.
    let definition: String
    let members: [AnyMember]
    /// The members of which the object must have exactly one, for the JSON Schema.
    let exactlyOne: [String]
    let required: [String]
    private let givenExample: String?
    /// What is likely meant by names of other objects, whose letters do not suggest it.
    let meant: [String: String]
    private let names: Set<String>

    init<each Value: Sendable>(
        _ title: String, definition: String, required: [String] = [], exactlyOne: [String] = [],
        example: String? = nil, meant: [String: String] = [:], _ members: repeat Member<each Value>
    ) {
        var list: [AnyMember] = []
        for member in repeat each members { list.append(AnyMember(member)) }
        self.init(
            title, definition: definition, required: required, exactlyOne: exactlyOne, example: example,
            meant: meant, members: list)
    }

    init(
        _ title: String, definition: String, required: [String], exactlyOne: [String], example: String?,
        meant: [String: String], members: [AnyMember]
    ) {
        self.title = title
        self.definition = definition
        self.exactlyOne = exactlyOne
        self.required = required
        givenExample = example
        self.meant = meant
        self.members = members
        names = Set(members.map(\.name))
    }

    func has(_ name: String) -> Bool { names.contains(name) }

    /// Returns what to do about a name that no member has: `; did you mean "optional"?`.
    ///
    /// - Parameters:
    ///   - map: the mapping that has the name.
    ///   - subject: what the mapping is called.
    ///   - outer: the object whose member the mapping is.
    private func suggestion(
        for name: String, in map: YAMLMap, _ subject: Subject, of outer: Shape?
    ) -> String {
        let inner = members.filter { $0.shape?().has(name) == true }
        if let member = inner.first(where: { map[$0.name]?.value.isMappingOrEmpty == true }) {
            let way = map.isFlow ? "write it within the braces of \(member.name)" : "indent it"
            return "; \(name) belongs to \(member.name): \(way)"
        }
        if let other = meant[name] { return "; did you mean \"\(other)\"?" }
        if let outer, outer.has(name) {
            return "; \(name) belongs next to \(subject.name), one level higher"
        }
        // `$schema` and the like are of other formats.
        guard !name.hasPrefix("$") else { return "" }
        let near = Suggestion.text(for: name, among: members.map(\.name))
        if near.isEmpty, inner.count == 1, let member = inner.first, let shape = member.shape?() {
            let names = shape.required.filter { $0 != name } + [name]
            let written = names.map { "\($0): ..." }.joined(separator: ", ")
            return "; \(name) belongs to \(member.name): {\(written)}"
        }
        return near
    }

    /// Such an object, for messages: the one given, or the first member that has a default.
    var example: String {
        if let givenExample { return givenExample }
        guard let member = members.first(where: { $0.fallback != nil }), let value = member.fallback else {
            return "{name: value}"
        }
        return "{\(member.name): \(value)}"
    }

    /// Returns `an envelope needs the member "success"`, and what that is.
    func needs(_ name: String, prefix: String = "") -> String {
        let summary = members.first { $0.name == name }?.summary ?? ""
        return "\(prefix.isEmpty ? title : prefix) needs the member \"\(name)\"\(summary)"
    }

    /// Opens a mapping of this shape. Reports other kinds, unknown members and missing ones.
    ///
    /// - Parameters:
    ///   - node: the mapping.
    ///   - subject: what it is called.
    ///   - prefix: stands before the names of its members in messages.
    ///   - reader: gets the problems.
    func open(
        _ node: YAMLNode, _ subject: Subject, prefix: String = "", _ reader: ConfigReader
    ) -> ShapeValues? {
        guard let map = reader.map(node, subject, example: example) else { return nil }
        var unknown: [String] = []
        for member in map.members where !has(member.name) && !member.name.hasPrefix("x-") {
            unknown.append(member.name)
            reader.error(
                "\(title) has no member \"\(Shown.text(member.name))\""
                    + suggestion(for: member.name, in: map, subject, of: reader.outer),
                at: member.namePlace)
        }
        var isWhole = true
        for name in required where map[name] == nil {
            isWhole = false
            reader.error(needs(name, prefix: prefix), at: node.place)
        }
        return ShapeValues(
            shape: self, map: map, place: node.place, prefix: prefix, reader: reader, isWhole: isWhole,
            unknown: unknown)
    }
}

/// A mapping whose members are read by the members of its shape.
struct ShapeValues {
    let shape: Shape
    let map: YAMLMap
    let place: ConfigPlace
    /// Stands before the names of the members in messages.
    let prefix: String
    let reader: ConfigReader
    /// Whether no required member is missing.
    let isWhole: Bool
    /// The names that no member has, which are reported.
    let unknown: [String]

    func has<Value>(_ member: Member<Value>) -> Bool { map[member.name] != nil }

    /// The place of a member's name.
    func place<Value>(of member: Member<Value>) -> ConfigPlace? { map[member.name]?.namePlace }

    func node<Value>(_ member: Member<Value>) -> YAMLNode? { map[member.name]?.value }

    /// Whether a member's value is a variable that is not read.
    func isUnknown<Value>(_ member: Member<Value>) -> Bool {
        guard case .scalar(let scalar)? = node(member)?.content else { return false }
        return scalar.isUnknown
    }

    func has(_ name: String) -> Bool { map[name] != nil }

    /// Returns what messages and changes call a member: `breaker.open`.
    func key(_ name: String) -> String { Subject(name, of: prefix).text }

    func node(_ name: String) -> YAMLNode? { map[name]?.value }

    /// Returns a member's value; nil if it is absent or after a problem.
    func read<Value>(_ member: Member<Value>) -> Value? {
        map[member.name].flatMap { read(member, $0.value) }
    }

    private func read<Value>(_ member: Member<Value>, _ node: YAMLNode) -> Value? {
        let subject = Subject(member.name, of: prefix, standard: member.fallback)
        return reader.inside(shape) { member.type.read(node, subject, reader) }
    }

    /// Returns a member's value with its place.
    func located<Value>(_ member: Member<Value>) -> Located<Value>? {
        guard let node = map[member.name]?.value else { return nil }
        return read(member, node).map { Located($0, at: node.place) }
    }
}

extension ShapeValues {
    /// Returns a member's value with its place, and after a problem a value from which no further problem
    /// follows.
    func located<Value>(_ member: Member<Value>, afterProblem substitute: Value) -> Located<Value>? {
        node(member).map { located(member) ?? Located(substitute, at: $0.place) }
    }
}

extension ValueType {
    /// An object of the format.
    ///
    /// - Parameters:
    ///   - shape: its members.
    ///   - prefixes: whether messages name a member with the name of the object: `breaker.failureRate`.
    ///   - decode: returns the value; nil after a problem.
    static func object(
        _ shape: @escaping @autoclosure @Sendable () -> Shape, prefixes: Bool = false,
        _ decode: @escaping @Sendable (ShapeValues) -> Value?
    ) -> ValueType {
        ValueType { definitions in
            definitions.reference(shape())
        } read: { node, subject, reader in
            let values = shape().open(node, subject, prefix: prefixes ? subject.text : "", reader)
            guard let values, values.isWhole else { return nil }
            return decode(values)
        }.withShape(shape)
    }
}
