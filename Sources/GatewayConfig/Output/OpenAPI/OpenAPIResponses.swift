import HTTPModel

/// Describes the answers of endpoints.
struct OpenAPIResponses {
    private let data: OpenAPIData
    private let names: ComponentNames

    init(_ schemas: OpenAPISchemas, _ names: ComponentNames) {
        data = OpenAPIData(schemas: schemas)
        self.names = names
    }

    static func content(_ type: String, _ schema: SchemaTree) -> SchemaTree {
        .object([(type, .object([("schema", schema)]))])
    }

    /// Content of any type.
    static var anyContent: SchemaTree { .object([("*/*", .object([]))]) }

    /// Describes the success and the failures of an endpoint.
    func tree(of endpoint: ConfigEndpoint) -> SchemaTree {
        let isBare = endpoint.answer.envelope?.value == .bare
        let document = data.schemas.document
        let status = endpoint.answer.status.map { document.isSubstituted($0.place) ? "2XX" : "\($0.value)" }
        let value = data.tree(endpoint.content)
        var success: OpenAPISchemas.Members = [
            (
                "description",
                .text(isBare ? "The data." : "The data in an envelope. Some parts may have failed.")
            )
        ]
        let headers = headers(of: endpoint.answer)
        if !headers.isEmpty { success.append(("headers", .object(headers))) }
        success.append(("content", Self.content("application/json", isBare ? value : envelope(value))))
        return .object(
            [(status ?? "200", .object(success))]
                + failures(of: endpoint).map { Self.reference($0, isBare: isBare) })
    }

    private func failures(of endpoint: ConfigEndpoint) -> [Failure] {
        Self.failures.filter { failure in
            switch failure.status {
            // Only those who send credentials of the client learn what an upstream says of them.
            case "401", "403": !endpoint.credentials.isEmpty || !endpoint.cookies.isEmpty
            case "413", "415": endpoint.body != nil
            default: true
            }
        }
    }

    /// Describes what passes back, and the failures that the gateway answers itself.
    func tree(of proxy: ConfigProxy) -> SchemaTree {
        let failures = Self.failures.filter { failure in
            switch failure.status {
            // The upstream's own ones pass back.
            case "401", "403", "404", "415": false
            case "413": proxy.bodyLimit != nil
            default: true
            }
        }
        let passed = SchemaTree.object([
            ("description", .text("The response of the upstream, which may have any status.")),
            ("content", Self.anyContent),
        ])
        let isBare = proxy.envelope?.value == .bare
        return .object(
            failures.map { Self.reference($0, isBare: isBare) } + [("default", passed)])
    }

    private static func reference(
        _ failure: Failure, isBare: Bool
    ) -> (name: String, value: SchemaTree) {
        let name = failure.name + (isBare ? "Problem" : "")
        return (failure.status, .object([("$ref", .text("#/components/responses/\(name)"))]))
    }

    private func headers(of answer: ConfigAnswer) -> OpenAPISchemas.Members {
        var members: OpenAPISchemas.Members = []
        var known: Set<String> = []
        func add(_ name: String, _ schema: SchemaTree) {
            guard known.insert(name.lowercased()).inserted else { return }
            members.append((name, .object([("schema", schema)])))
        }
        if let name = answer.completeHeader, !data.schemas.document.isSubstituted(name.place) {
            add(name.value.description, .object([("enum", .list([.text("true"), .text("false")]))]))
        }
        // Content-Type has a place of its own (OpenAPI 3.1 4.8.17.1).
        for header in answer.headers where header.name.value.description.lowercased() != "content-type" {
            add(header.name.value.description, .type("string"))
        }
        return members
    }

    // MARK: Components

    private typealias Failure = (status: String, name: String, text: String)

    private static let failures: [Failure] = [
        (status: "400", name: "BadRequest", text: "The request is not valid."),
        (status: "401", name: "Unauthorized", text: "An upstream does not accept the credentials."),
        (status: "403", name: "Forbidden", text: "An upstream refuses the request with these credentials."),
        (status: "404", name: "NotFound", text: "An upstream does not know the resource."),
        (status: "413", name: "TooLarge", text: "The request body is too large."),
        (status: "415", name: "UnsupportedType", text: "The request body is not JSON."),
        (status: "502", name: "BadGateway", text: "An upstream sent no usable response."),
        (status: "503", name: "Unavailable", text: "The gateway or an upstream takes no requests now."),
        (status: "504", name: "Timeout", text: "An upstream did not answer in time."),
        (status: "508", name: "Loop", text: "The request came back to this gateway."),
    ]

    /// The failures, as an envelope and, for clients that accept only it, as problem details (RFC 9457).
    var components: OpenAPISchemas.Members {
        let problem = (
            name: "application/problem+json",
            value: SchemaTree.object([("schema", ComponentNames.reference(names.problem))])
        )
        let envelope = (
            name: "application/json",
            value: SchemaTree.object([("schema", ComponentNames.reference(names.envelopeFailure))])
        )
        func response(_ text: String, _ content: OpenAPISchemas.Members) -> SchemaTree {
            .object([("description", .text(text)), ("content", .object(content))])
        }
        return Self.failures.map { ($0.name, response($0.text, [envelope, problem])) }
            + Self.failures.map { ($0.name + "Problem", response($0.text, [problem])) }
    }

    var schemas: OpenAPISchemas.Members {
        let failedParts = SchemaTree.type("array", [("items", ComponentNames.reference(names.failures))])
        return [
            (names.envelopeFailure, envelope(.type("null"), isFailure: true)),
            (
                names.problem,
                Self.object(
                    [
                        ("type", .type("string")), ("title", .type("string")), ("status", .type("integer")),
                        ("detail", .type("string")), ("instance", .type("string")),
                    ], optional: [("errors", failedParts)])
            ),
            (
                names.failures,
                Self.object(
                    [
                        ("kind", Self.kind), ("reason", Self.nullable("string")),
                        ("status", Self.nullable("integer")),
                        ("message", .type("string")), ("attempts", .type("integer")),
                        ("elapsedMs", .type("number")), ("retryable", .type("boolean")),
                    ], optional: [("part", .type("string"))])
            ),
            (
                names.meta,
                Self.object(
                    [
                        ("requestId", .type("string")), ("complete", .type("boolean")),
                        ("elapsedMs", .type("number")),
                    ], optional: [("parts", .type("object", [("additionalProperties", Self.kind)]))])
            ),
        ]
    }

    private func envelope(_ data: SchemaTree, isFailure: Bool = false) -> SchemaTree {
        let code: SchemaTree =
            isFailure ? .type("string") : .object([("enum", .list([.text("OK"), .text("PARTIAL")]))])
        return Self.object(
            [
                ("code", code), ("message", .type("string")), ("status", .type("integer")), ("data", data),
                ("meta", ComponentNames.reference(names.meta)),
            ], optional: [("errors", .type("array", [("items", ComponentNames.reference(names.failures))]))])
    }

    private static var kind: SchemaTree {
        let kinds = ["success", "noContent", "requestErr", "pathErr", "serverErr", "networkFail"]
        return .object([("enum", .list(kinds.map { .text($0) }))])
    }

    private static func nullable(_ type: String) -> SchemaTree {
        .object([("type", .list([.text(type), .text("null")]))])
    }

    private static func object(
        _ required: OpenAPISchemas.Members, optional: OpenAPISchemas.Members
    ) -> SchemaTree {
        .type(
            "object",
            [
                ("required", .list(required.map { .text($0.name) })),
                ("properties", .object(required + optional)),
            ])
    }
}
