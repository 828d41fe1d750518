/// Schemas in documents of another kind, such as OpenAPI, compiled together: what they share is read and
/// compiled once.
package struct SchemaGroup: Sendable {
    /// A schema, as the URI of its document and the index of its value there.
    package struct Root: Sendable, Hashable {
        package let document: String
        package let node: Int

        package init(document: String, node: Int) {
            self.document = document
            self.node = node
        }
    }

    /// The schemas in the order of the roots.
    package let schemas: [JSONSchema]
    package let warnings: [SchemaProblem]
    /// The size of the plan.
    package let nodes: Int

    /// Compiles schemas of documents that the catalog has.
    ///
    /// - Throws: all problems, with line and column.
    package init(
        _ roots: [Root], catalog: SchemaCatalog, options: SchemaOptions
    ) throws(JSONSchemaError) {
        let resources = SchemaResources(catalog: catalog, options: options)
        let group = try JSONSchema.compile(resources, options) { reader in
            roots.map { root in
                guard let location = reader.resources.schema(at: root.node, of: root.document) else {
                    reader.resources.note(
                        SchemaProblem(
                            document: root.document, place: SchemaPlace(line: 1, column: 1),
                            message: "this document is not in the catalog"))
                    return 0
                }
                return reader.read(location)
            }
        }
        schemas = group.storages.map { JSONSchema($0) }
        warnings = group.warnings
        nodes = group.storages.first?.plan.tables.nodes.count ?? 0
    }
}
