import ASCIIText
package import JSONSchema

/// A description of an API in OpenAPI 3.0 or 3.1, with the documents to which it refers. Nothing is fetched.
///
/// Reading finds the operations. Their parameters, bodies and responses are read by `OpenAPIContract`, for
/// the operations that are called.
package struct OpenAPIDocument: Sendable {
    /// The URI: a relative path will do. Problems and faults call the document by it.
    package let name: String
    package let version: OpenAPIVersion
    package let operations: OperationIndex
    package let warnings: [SchemaProblem]
    let store: DocumentStore

    /// Reads a document.
    ///
    /// - Parameters:
    ///   - name: its URI.
    ///   - load: returns the document of a URI without a fragment, this one and those to which references
    ///     lead; nil for others. References are resolved against the URI of the document that has them.
    /// - Throws: all problems, with line and column.
    package init(
        _ name: String, bounds: OpenAPIBounds = OpenAPIBounds(),
        load: @escaping @Sendable (_ uri: String) -> OpenAPISource?
    ) throws(JSONSchemaError) {
        let store = DocumentStore(bounds, load: load)
        guard let tree = store.document(name) else {
            let missing = SchemaProblem(
                document: name, place: SchemaPlace(line: 1, column: 1), message: "this document is not known")
            throw JSONSchemaError(store.problems.isEmpty ? [missing] : store.problems)
        }
        let root = OpenAPIValue(root: tree, of: name)
        version = try Self.version(of: root)
        var reader = OpenAPIReader(store)
        operations = OperationIndex(root, &reader)
        warnings = try reader.warnings()
        self.store = store
        self.name = name
    }

    /// The URIs of all documents that were read, in order. A reload watches them.
    package var documents: [String] { store.names }

    private static func version(of root: OpenAPIValue) throws(JSONSchemaError) -> OpenAPIVersion {
        guard let value = root.member("openapi"), let text = value.string else {
            let isSwagger = root.member("swagger") != nil
            throw JSONSchemaError([
                root.problem(
                    isSwagger
                        ? "this is Swagger 2.0; a contract is OpenAPI 3.0 or 3.1"
                        : "this is not OpenAPI: the member openapi is missing")
            ])
        }
        guard let version = OpenAPIVersion(text) else {
            let shown = Shown.text(text)
            throw JSONSchemaError([value.problem("openapi: \(shown) is not known; a contract has 3.0 or 3.1")]
            )
        }
        return version
    }
}
