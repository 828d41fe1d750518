import EndpointPlans
import JSONBytes

/// Describes values as JSON Schema of OpenAPI 3.1 (draft 2020-12).
struct OpenAPISchemas {
    typealias Members = [(name: String, value: SchemaTree)]

    let document: ConfigDocument
    private let names: ComponentNames
    private let schemas: [String: Schema]

    init(_ document: ConfigDocument, _ names: ComponentNames) {
        self.document = document
        self.names = names
        schemas = Dictionary(document.schemas.map { ($0.name.value, $0.schema) }) { first, _ in first }
    }

    func tree(_ schema: Schema) -> SchemaTree {
        if let reference = schema.reference {
            guard let name = shown(reference) else { return .object([]) }
            return ComponentNames.reference(names.name(of: name))
        }
        var members: Members = []
        if let type = schema.type {
            if let type = shown(type) { members += Self.type(type) }
        } else if !schema.properties.isEmpty || !schema.required.isEmpty {
            // The gateway takes only objects then.
            members += Self.type(.object)
        }
        members += constraints(schema.rule)
        if let fallback = schema.fallback.flatMap(json) { members.append(("default", .json(fallback))) }
        let required = schema.required.compactMap(shown)
        if !required.isEmpty { members.append(("required", .list(Self.unique(required).map { .text($0) }))) }
        if !schema.properties.isEmpty {
            members.append(
                ("properties", .object(schema.properties.map { ($0.name.value, tree($0.schema)) })))
        }
        members += rest("additionalProperties", schema.additionalProperties)
        members += rest("items", schema.items)
        if let least = schema.minItems.flatMap(shown) { members.append(("minItems", .integer(least))) }
        if let most = schema.maxItems.flatMap(shown) { members.append(("maxItems", .integer(most))) }
        return .object(members)
    }

    private func rest(_ name: String, _ rest: Schema.Rest) -> Members {
        switch rest {
        case .allowed: []
        case .refused: [(name, .bool(false))]
        case .schema(let schema): [(name, tree(schema))]
        }
    }

    /// Returns the members that an object with this schema has; nil if the schema does not tell.
    func properties(of schema: Schema) -> [Schema.Property]? {
        resolved(schema).flatMap { $0.properties.isEmpty ? nil : $0.properties }
    }

    /// Returns the schema at the end of a chain of references; nil if a variable names one.
    func resolved(_ schema: Schema) -> Schema? {
        var schema = schema
        // References form no cycle, so the list of schemas bounds the length of a chain.
        for _ in 0...schemas.count {
            guard let reference = schema.reference else { return schema }
            guard let name = shown(reference), let next = schemas[name] else { return nil }
            schema = next
        }
        return nil
    }

    // MARK: Parameters

    func tree(_ parameter: ParameterRule) -> SchemaTree {
        let isKnown = parameter.typePlace.map { !document.isSubstituted($0) } ?? true
        var members = (isKnown ? Self.type(parameter.rule.type) : []) + constraints(parameter.rule)
        if case .value(let value)? = parameter.defaultValue, let value = json(value) {
            members.append(("default", .json(value)))
        }
        return .object(members)
    }

    private static func type(_ type: DataType) -> Members {
        switch type {
        case .string, .integer, .number, .boolean, .object, .array: [("type", .text(type.rawValue))]
        case .date, .dateTime, .uuid: [("type", .text("string")), ("format", .text(type.rawValue))]
        }
    }

    private func constraints(_ rule: ValueRule) -> Members {
        var members: Members = []
        if let least = rule.$minimum.flatMap(shown) { members.append(("minimum", .number(least.text))) }
        if let most = rule.$maximum.flatMap(shown) { members.append(("maximum", .number(most.text))) }
        if let least = rule.$minLength.flatMap(shown) { members.append(("minLength", .integer(least))) }
        if let most = rule.$maxLength.flatMap(shown) { members.append(("maxLength", .integer(most))) }
        if let values = rule.enumeration {
            let known = values.compactMap(json)
            // Without one of its values the list would refuse it.
            if known.count == values.count {
                let texts = Self.unique(known.map(\.description))
                members.append(("enum", .list(texts.map { .number($0) })))
            }
        }
        if let pattern = rule.$pattern.flatMap(shown)?.text {
            members.append(
                SharedPattern.isShared(pattern)
                    ? ("pattern", .text("^(?:\(pattern))$"))
                    : (
                        "description",
                        .text("The whole text matches the regular expression (PCRE2) \(pattern)")
                    ))
        }
        return members
    }

    // MARK: Values without variables

    /// Returns a value that has no variable in it.
    private func shown<Value>(_ value: Located<Value>) -> Value? {
        document.isSubstituted(value.place) ? nil : value.value
    }

    /// Returns JSON that has no variable in it.
    func json(_ value: Located<JSONFragment>) -> JSONFragment? { shown(value) }

    private static func unique(_ texts: [String]) -> [String] {
        var known: Set<String> = []
        return texts.filter { known.insert($0).inserted }
    }
}

/// Tells whether a regular expression means the same in PCRE2 and in JSON Schema (ECMA-262).
enum SharedPattern {
    /// Constructs of PCRE2 that ECMA-262 does not have, or has with another meaning.
    private static let foreign = ["(*", "[[:", "++", "*+", "?+", "}+", "[]"]
    /// Letters that may follow a backslash in both.
    private static let escapes = "dDwWsSbBnrtf"

    /// Whether the pattern has only constructs of both. It may reject one that both understand, but never
    /// accepts one that differs.
    static func isShared(_ pattern: String) -> Bool {
        let withoutClasses = pattern.replacing("[^", with: "[")
        guard !foreign.contains(where: withoutClasses.contains) else { return false }
        var rest = pattern[...]
        while let character = rest.popFirst() {
            if character == "\\" {
                guard let next = rest.popFirst() else { return false }
                if next.isLetter || next.isNumber, !escapes.contains(next) { return false }
            } else if character == "(", rest.hasPrefix("?") {
                guard ["?:", "?=", "?!"].contains(where: rest.hasPrefix) else { return false }
            }
        }
        return true
    }
}
