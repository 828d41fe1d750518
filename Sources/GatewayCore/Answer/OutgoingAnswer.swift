public import HTTPModel

/// An answer before its head is sent, as `Gateway.after` sees it.
public struct OutgoingAnswer: Sendable {
    /// The request that is answered.
    public let request: GatewayRequest
    /// What became of the request: its parts, for example.
    public let summary: RequestSummary
    /// The status of the answer.
    public let status: HTTPStatus
    /// The fields so far, without `Date`, `Content-Length` and the fields of the connection.
    public private(set) var fields: HTTPFields
    /// Why a field was left out, to report it.
    private(set) var fault: EndpointFault?

    init(_ answer: GatewayResponse, to request: GatewayRequest) {
        self.request = request
        summary = answer.summary
        status = answer.response.status
        fields = answer.response.fields
    }

    /// `OK`, `PARTIAL` or the code of the failure.
    public var code: String { summary.code }

    /// Adds a field to the answer. Hop-by-hop fields and the gateway's own, like `Content-Type`, are ignored.
    /// A field that an answer has once, like `Cache-Control`, replaces the previous one. A value with a line
    /// break or another control character is left out and is an incident.
    public mutating func addField(_ name: HTTPFieldName, _ value: String) {
        guard !HTTPFields.isSingle(name) else { return setField(name, value) }
        if mayAdd(name, value) { fields.append(name, value) }
    }

    /// Adds a field to the answer and removes others with the same name. The gateway's own are kept, as in
    /// `addField`.
    public mutating func setField(_ name: HTTPFieldName, _ value: String) {
        if mayAdd(name, value) { fields[name] = value }
    }

    private mutating func mayAdd(_ name: HTTPFieldName, _ value: String) -> Bool {
        guard Renderer.canSend(value) else {
            fault = .unsendable("\(name)")
            return false
        }
        return !Renderer.isGatewayField(name)
    }
}
