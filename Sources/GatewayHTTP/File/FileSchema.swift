import GatewayConfig
import GatewayCore
import JSONBytes

/// Translates the schemas of a file to the rules of bodies.
struct FileSchema {
    private let schemas: [ConfigNamedSchema]

    init(_ schemas: [ConfigNamedSchema]) {
        self.schemas = schemas
    }

    func body(_ schema: ConfigSchema) throws -> BodySchema {
        var named: [String: BodyRule] = [:]
        for schema in schemas { named[schema.name.value] = try rule(schema.schema) }
        return BodySchema(try rule(schema), named: named)
    }

    private func rule(_ schema: ConfigSchema) throws -> BodyRule {
        if let reference = schema.reference { return BodyRule(.named(reference.value)) }
        return BodyRule(
            try content(of: schema), values: schema.constraints.enumeration.map { $0.map(\.value) })
    }

    private func content(of schema: ConfigSchema) throws -> BodyRule.Content {
        switch schema.type?.value {
        case nil where schema.properties.isEmpty && schema.required.isEmpty: return .any
        case nil, .object?:
            return .object(
                BodyRule.ObjectRule(
                    properties: try schema.properties.map { ($0.name.value, try rule($0.schema)) },
                    required: schema.required.map(\.value), allowsOthers: allowsOthers(schema)))
        case .array?:
            let items: BodyRule? =
                if case .schema(let items) = schema.items { try rule(items) } else { nil }
            return .array(
                BodyRule.ArrayRule(
                    items: items, minItems: schema.minItems?.value, maxItems: schema.maxItems?.value))
        case let type?:
            var constraints = schema.constraints
            // Compared as JSON, by the rule around this one.
            constraints.enumeration = nil
            return .scalar(try ValueRule(type, constraints))
        }
    }

    private func allowsOthers(_ schema: ConfigSchema) -> Bool {
        if case .refused = schema.additionalProperties { false } else { true }
    }
}

/// Compiles the patterns of an endpoint, so that a wrong one is told with its place.
enum FilePatterns {
    static func check(
        _ endpoint: ConfigEndpoint, _ faults: inout FileFaults
    ) {
        for parameter in endpoint.pathParameters + endpoint.query + endpoint.headers {
            check(parameter.constraints, &faults)
        }
        if let body = endpoint.body { check(body.value, &faults) }
    }

    static func check(_ schema: ConfigSchema, _ faults: inout FileFaults) {
        check(schema.constraints, &faults)
        for property in schema.properties { check(property.schema, &faults) }
        for case .schema(let inner) in [schema.items, schema.additionalProperties] { check(inner, &faults) }
    }

    private static func check(_ constraints: ConfigConstraints, _ faults: inout FileFaults) {
        guard let pattern = constraints.pattern else { return }
        do {
            _ = try Pattern(pattern.value)
        } catch {
            faults.add("the pattern is not a regular expression: \(error)", at: pattern.place)
        }
    }
}
