import EndpointPlans
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
    func tree(of endpoint: PlannedEndpoint) -> SchemaTree {
        let isBare = endpoint.answer.envelope == .bare
        let document = data.schemas.document
        let status = endpoint.answer.$status.map { document.isSubstituted($0.place) ? "2XX" : "\($0.value)" }
        let value = data.tree(endpoint.parts)
        var success: OpenAPISchemas.Members = [
            (
                "description",
                .text(isBare ? "The data." : "The data in an envelope. Some parts may have failed.")
            )
        ]
        let headers = headers(
            of: endpoint.answer, besides: OpenAPIAccess(document).fields(of: endpoint.settings))
        if !headers.isEmpty { success.append(("headers", .object(headers))) }
        success.append(("content", Self.content("application/json", isBare ? value : envelope(value))))
        return .object(
            [(status ?? "200", .object(success))]
                + OpenAPIFailure.all(of: endpoint, in: document).map(Self.reference))
    }

    /// Describes what passes back, and the failures that the gateway answers itself.
    func tree(of proxy: PlannedProxy, _ method: PlannedProxy.Method) -> SchemaTree {
        let passed = SchemaTree.object([
            ("description", .text("The response of the upstream, which may have any status.")),
            ("content", Self.anyContent),
        ])
        let failures = OpenAPIFailure.all(of: proxy, method, in: data.schemas.document)
        return .object(failures.map(Self.reference) + [("default", passed)])
    }

    private static func reference(_ failure: OpenAPIFailure) -> (name: String, value: SchemaTree) {
        (
            "\(failure.status.rawValue)",
            .object([("$ref", .text("#/components/responses/\(failure.name)"))])
        )
    }

    /// Describes header fields of text.
    static func fields(_ names: [String]) -> SchemaTree {
        .object(names.map { ($0, .object([("schema", .type("string"))])) })
    }

    private func headers(of answer: PlannedAnswer, besides others: [String]) -> OpenAPISchemas.Members {
        var members: OpenAPISchemas.Members = []
        var known: Set<String> = []
        func add(_ name: String, _ schema: SchemaTree) {
            guard known.insert(name.lowercased()).inserted else { return }
            members.append((name, .object([("schema", schema)])))
        }
        if let name = answer.$completeField, !data.schemas.document.isSubstituted(name.place) {
            add(name.value.description, .object([("enum", .list([.text("true"), .text("false")]))]))
        }
        // Content-Type has a place of its own (OpenAPI 3.1 4.8.17.1).
        for header in answer.fields where header.name.value.description.lowercased() != "content-type" {
            add(header.name.value.description, .type("string"))
        }
        for name in others { add(name, .type("string")) }
        return members
    }

    // MARK: Components

    /// The failures that can occur, as an envelope and, for clients that accept only it, as problem details
    /// (RFC 9457).
    var components: OpenAPISchemas.Members {
        OpenAPIFailure.all(of: data.schemas.document).map { ($0.name, $0.tree(names)) }
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
                    ], optional: [("errors", failedParts)] + violatedPolicies)
            ),
            (
                names.failures,
                Self.object(
                    [
                        ("part", partName), ("kind", Self.kind), ("reason", .type("string")),
                        ("status", Self.nullable("integer")),
                        ("message", .type("string")), ("attempts", .type("integer")),
                        ("elapsedMs", .type("number")), ("retryable", .type("boolean")),
                    ], optional: [])
            ),
            (
                names.meta,
                Self.object(
                    [
                        ("requestId", .type("string")), ("complete", .type("boolean")),
                        ("elapsedMs", .type("number")),
                    ], optional: [("parts", .type("object", [("additionalProperties", Self.partKind)]))])
            ),
        ]
    }

    /// The names of the limits that refused a request, if there are limits.
    private var violatedPolicies: OpenAPISchemas.Members {
        guard OpenAPIAccess(data.schemas.document).hasLimits else { return [] }
        return [("violated-policies", .type("array", [("items", .type("string"))]))]
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

    /// The name of a part that failed. The call of a proxy has none.
    private var partName: SchemaTree {
        data.schemas.document.proxies.isEmpty ? .type("string") : Self.nullable("string")
    }

    private static let kinds = ["success", "noContent", "requestErr", "pathErr", "serverErr", "networkFail"]

    private static var kind: SchemaTree { words(kinds) }

    /// The kind of a part in `meta`: the answer may end before the part does.
    private static var partKind: SchemaTree { words(kinds + ["cancelled"]) }

    private static func words(_ words: [String]) -> SchemaTree {
        .object([("enum", .list(words.map { .text($0) }))])
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
