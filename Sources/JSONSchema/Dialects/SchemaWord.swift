/// A word of JSON Schema: draft 2020-12 and draft-07.
package enum SchemaWord: String, CaseIterable, Sendable {
    case schema = "$schema"
    case id = "$id"
    case ref = "$ref"
    case anchor = "$anchor"
    case dynamicRef = "$dynamicRef"
    case dynamicAnchor = "$dynamicAnchor"
    case vocabulary = "$vocabulary"
    case comment = "$comment"
    case defs = "$defs"
    case definitions
    case prefixItems, items, additionalItems, contains
    case properties, patternProperties, additionalProperties, propertyNames
    case dependentSchemas, dependencies
    case `if`, then, `else`, allOf, anyOf, oneOf, not
    case unevaluatedItems, unevaluatedProperties
    case type, const, `enum`
    case multipleOf, maximum, exclusiveMaximum, minimum, exclusiveMinimum
    case maxLength, minLength, pattern
    case maxItems, minItems, uniqueItems, maxContains, minContains
    case maxProperties, minProperties, required, dependentRequired
    case format
    case contentEncoding, contentMediaType, contentSchema
    case title, description, `default`, deprecated, readOnly, writeOnly, examples
    // Of OpenAPI.
    case nullable, discriminator

    /// Where the value of a word has schemas.
    package enum Children {
        case none, schema, list, map
        /// A schema, or before 2020-12 a list of schemas.
        case schemaOrList
        /// An object whose values are schemas or lists of names.
        case dependencies
    }

    package var children: Children {
        switch self {
        case .additionalItems, .contains, .additionalProperties, .propertyNames, .if, .then, .else, .not,
            .unevaluatedItems, .unevaluatedProperties, .contentSchema:
            .schema
        case .items: .schemaOrList
        case .prefixItems, .allOf, .anyOf, .oneOf: .list
        case .defs, .definitions, .properties, .patternProperties, .dependentSchemas: .map
        case .dependencies: .dependencies
        default: .none
        }
    }

    /// The part of draft 2020-12 that defines the word.
    var vocabulary: Vocabulary {
        switch self {
        case .schema, .id, .ref, .anchor, .dynamicRef, .dynamicAnchor, .vocabulary, .comment, .defs,
            .definitions:
            .core
        case .prefixItems, .items, .additionalItems, .contains, .properties, .patternProperties,
            .additionalProperties, .propertyNames, .dependentSchemas, .dependencies, .if, .then, .else,
            .allOf, .anyOf, .oneOf, .not:
            .applicator
        case .unevaluatedItems, .unevaluatedProperties: .unevaluated
        case .type, .const, .enum, .multipleOf, .maximum, .exclusiveMaximum, .minimum, .exclusiveMinimum,
            .maxLength, .minLength, .pattern, .maxItems, .minItems, .uniqueItems, .maxContains, .minContains,
            .maxProperties, .minProperties, .required, .dependentRequired:
            .validation
        case .format: .format
        case .contentEncoding, .contentMediaType, .contentSchema: .content
        case .title, .description, .default, .deprecated, .readOnly, .writeOnly, .examples, .nullable,
            .discriminator:
            .metadata
        }
    }

    /// Whether draft-07 has the word.
    var isInDraft7: Bool {
        switch self {
        case .anchor, .dynamicRef, .dynamicAnchor, .vocabulary, .defs, .prefixItems, .dependentSchemas,
            .unevaluatedItems, .unevaluatedProperties, .maxContains, .minContains, .dependentRequired,
            .contentSchema, .deprecated, .nullable, .discriminator:
            false
        default: true
        }
    }

    /// Whether draft 2020-12 has the word. `definitions` and `dependencies` are kept for old schemas.
    var isIn2020: Bool { self != .additionalItems && self != .nullable && self != .discriminator }

    /// Whether it is about objects, which no text can be.
    package var isAboutObjects: Bool { types == .object }

    /// Whether it compares values, so that clients can find out about its own.
    package var isAssertion: Bool { vocabulary == .validation && self != .type && self != .required }

    /// The types of values that the word is about; nil for all types.
    var types: TypeSet? {
        switch self {
        case .multipleOf, .maximum, .exclusiveMaximum, .minimum, .exclusiveMinimum: .number
        case .maxLength, .minLength, .pattern: .string
        case .maxItems, .minItems, .uniqueItems, .maxContains, .minContains, .prefixItems, .items,
            .additionalItems, .contains, .unevaluatedItems:
            .array
        case .maxProperties, .minProperties, .required, .dependentRequired, .properties, .patternProperties,
            .additionalProperties, .propertyNames, .dependentSchemas, .dependencies, .unevaluatedProperties:
            .object
        default: nil
        }
    }
}

/// The vocabularies of draft 2020-12.
enum Vocabulary: String, CaseIterable, Sendable {
    case core, applicator, unevaluated, validation
    case metadata = "meta-data"
    case format = "format-annotation"
    case formatAssertion = "format-assertion"
    case content

    private static let prefix = "https://json-schema.org/draft/2020-12/vocab/"

    init?(uri: String) {
        guard uri.hasPrefix(Self.prefix) else { return nil }
        self.init(rawValue: String(uri.dropFirst(Self.prefix.count)))
    }
}
