import EndpointPlans
import HTTPModel

/// One endpoint in a description.
struct OpenAPIOperation {
    private let endpoint: PlannedEndpoint
    private let schemas: OpenAPISchemas
    private let responses: OpenAPIResponses
    private let pathNames: [String]

    /// - Parameters:
    ///   - endpoint: the endpoint.
    ///   - schemas: describes its values.
    ///   - responses: describes its answers.
    ///   - pathNames: the names of the path's parameters in the description, in their order.
    init(
        _ endpoint: PlannedEndpoint, _ schemas: OpenAPISchemas, _ responses: OpenAPIResponses,
        pathNames: [String]
    ) {
        self.endpoint = endpoint
        self.schemas = schemas
        self.responses = responses
        self.pathNames = pathNames
    }

    var tree: SchemaTree {
        var members: OpenAPISchemas.Members = []
        let parameters =
            pathParameters
            + endpoint.parameters(in: .query).map { parameter("query", $0.name.value, $0) }
            + endpoint.parameters(in: .header).map { parameter("header", $0.name.value, $0) }
            + passed.parameters(
                endpoint.settings.forward, besides: endpoint.parameters(in: .header).map(\.name.value))
        if !parameters.isEmpty { members.append(("parameters", .list(parameters))) }
        if let body = endpoint.body {
            members.append(
                (
                    "requestBody",
                    .object([
                        ("required", .bool(true)),
                        ("content", OpenAPIResponses.content("application/json", schemas.tree(body))),
                    ])
                ))
        }
        members.append(("responses", responses.tree(of: endpoint)))
        return .object(members + passed.security(of: endpoint))
    }

    private var passed: OpenAPIPassedFields { OpenAPIPassedFields(document: schemas.document) }

    /// The parameters of the path, which are strings without a declaration.
    private var pathParameters: [SchemaTree] {
        let declared = endpoint.parameters(in: .path)
        return zip(pathNames, endpoint.path.value.shownParameters).map { name, own in
            guard let parameter = declared.first(where: { $0.name.value == own }) else {
                return .object([
                    ("name", .text(name)), ("in", .text("path")), ("required", .bool(true)),
                    ("schema", .type("string")),
                ])
            }
            return self.parameter("path", name, parameter)
        }
    }

    private func parameter(_ place: String, _ name: String, _ parameter: ParameterRule) -> SchemaTree {
        var members: OpenAPISchemas.Members = [
            ("name", .text(name)), ("in", .text(place)),
            // A parameter of a path is always required (OpenAPI 3.1 4.8.12.2).
            ("required", .bool(parameter.isRequired || place == "path")),
        ]
        if case .today? = parameter.defaultValue {
            members.append(("description", .text("The default is the current day in UTC.")))
        }
        return .object(members + [("schema", schemas.tree(parameter))])
    }
}
