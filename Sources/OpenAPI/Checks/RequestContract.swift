import ASCIIText
package import HTTPModel
package import JSONSchema

/// A request, as its contract sees it.
package struct ContractRequest: Sendable {
    /// Percent-encoded, without a query.
    package var path: ArraySlice<UInt8>
    /// How many segments stand before the path of the operation: `OperationMatch.skipped`.
    package var skipped: Int
    /// Without its question mark; nil without a query.
    package var query: ArraySlice<UInt8>?
    package var fields: HTTPFields
    package var body: ContractBody

    package init(
        path: ArraySlice<UInt8>, skipped: Int = 0, query: ArraySlice<UInt8>? = nil,
        fields: HTTPFields = HTTPFields(), body: ContractBody = .none
    ) {
        self.path = path
        self.skipped = skipped
        self.query = query
        self.fields = fields
        self.body = body
    }
}

/// What requests of an operation must be.
package struct RequestContract: Sendable {
    package let parameters: [ContractParameter]
    /// Whether a request must have a body.
    package let requiresBody: Bool
    /// nil if no body is described: any will do.
    let content: ContractContent?
    private let path: OperationPath
    private let names: Set<String>

    init(_ model: OperationModel, _ schemas: SchemaTable) {
        parameters = model.parameters.map { ContractParameter($0, $0.schema.flatMap { schemas[$0] }) }
        requiresBody = model.body?.isRequired ?? false
        content = model.body.map { ContractContent($0.content, schemas) }
        path = model.operation.path
        names = Set(parameters.filter { $0.location == .query }.map(\.name))
    }

    /// The schema of the body's JSON; nil if any JSON will do, or no JSON is described.
    package var bodySchema: JSONSchema? { content?.jsonSchemas?.first }

    /// Returns what is wrong with a request; nothing if it follows the contract.
    package func faults(of request: ContractRequest) -> [ContractFault] {
        var faults: [ContractFault] = []
        checkPath(request, &faults)
        var query: QueryPieces?
        for parameter in parameters {
            switch parameter.location {
            case .path: break
            case .field: parameter.check(parameter.reading(in: request.fields), .request, &faults)
            case .query:
                let pieces = query ?? QueryPieces(request.query)
                query = pieces
                let reading = parameter.reading(in: pieces) { names.contains($0) }
                parameter.check(reading, .request, &faults)
            }
        }
        checkBody(request, &faults)
        return faults
    }

    private func checkPath(_ request: ContractRequest, _ faults: inout [ContractFault]) {
        guard parameters.contains(where: { $0.location == .path }) else { return }
        let segments = request.path.dropFirst().split(separator: Byte.slash, omittingEmptySubsequences: false)
        let values = path.values(in: segments.dropFirst(request.skipped)) ?? []
        for parameter in parameters where parameter.location == .path {
            let value = values.first { $0.name == parameter.name }?.value
            parameter.check(value.map { parameter.reading(ofSegment: $0) } ?? .missing, .request, &faults)
        }
    }

    private func checkBody(_ request: ContractRequest, _ faults: inout [ContractFault]) {
        guard let content else { return }
        if case .none = request.body {
            if requiresBody { faults.append(content.fault("required", "present", .request, .body)) }
            return
        }
        content.check(request.body, request.fields.firstValueBytes("Content-Type"), .request, &faults)
    }
}
