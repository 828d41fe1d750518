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

    /// Returns the member that says which credentials a client sends; nothing if it needs none and no
    /// upstream gets any.
    func security(of endpoint: PlannedEndpoint) -> OpenAPISchemas.Members {
        OpenAPIAccess(document).security(
            of: endpoint.settings, passing: passesCredentials(endpoint) ? Self.scheme : nil)
    }

    /// Returns the member that says which credentials a client sends; nothing if it needs none and the
    /// upstream does not get any.
    func security(of proxy: PlannedProxy) -> OpenAPISchemas.Members {
        OpenAPIAccess(document).security(
            of: proxy.settings, passing: passesCredentials(proxy) ? Self.scheme : nil)
    }

    /// The schemes that endpoints have. Any form of credentials passes, so the field is described, not its
    /// form.
    var schemes: OpenAPISchemas.Members {
        let own = OpenAPIAccess(document).schemes
        guard
            document.endpoints.contains(where: passesCredentials)
                || document.proxies.contains(where: passesCredentials)
        else { return own }
        return own + [
            (
                Self.scheme,
                .object([
                    ("type", .text("apiKey")), ("in", .text("header")), ("name", .text(Self.scheme)),
                    ("description", .text("Passes to upstreams, which decide whether they accept it.")),
                ])
            )
        ]
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
