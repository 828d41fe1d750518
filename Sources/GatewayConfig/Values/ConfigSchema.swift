package import JSONBytes

/// A schema of `schemas`.
package struct ConfigNamedSchema: Sendable {
    package var name: Located<String>
    package var schema: ConfigSchema
}

/// What a JSON value must be: a subset of JSON Schema.
package struct ConfigSchema: Sendable {
    package struct Property: Sendable {
        package var name: Located<String>
        package var schema: ConfigSchema
    }

    /// What members or elements without a schema of their own must be.
    package indirect enum Rest: Sendable {
        case allowed
        case refused
        case schema(ConfigSchema)
    }

    /// The name of another schema, which alone says what the value must be.
    package var reference: Located<String>?
    /// Nil for any type.
    package var type: Located<ConfigType>?
    package var constraints = ConfigConstraints()
    package var fallback: Located<JSONFragment>?
    /// The names of members that must be there.
    package var required: [Located<String>] = []
    package var properties: [Property] = []
    package var additionalProperties = Rest.allowed
    package var items = Rest.allowed
    package var minItems: Located<Int>?
    package var maxItems: Located<Int>?

    package var place: ConfigPlace
}

extension ConfigSchema {
    /// The type that the words of a schema without `type` are about; nil if there are none.
    package var impliedType: ConfigType? {
        if !properties.isEmpty || !required.isEmpty || !additionalProperties.isAllowed { return .object }
        if !items.isAllowed || minItems != nil || maxItems != nil { return .array }
        if constraints.minimum != nil || constraints.maximum != nil { return .number }
        let isText =
            constraints.minLength != nil || constraints.maxLength != nil || constraints.pattern != nil
        return isText ? .string : nil
    }
}

extension ConfigSchema.Rest {
    var isAllowed: Bool { if case .allowed = self { true } else { false } }
}
