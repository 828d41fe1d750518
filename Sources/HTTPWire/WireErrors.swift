public import HTTPModel

/// Why the parser refuses a request. The connection closes after the response.
public struct RequestError: Error, Sendable, Equatable {
    /// 400, 405, 414, 417, 431, 501 or 505.
    public let status: HTTPStatus
    /// The broken rule: constant text, without bytes of the request.
    public let message: String
    /// The parts of the request that break it, for a log: `requestLine`, `method`, `target`, `version`,
    /// `fields`, `field.NAME` or `body`. No bytes of the request but the name of a field.
    public let parts: [String]

    init(_ fault: WireFault, parts: [String]) {
        status = fault.requestStatus
        message = fault.message.description
        self.parts = parts
    }
}

/// Why the parser refuses a response. The connection closes.
public struct ResponseError: Error, Sendable, Equatable {
    /// The kind of failure: `http_protocol_error` for most.
    public let reason: FailureReason
    /// The broken rule: constant text, without bytes of the response.
    public let message: String

    init(_ fault: WireFault) {
        reason = fault.responseReason
        message = fault.message.description
    }

    static let incomplete = ResponseError(
        reason: .responseIncomplete, message: "the connection ended within the response")
    static let terminated = ResponseError(
        reason: .connectionTerminated, message: "the connection ended before the response")

    private init(reason: FailureReason, message: String) {
        self.reason = reason
        self.message = message
    }
}
