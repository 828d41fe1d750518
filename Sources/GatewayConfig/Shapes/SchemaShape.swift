import EndpointPlans
import JSONBytes
import JSONSchema

/// The words of a schema: JSON Schema, as editors and the reference know them. `JSONSchema` reads them.
enum SchemaShape {
    /// What the value of a word is.
    enum Kind {
        case text, number, count, flag, any, list, names, object, types, schema, schemas, schemaList, items
    }

    private static func word(_ name: String, _ kind: Kind, _ description: String) -> AnyMember {
        AnyMember(
            name: name, schema: { tree(kind, &$0) }, fallback: nil, description: description,
            shape: nil, takes: { _, _ in true })
    }

    private static func tree(_ kind: Kind, _ definitions: inout SchemaDefinitions) -> SchemaTree {
        func schema(_ definitions: inout SchemaDefinitions) -> SchemaTree {
            ValueType<Schema>.schema.schema(&definitions)
        }
        return switch kind {
        case .text: .type("string")
        case .number: .scalar(.type("number"))
        case .count: .scalar(.type("integer", [("minimum", .integer(0))]))
        case .flag: .scalar(.type("boolean"))
        case .any: .object([])
        case .list: .type("array")
        case .names: .type("array", [("items", .type("string"))])
        case .object: .type("object")
        case .types: types
        case .schema: schema(&definitions)
        case .schemas: .type("object", [("additionalProperties", schema(&definitions))])
        case .schemaList: .type("array", [("items", schema(&definitions))])
        case .items: .any(of: [schema(&definitions), .type("array", [("items", schema(&definitions))])])
        }
    }

    /// A type or a list of types. YAML reads a bare `null` as the value.
    static let types = SchemaTree.any(of: [
        .choice(names), .type("null"),
        .type(
            "array",
            [("items", .any(of: [.object([("enum", .list(names.map { .text($0) }))]), .type("null")]))]),
    ])

    static let names = [
        "string", "integer", "number", "boolean", "object", "array", "null", "date", "date-time", "uuid",
    ]

    static let shape = Shape(
        "a schema", definition: "schema", required: [], exactlyOne: [], example: "{type: object}", meant: [:],
        members: words)

    static let words = [
        word(
            "$schema", .text,
            "The draft or the metaschema: a URI. Without it, short forms are allowed and unknown words are errors."
        ),
        word("$id", .text, "The URI of the schema."),
        word("$anchor", .text, "A name to which references lead: #NAME."),
        word(
            "$ref", .text,
            "Another schema: #/schemas/NAME of the file, #/$defs/NAME of this schema, ./card.json, or a URI."),
        word("$dynamicAnchor", .text, "A name that the outermost schema with the same name takes over."),
        word("$dynamicRef", .text, "A reference to such a name."),
        word("$vocabulary", .object, "The vocabularies of a metaschema."),
        word("$comment", .text, "A note."),
        word("$defs", .schemas, "Schemas to which references lead."),
        word("definitions", .schemas, "The same in draft-07."),
        word("type", .types, "The type, or a list of them."),
        word("enum", .list, "The allowed values."),
        word("const", .any, "The only allowed value."),
        word("format", .text, "The format of a text or a number, such as email or int64."),
        word("minimum", .number, "The least number."),
        word("maximum", .number, "The greatest number."),
        word("exclusiveMinimum", .number, "A number that is too small."),
        word("exclusiveMaximum", .number, "A number that is too large."),
        word("multipleOf", .number, "A divisor of the number."),
        word("minLength", .count, "The fewest characters."),
        word("maxLength", .count, "The most characters."),
        word("pattern", .text, "A regular expression (ECMA-262) that matches somewhere in the text."),
        word("required", .names, "The members that must be there."),
        word("properties", .schemas, "The members of an object."),
        word("patternProperties", .schemas, "Members by regular expressions of their names."),
        word("additionalProperties", .schema, "Members with other names; false forbids them."),
        word("unevaluatedProperties", .schema, "Members that no schema of this value describes."),
        word("propertyNames", .schema, "The names of members, as texts."),
        word("minProperties", .count, "The fewest members."),
        word("maxProperties", .count, "The most members."),
        word("dependentRequired", .object, "Members that must be there if another is."),
        word("dependentSchemas", .schemas, "Schemas of the object that hold if a member is there."),
        word("dependencies", .object, "Both in draft-07."),
        word(
            "items", .items,
            "The elements of an array, or the ones after prefixItems; in draft-07 also a list."),
        word("prefixItems", .schemaList, "The first elements, one by one."),
        word("additionalItems", .schema, "In draft-07: the elements after a list of items."),
        word("unevaluatedItems", .schema, "Elements that no schema of this value describes."),
        word("contains", .schema, "What an element must be."),
        word("minContains", .count, "The fewest elements that contains describes."),
        word("maxContains", .count, "The most elements that contains describes."),
        word("minItems", .count, "The fewest elements."),
        word("maxItems", .count, "The most elements."),
        word("uniqueItems", .flag, "Whether no two elements are equal."),
        word("allOf", .schemaList, "Schemas that all hold."),
        word("anyOf", .schemaList, "Schemas of which one or more hold."),
        word("oneOf", .schemaList, "Schemas of which exactly one holds."),
        word("not", .schema, "A schema that must not hold."),
        word("if", .schema, "A condition."),
        word("then", .schema, "What holds if the condition does."),
        word("else", .schema, "What holds if it does not."),
        word("title", .text, "A short description."),
        word("description", .text, "A description."),
        word("default", .any, "The value if it is absent, for the documentation."),
        word("examples", .list, "Examples, for the documentation."),
        word("deprecated", .flag, "Whether it should no longer be used, for the documentation."),
        word("readOnly", .flag, "Whether only answers have it, for the documentation."),
        word("writeOnly", .flag, "Whether only requests have it, for the documentation."),
        word("contentEncoding", .text, "How a text is encoded, for the documentation."),
        word("contentMediaType", .text, "The media type of a text, for the documentation."),
        word("contentSchema", .schema, "The schema of the value in a text, for the documentation."),
    ]
}

extension ValueType where Value == Schema {
    /// A schema. A type, or a list of types, is short for a mapping with only `type`.
    static let schema: ValueType = ValueType { definitions in
        .any(of: [SchemaShape.types, .type("boolean"), definitions.reference(SchemaShape.shape)])
    } read: { node, _, reader in
        reader.schemas?.compile(node)
    }.withShape { SchemaShape.shape }
}
