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
    /// Whether the member takes a value.
    let takes: @Sendable (YAMLNode, ConfigReader) -> Bool
}

extension AnyMember {
    init<Value>(_ member: Member<Value>) {
        self.init(
            name: member.name, schema: member.type.schema, fallback: member.fallback,
            description: member.description,
            takes: { member.type.read($0, Subject(member.name), $1) != nil })
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
    /// What is likely meant by names of other objects, whose letters do not suggest it.
    let meant: [String: String]
    private let names: Set<String>

    init<each Value: Sendable>(
        _ title: String, definition: String, required: [String] = [], exactlyOne: [String] = [],
        meant: [String: String] = [:], _ members: repeat Member<each Value>
    ) {
        var list: [AnyMember] = []
        for member in repeat each members { list.append(AnyMember(member)) }
        self.init(
            title, definition: definition, required: required, exactlyOne: exactlyOne, meant: meant,
            members: list)
    }

    init(
        _ title: String, definition: String, required: [String], exactlyOne: [String],
        meant: [String: String], members: [AnyMember]
    ) {
        self.title = title
        self.definition = definition
        self.exactlyOne = exactlyOne
        self.required = required
        self.meant = meant
        self.members = members
        names = Set(members.map(\.name))
    }

    func has(_ name: String) -> Bool { names.contains(name) }

    private func suggestion(for name: String) -> String {
        if let other = meant[name] { return "; did you mean \"\(other)\"?" }
        // `$schema` and the like are of other formats.
        return name.hasPrefix("$") ? "" : Suggestion.text(for: name, among: members.map(\.name))
    }

    /// Its first member with a default, for messages.
    private var example: String {
        guard required.isEmpty, let member = members.first, let value = member.fallback else {
            return "{name: value}"
        }
        return "{\(member.name): \(value)}"
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
                "\(title) has no member \"\(Shown.text(member.name))\"" + suggestion(for: member.name),
                at: member.namePlace)
        }
        var isWhole = true
        for name in required where map[name] == nil {
            isWhole = false
            reader.error("\(title) needs the member \"\(name)\"", at: node.place)
        }
        return ShapeValues(
            map: map, place: node.place, prefix: prefix, reader: reader, isWhole: isWhole, unknown: unknown)
    }
}

/// A mapping whose members are read by the members of its shape.
struct ShapeValues {
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

    func node(_ name: String) -> YAMLNode? { map[name]?.value }

    /// Returns a member's value; nil if it is absent or after a problem.
    func read<Value>(_ member: Member<Value>) -> Value? {
        guard let found = map[member.name] else { return nil }
        return member.type.read(found.value, Subject(member.name, of: prefix), reader)
    }

    /// Returns a member's value with its place.
    func located<Value>(_ member: Member<Value>) -> Located<Value>? {
        guard let found = map[member.name] else { return nil }
        return member.type.read(found.value, Subject(member.name, of: prefix), reader)
            .map { Located($0, at: found.value.place) }
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
        }
    }
}
