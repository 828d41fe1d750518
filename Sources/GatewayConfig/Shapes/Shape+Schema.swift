import EndpointPlans
import JSONBytes

extension Shape {
    /// Returns the object as JSON Schema (draft-07) describes it.
    func schema(_ definitions: inout SchemaDefinitions) -> SchemaTree {
        var properties: [(name: String, value: SchemaTree)] = []
        for member in members {
            properties.append((member.name, Self.describe(member, member.schema(&definitions))))
        }
        var tree: [(name: String, value: SchemaTree)] = [
            ("type", .text("object")), ("properties", .object(properties)),
            ("patternProperties", .object([("^x-", .bool(true))])), ("additionalProperties", .bool(false)),
        ]
        if !required.isEmpty { tree.append(("required", .list(required.map { .text($0) }))) }
        if !exactlyOne.isEmpty {
            tree.append(("oneOf", .list(exactlyOne.map { .object([("required", .list([.text($0)]))]) })))
        }
        return .object(tree)
    }

    private static func describe(_ member: AnyMember, _ tree: SchemaTree) -> SchemaTree {
        var facts: [(name: String, value: SchemaTree)] = [("description", .text(member.description))]
        if let fallback = member.fallback { facts.append(("default", value(fallback))) }
        // Draft-07 ignores what stands beside a $ref.
        if case .object(let own) = tree, own.contains(where: { $0.name == "$ref" }) {
            return .object([("allOf", .list([tree]))] + facts)
        }
        return tree.adding(facts)
    }

    private static func value(_ text: String) -> SchemaTree {
        switch YAMLValue(plain: text) {
        case .bool(let value): .bool(value)
        case .integer(let number), .decimal(let number): .number(number)
        case .null, .unrepresentable, .text: .text(text)
        }
    }
}
