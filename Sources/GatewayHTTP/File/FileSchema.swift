import GatewayConfig
import GatewayCore
import JSONBytes

/// Translates the schemas of a file to the rules of bodies.
struct FileSchema {
    private let document: ConfigDocument

    init(_ document: ConfigDocument) {
        self.document = document
    }

    func body(_ schema: ConfigSchema) throws -> BodySchema {
        var named: [String: BodyRule] = [:]
        for schema in document.schemas { named[schema.name.value] = try rule(schema.schema) }
        return BodySchema(try rule(schema), named: named)
    }

    private func rule(_ schema: ConfigSchema) throws -> BodyRule {
        if let reference = schema.reference { return BodyRule(.named(reference.value)) }
        return BodyRule(
            try content(of: schema), values: schema.constraints.enumeration.map { $0.map(\.value) },
            hidesValues: schema.constraints.hidden(in: document).contains(.values))
    }

    private func content(of schema: ConfigSchema) throws -> BodyRule.Content {
        switch schema.type?.value ?? schema.impliedType {
        case nil: return .any
        case .object?:
            let (allowsOthers, others): (Bool, BodyRule?) =
                switch schema.additionalProperties {
                case .allowed: (true, nil)
                case .refused: (false, nil)
                case .schema(let inner): (true, try rule(inner))
                }
            return .object(
                BodyRule.ObjectRule(
                    properties: try schema.properties.map { ($0.name.value, try rule($0.schema)) },
                    required: schema.required.map(\.value), allowsOthers: allowsOthers, others: others))
        case .array?:
            let items: BodyRule? =
                if case .schema(let items) = schema.items { try rule(items) } else { nil }
            var array = BodyRule.ArrayRule(
                items: items, minItems: schema.minItems?.value, maxItems: schema.maxItems?.value)
            array.hidesCounts = [schema.minItems, schema.maxItems].contains(substitutedIn: document)
            return .array(array)
        case let type?:
            var constraints = schema.constraints
            // Compared as JSON, by the rule around this one.
            constraints.enumeration = nil
            return .scalar(try ValueRule(type, constraints, in: document))
        }
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
