import ASCIIText
import EndpointPlans
import JSONBytes

/// A schema of a body or a value: a subset of JSON Schema.
enum SchemaShape {
    static let reference = Member("$ref", .schemaReference, "A schema of schemas: #/schemas/NAME.")
    static let type = Member("type", .schemaType, "The type; any if it is absent.")
    static let fallback = Member(
        "default", ValueType<JSONFragment>.literalJSON, "The value if it is absent, for the documentation.")
    static let required = Member(
        "required", .list(of: ValueType<String>.memberName.located, 0...1000),
        "The members that must be there.")
    static let properties = Member("properties", .properties, "The members of an object.")
    static let additionalProperties = Member(
        "additionalProperties", .rest, default: "true",
        "Whether an object may have other members, or what they must be.")
    static let items = Member("items", .schema, "The elements of an array.")
    static let minItems = Member(
        "minItems", .integer(0...1_000_000_000), default: "0", "The fewest elements.")
    static let maxItems = Member("maxItems", .integer(0...1_000_000_000), "The most elements.")

    static let shape: Shape = Shape(
        "a schema", definition: "schema", example: "{type: object}", reference, type, ConstraintShape.minimum,
        ConstraintShape.maximum,
        ConstraintShape.minLength, ConstraintShape.maxLength, ConstraintShape.enumeration,
        ConstraintShape.pattern,
        fallback, required, properties, additionalProperties, items, minItems, maxItems)

    static func decode(_ values: ShapeValues) -> Schema? {
        var schema = Schema(at: values.place)
        schema.reference = values.located(reference)
        if values.has(reference) {
            let others = values.map.members.filter { $0.name != reference.name && shape.has($0.name) }
            if let other = others.first {
                values.reader.error("\"\(other.name)\" has no effect beside $ref", at: other.namePlace)
            }
            return schema
        }
        schema.type = values.located(type)
        let type = values.isUnknown(type) ? nil : schema.type?.value
        schema.rule = ConstraintShape.decode(values, type, isText: false)
        ConstraintShape.warn(values, [minItems.name, maxItems.name])
        ConstraintShape.require(
            [.object], values, type, [required.name, properties.name, additionalProperties.name])
        ConstraintShape.require([.array], values, type, [items.name, minItems.name, maxItems.name])
        schema.fallback = values.located(fallback)
        schema.required = values.read(required) ?? []
        schema.properties = values.read(properties) ?? []
        schema.additionalProperties = values.read(additionalProperties) ?? .allowed
        schema.items = values.read(items).map { .schema($0) } ?? .allowed
        schema.minItems = values.located(minItems)
        schema.maxItems = values.located(maxItems)
        schema.hidesCounts = ConstraintShape.hasVariable(values, [minItems.name, maxItems.name])
        ConstraintShape.checkOrder(values, minItems, maxItems) { $0 }
        schema.rule.type = schema.type?.value ?? schema.impliedType ?? .string
        checkRequired(schema, values.reader)
        return schema
    }

    /// Reports required members that an object without others cannot have.
    private static func checkRequired(_ schema: Schema, _ reader: ConfigReader) {
        guard case .refused = schema.additionalProperties else { return }
        let known = NameList(schema.properties.map(\.name.value))
        for name in schema.required where !known.contains(name.value) {
            reader.error(
                "required: there is no property \"\(Shown.text(name.value))\", and others are not allowed"
                    + Suggestion.text(for: name.value, among: known.names), at: name.place)
        }
    }
}

extension ValueType where Value == Schema {
    /// A schema. A type alone is short for a mapping with only `type`.
    static let schema: ValueType = {
        let mapping = ValueType.object(SchemaShape.shape) { SchemaShape.decode($0) }
        return ValueType { definitions in
            .any(of: [ValueType<DataType>.schemaType.schema(&definitions), mapping.schema(&definitions)])
        } read: { node, subject, reader in
            if case .map(let map) = node.content, UnquotedBraces.message(map) == nil {
                return mapping.read(node, subject, reader)
            }
            return ValueType<DataType>.schemaType.read(node, subject, reader).map {
                var schema = Schema(at: node.place)
                schema.type = Located($0, at: node.place)
                schema.rule.type = $0
                return schema
            }
        }
    }()
}

extension ValueType where Value == [Schema.Property] {
    static let properties = ValueType { definitions in
        .type("object", [("additionalProperties", ValueType<Schema>.schema.schema(&definitions))])
    } read: { node, subject, reader in
        guard let map = reader.map(node, subject) else { return nil }
        return map.members.compactMap { member in
            ValueType<Schema>.schema.read(member.value, Subject(member.name), reader).map {
                Schema.Property(Located(member.name, at: member.namePlace), $0)
            }
        }
    }
}

extension ValueType where Value == Schema.Rest {
    static let rest = ValueType { definitions in
        .any(of: [.type("boolean"), ValueType<Schema>.schema.schema(&definitions)])
    } read: { node, subject, reader in
        if case .scalar(let scalar) = node.content {
            if scalar.isUnknown { return .allowed }
            if case .bool(let isAllowed) = YAMLValue(scalar) { return isAllowed ? .allowed : .refused }
        }
        return ValueType<Schema>.schema.read(node, subject, reader).map { .schema($0) }
    }
}

extension ValueType where Value == String {
    /// The name in `#/schemas/NAME`.
    static let schemaReference = ValueType(schema: { _ in
        .type("string", [("pattern", .text("^#/schemas/.+$"))])
    }) {
        node, subject, reader in
        guard let scalar = reader.scalar(node, subject) else { return nil }
        guard !scalar.isUnknown else { return "" }
        guard scalar.text.utf8.starts(with: "#/schemas/".utf8) else {
            reader.error("\(subject.text): \(scalar.shown) is not of the form #/schemas/NAME", at: node.place)
            return nil
        }
        let name = String(Substring(scalar.text.utf8.dropFirst("#/schemas/".utf8.count)))
        if let known = reader.schemaNames, !known.contains(name) {
            let isShown = scalar.substitution == nil
            reader.error(
                "there is no schema " + (isShown ? "\"\(Shown.text(name))\"" : scalar.shown)
                    + (isShown ? Suggestion.text(for: name, among: known.names) : ""), at: node.place)
            return nil
        }
        return name
    }
}
