import EndpointPlans

/// The OpenAPI 3.1 description of a configuration's endpoints.
package enum OpenAPIText {
    /// Returns the description as JSON. It is the same in each run, in the order of the files. Limits,
    /// defaults and names that a variable sets are left out.
    package static func make(_ document: ConfigDocument) -> String {
        let names = ComponentNames(document)
        let schemas = OpenAPISchemas(document, names)
        let responses = OpenAPIResponses(schemas, names)
        let passed = OpenAPIPassedFields(document: document)
        var paths = OpenAPIPaths()
        for item in document.items {
            switch item {
            case .endpoint(let endpoint):
                let path = endpoint.path.value
                let (index, names) = paths.item(of: path)
                let operation = OpenAPIOperation(endpoint, schemas, responses, pathNames: names)
                paths.add(operation.tree, of: path, at: index, for: endpoint.method)
            case .proxy(let proxy):
                let path = proxy.path.value
                let methods = (proxy.methods ?? []).filter { !document.isSubstituted($0.place) }
                // A path without an operation says nothing.
                guard proxy.methods == nil || !methods.isEmpty else { continue }
                let (index, names) = paths.item(of: path)
                let operation = OpenAPIPassedOperation(proxy, passed, responses, pathNames: names)
                for method in proxy.methods == nil ? proxy.usedMethods : methods.map(\.value) {
                    paths.add(operation.tree(for: method), of: path, at: index, for: method.httpMethod)
                }
            }
        }
        var components: [(name: String, value: SchemaTree)] = document.schemas.map {
            (names.name(of: $0.name.value), schemas.tree($0.schema))
        }
        components += schemas.components
        components += responses.schemas
        var groups: [(name: String, value: SchemaTree)] = [
            ("schemas", .object(components)), ("responses", .object(responses.components)),
        ]
        let schemes = passed.schemes
        if !schemes.isEmpty { groups.append(("securitySchemes", .object(schemes))) }
        let title = document.name.map(document.written) ?? "Sluice"
        let tree = SchemaTree.object([
            ("openapi", .text("3.1.0")),
            ("info", .object([("title", .text(title)), ("version", .text("1"))])),
            ("paths", paths.tree),
            ("components", .object(groups)),
        ])
        return tree.text() + "\n"
    }
}

/// The names that schemas have as components, which allow fewer characters.
struct ComponentNames {
    private var names: [String: String] = [:]
    private let taken: Set<String>
    let envelopeFailure: String
    let problem: String
    let failures: String
    let meta: String

    init(_ document: ConfigDocument) {
        var taken: Set<String> = []
        func unique(_ name: String) -> String {
            var unique = name
            var number = 2
            while !taken.insert(unique).inserted {
                unique = "\(name)-\(number)"
                number += 1
            }
            return unique
        }
        var names: [String: String] = [:]
        for schema in document.schemas {
            names[schema.name.value] = unique(Self.allowed(schema.name.value))
        }
        self.names = names
        envelopeFailure = unique("Failure")
        problem = unique("Problem")
        failures = unique("FailedPart")
        meta = unique("Meta")
        self.taken = taken
    }

    /// Returns a name with the characters that components may have.
    static func allowed(_ name: String) -> String {
        let scalars = name.unicodeScalars.map { scalar -> Character in
            let isAllowed =
                scalar.isASCII
                && (scalar.properties.isAlphabetic || "0123456789._-".unicodeScalars.contains(scalar))
            return isAllowed ? Character(scalar) : "_"
        }
        return scalars.isEmpty ? "_" : String(scalars)
    }

    func isTaken(_ name: String) -> Bool { taken.contains(name) }

    /// Returns the component of a schema of the file; nil for a name that no schema has.
    func known(_ schema: String) -> String? { names[schema] }

    func name(of schema: String) -> String { names[schema] ?? schema }

    static func reference(_ name: String) -> SchemaTree {
        .object([("$ref", .text("#/components/schemas/\(name)"))])
    }
}
