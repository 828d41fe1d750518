package import JSONBytes

/// A schema of `schemas`.
package struct NamedSchema: Sendable {
    package var name: Located<String>
    package var schema: Schema

    package init(_ name: Located<String>, _ schema: Schema) {
        self.name = name
        self.schema = schema
    }
}

/// What a JSON value must be: a subset of JSON Schema.
package struct Schema: Sendable {
    package struct Property: Sendable {
        package var name: Located<String>
        package var schema: Schema

        package init(_ name: Located<String>, _ schema: Schema) {
            self.name = name
            self.schema = schema
        }
    }

    /// What members or elements without a schema of their own must be.
    package indirect enum Rest: Sendable {
        case allowed
        case refused
        case schema(Schema)
    }

    /// The name of another schema, which alone says what the value must be.
    package var reference: Located<String>?
    /// Nil for any type.
    package var type: Located<DataType>?
    /// What a scalar must be, and the values that are allowed.
    package var rule = ValueRule()
    package var fallback: Located<JSONFragment>?
    /// The names of members that must be there.
    package var required: [Located<String>] = []
    package var properties: [Property] = []
    package var additionalProperties = Rest.allowed
    package var items = Rest.allowed
    package var minItems: Located<Int>?
    package var maxItems: Located<Int>?

    /// Whether no message shows how many elements there may be.
    package var hidesCounts = false
    package var place: ConfigPlace

    package init(at place: ConfigPlace = .code) { self.place = place }
}

extension Schema {
    /// The type that the words of a schema without `type` are about; nil without such words.
    package var impliedType: DataType? {
        if !properties.isEmpty || !required.isEmpty || !additionalProperties.isAllowed { return .object }
        if !items.isAllowed || minItems != nil || maxItems != nil { return .array }
        if rule.minimum != nil || rule.maximum != nil { return .number }
        let isText =
            rule.minLength != nil || rule.maxLength != nil || rule.pattern != nil
        return isText ? .string : nil
    }
}

extension Schema.Rest {
    package var isAllowed: Bool { if case .allowed = self { true } else { false } }
}
