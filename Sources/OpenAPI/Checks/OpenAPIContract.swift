package import JSONSchema

/// An operation, ready to check its requests and responses.
package struct OperationContract: Sendable {
    package let operation: OpenAPIOperation
    package let request: RequestContract
    package let response: ResponseContract
}

/// The operations of a description that are called, ready to check.
package struct OpenAPIContract: Sendable {
    /// In the order in which they were asked for.
    package let operations: [OperationContract]
    package let warnings: [SchemaProblem]
    /// The nodes of the plans, of which a file may have 100 000.
    package let nodes: Int

    /// Reads and compiles operations. What no operation needs is not read.
    ///
    /// - Throws: all problems, with line and column.
    package init(_ document: OpenAPIDocument, operations: [OpenAPIOperation]) throws(JSONSchemaError) {
        var reader = OpenAPIReader(document.store)
        let models = operations.map { reader.model(of: $0) }
        let warnings = try reader.warnings()
        var options = SchemaOptions()
        options.openAPI = document.version
        options.bounds = document.store.bounds.schemas
        options.exemption = .readOnly
        let catalog = document.store.catalog
        let requests = try SchemaTable(models.flatMap(\.requestSchemas), catalog, options)
        options.exemption = .writeOnly
        options.bounds.nodes = max(0, options.bounds.nodes - requests.nodes)
        let responses = try SchemaTable(models.flatMap(\.responseSchemas), catalog, options)
        guard document.store.problems.isEmpty else { throw JSONSchemaError(document.store.problems) }
        self.operations = models.map { model in
            OperationContract(
                operation: model.operation, request: RequestContract(model, requests),
                response: ResponseContract(model, responses))
        }
        self.warnings = SchemaProblem.sorted(Set(warnings + requests.warnings + responses.warnings))
        nodes = requests.nodes + responses.nodes
    }
}

extension OperationModel {
    fileprivate var requestSchemas: [SchemaGroup.Root] {
        parameters.compactMap(\.schema) + (body?.content.types.compactMap(\.schema) ?? [])
    }

    fileprivate var responseSchemas: [SchemaGroup.Root] {
        responses.flatMap { $0.fields.compactMap(\.schema) + $0.content.types.compactMap(\.schema) }
    }
}
