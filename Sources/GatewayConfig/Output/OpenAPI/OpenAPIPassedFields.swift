import EndpointPlans
import HTTPModel

/// What an upstream gets of a client's fields: its credentials, and fields that no endpoint declares.
struct OpenAPIPassedFields {
    /// The security scheme, named for the field.
    private static let scheme = HTTPFieldName.authorization.description
    /// Fields that OpenAPI describes elsewhere (3.1 4.8.12.2).
    private static let described: Set<HTTPFieldName> = [.accept, .contentType, .authorization]

    let document: ConfigDocument

    // MARK: Credentials

    /// Returns the member that lets a client send credentials or none; nothing if no upstream gets them.
    func security(of endpoint: PlannedEndpoint) -> OpenAPISchemas.Members {
        passesCredentials(endpoint) ? Self.security : []
    }

    /// Returns the member that lets a client send credentials or none; nothing if the upstream does not get
    /// them.
    func security(of proxy: PlannedProxy) -> OpenAPISchemas.Members {
        passesCredentials(proxy) ? Self.security : []
    }

    /// The schemes that endpoints have. Any form of credentials passes, so the field is described, not its
    /// form.
    var schemes: OpenAPISchemas.Members {
        guard
            document.endpoints.contains(where: passesCredentials)
                || document.proxies.contains(where: passesCredentials)
        else { return [] }
        return [
            (
                Self.scheme,
                .object([
                    ("type", .text("apiKey")), ("in", .text("header")), ("name", .text(Self.scheme)),
                    ("description", .text("Passes to upstreams, which decide whether they accept it.")),
                ])
            )
        ]
    }

    private static var security: OpenAPISchemas.Members {
        [("security", .list([.object([]), .object([(scheme, .list([]))])]))]
    }

    private func passesCredentials(_ endpoint: PlannedEndpoint) -> Bool {
        !endpoint.settings.credentials.isEmpty
            && endpoint.calls.contains { document.passesCredentials(of: endpoint.settings, with: $0) }
    }

    private func passesCredentials(_ proxy: PlannedProxy) -> Bool {
        document.passesCredentials(of: proxy.settings, to: proxy.upstream)
    }

    // MARK: Other fields

    /// Describes fields that pass to upstreams. A client may leave them out.
    ///
    /// - Parameters:
    ///   - fields: their names. Those that a variable sets are left out.
    ///   - declared: the names of other parameters.
    func parameters(_ fields: [Located<HTTPFieldName>], besides declared: [String] = []) -> [SchemaTree] {
        var known = Self.described.union(declared.compactMap { HTTPFieldName($0) })
        return fields.compactMap { field in
            guard !document.isSubstituted(field.place), known.insert(field.value).inserted else { return nil }
            return .object([
                ("name", .text(field.value.description)), ("in", .text("header")), ("required", .bool(false)),
                ("description", .text("Passes to upstreams.")), ("schema", .type("string")),
            ])
        }
    }
}
