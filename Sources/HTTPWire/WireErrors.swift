public import HTTPModel

/// The reason why the parser refuses a request. The connection closes after the response.
public struct RequestError: Error, Sendable, Equatable {
    /// 400, 405, 414, 417, 431, 501 or 505.
    public let status: HTTPStatus
    /// The broken rule: constant text, never a byte of the request.
    public let message: String

    init(_ fault: WireFault) {
        status = fault.requestStatus
        message = fault.message.description
    }
}

/// The reason why the parser refuses a response. The connection closes.
public struct ResponseError: Error, Sendable, Equatable {
    /// The registered name of the failure (RFC 9209 2.3), or `connection_terminated`.
    public enum Reason: String, Sendable, Hashable {
        case protocolError = "http_protocol_error"
        case headerSectionSize = "http_response_header_section_size"
        case transferCoding = "http_response_transfer_coding"
        /// The connection ended within the response.
        case incomplete = "http_response_incomplete"
        /// The connection ended before the first byte of the response.
        case terminated = "connection_terminated"
    }

    public let reason: Reason
    /// The broken rule: constant text, never a byte of the response.
    public let message: String

    init(_ fault: WireFault) {
        reason = fault.responseReason
        message = fault.message.description
    }

    static let incomplete = ResponseError(
        reason: .incomplete, message: "the connection ended within the response")
    static let terminated = ResponseError(
        reason: .terminated, message: "the connection ended before the response")

    private init(reason: Reason, message: String) {
        self.reason = reason
        self.message = message
    }
}
