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
