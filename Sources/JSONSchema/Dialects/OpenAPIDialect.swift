/// The versions of OpenAPI. Each has schemas of its own.
package enum OpenAPIVersion: Sendable, Hashable {
    /// 3.0: few words, with `nullable` and Boolean exclusive bounds.
    case v30
    /// 3.1: draft 2020-12, unless `jsonSchemaDialect` or `$schema` says otherwise.
    case v31

    /// Returns the version that a document names: `3.0.3`; nil for others.
    package init?(_ text: String) {
        if text.hasPrefix("3.0.") {
            self = .v30
        } else if text.hasPrefix("3.1.") {
            self = .v31
        } else {
            return nil
        }
    }
}

/// Which members may be absent although a schema requires them.
package enum SchemaExemption: Sendable, Hashable {
    /// Members that only responses have.
    case readOnly
    /// Members that only requests have.
    case writeOnly
}

extension Dialect {
    /// How the names of OpenAPI's metaschemas begin.
    static let openAPIURI = "https://spec.openapis.org/oas/3.1/dialect/"
    /// The vocabulary of OpenAPI 3.1: `discriminator`, and words that only describe.
    static let openAPIVocabulary = "https://spec.openapis.org/oas/3.1/vocab/base"

    /// The dialect of the schemas in a document of OpenAPI.
    static func openAPI(_ version: OpenAPIVersion) -> Dialect {
        Dialect(
            isDraft7: false, vocabularies: draft2020.vocabularies,
            name: version == .v30 ? "OpenAPI 3.0" : "OpenAPI 3.1", openAPI: version)
    }

    /// Whether a name that is not a word stays without a warning, because OpenAPI describes with it.
    func ignores(_ name: String) -> Bool {
        openAPI != nil && (name == "xml" || name == "externalDocs" || name == "example")
    }
}

extension SchemaWord {
    /// Whether OpenAPI 3.0 has the word (Schema Object).
    var isInOpenAPI30: Bool {
        switch self {
        case .ref, .title, .multipleOf, .maximum, .exclusiveMaximum, .minimum, .exclusiveMinimum, .maxLength,
            .minLength, .pattern, .maxItems, .minItems, .uniqueItems, .maxProperties, .minProperties,
            .required, .enum, .type, .allOf, .oneOf, .anyOf, .not, .items, .properties, .additionalProperties,
            .description, .format, .default, .nullable, .discriminator, .readOnly, .writeOnly, .deprecated:
            true
        default: false
        }
    }

    /// Whether its value is true or false in OpenAPI 3.0.
    var isFlagInOpenAPI30: Bool {
        self == .exclusiveMinimum || self == .exclusiveMaximum || self == .nullable
    }
}
