import EndpointPlans

/// The operations of an endpoint whose requests pass through.
struct OpenAPIPassedOperation {
    private let proxy: PlannedProxy
    private let passed: OpenAPIPassedFields
    private let responses: OpenAPIResponses
    private let pathNames: [String]

    /// - Parameters:
    ///   - proxy: the endpoint.
    ///   - passed: describes the client's fields.
    ///   - responses: describes its answers.
    ///   - pathNames: the names of the path's parameters in the description, in their order.
    init(
        _ proxy: PlannedProxy, _ passed: OpenAPIPassedFields, _ responses: OpenAPIResponses,
        pathNames: [String]
    ) {
        self.proxy = proxy
        self.passed = passed
        self.responses = responses
        self.pathNames = pathNames
    }

    func tree(for method: PlannedProxy.Method) -> SchemaTree {
        var members: OpenAPISchemas.Members = [
            ("description", .text("The request passes through to an upstream, with any query."))
        ]
        let parameters = pathParameters + fields
        if !parameters.isEmpty { members.append(("parameters", .list(parameters))) }
        switch method {
        // A body of these has no meaning (RFC 9110 9.3.1, 9.3.5).
        case .get, .delete: break
        case .post, .put, .patch:
            members.append(("requestBody", .object([("content", OpenAPIResponses.anyContent)])))
        }
        members.append(("responses", responses.tree(of: proxy, method)))
        return .object(members + passed.security(of: proxy))
    }

    /// The fields that pass besides the standard ones.
    private var fields: [SchemaTree] {
        let removed = Set(proxy.requestHeaders.removed.map(\.value))
        return passed.parameters(
            (proxy.settings.forward + proxy.requestHeaders.added).filter { !removed.contains($0.value) })
    }

    private var pathParameters: [SchemaTree] {
        let hasRest = proxy.path.value.restName != nil
        return pathNames.enumerated().map { index, name in
            var members: OpenAPISchemas.Members = [
                ("name", .text(name)), ("in", .text("path")), ("required", .bool(true)),
            ]
            // OpenAPI has no parameter for more than one segment (3.1 4.8.12.1).
            if hasRest, index == pathNames.count - 1 {
                members.append(
                    ("description", .text("The rest of the path, with its slashes. It may be empty.")))
            }
            return .object(members + [("schema", .type("string"))])
        }
    }
}
