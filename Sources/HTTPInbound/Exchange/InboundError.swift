public import HTTPModel
internal import HTTPWire

/// Why the server itself refuses a request. `InboundServer.errorRenderer` turns it into a response.
public struct InboundError: Error, Sendable {
    /// The kinds of refusal. Short names for logs and metrics.
    public struct Reason: Hashable, Sendable, CustomStringConvertible {
        /// The value as text, for logs and messages.
        public let description: String

        /// Not HTTP/1.x as the server accepts it. `status` tells which rule was broken.
        public static let malformed = Reason(description: "malformed")
        /// Head or body did not arrive in time (408).
        public static let timeout = Reason(description: "timeout")
        /// The body is longer than allowed (413).
        public static let bodyTooLarge = Reason(description: "body_too_large")
        /// Too many requests on this loop (503).
        public static let overloaded = Reason(description: "overloaded")
        /// Too many bytes of request bodies on this loop (503).
        public static let bodyMemory = Reason(description: "body_memory")
        /// The client has a connection above the connection limit (503).
        public static let connectionLimit = Reason(description: "connection_limit")
        /// A plain request on a port that speaks TLS (400).
        public static let plainRequest = Reason(description: "plain_request")
        /// The handler released its exchange without answering (500).
        public static let unanswered = Reason(description: "unanswered")
        /// The handler's answer has an invalid field, such as a value with a line break (500).
        public static let unwritable = Reason(description: "unwritable")
    }

    /// The status of the answer.
    public var status: HTTPStatus
    /// The kind of refusal.
    public var reason: Reason
    /// A sentence for the client that names the rule or the limit: it begins with a capital and has no full
    /// stop.
    public var message: String
    /// The request, if its head was read.
    public var head: HTTPRequestHead?
    /// The parts of a malformed request that break the rule, for a log: `requestLine`, `method`, `target`,
    /// `version`, `fields`, `field.NAME` or `body`; `tls` of a plain request. Empty for other errors.
    public var parts: [String]

    /// Creates a refusal.
    public init(
        status: HTTPStatus, reason: Reason, message: String, head: HTTPRequestHead? = nil,
        parts: [String] = []
    ) {
        self.status = status
        self.reason = reason
        self.message = message
        self.head = head
        self.parts = parts
    }
}

extension InboundError {
    static func malformed(_ error: RequestError, head: HTTPRequestHead?) -> InboundError {
        InboundError(
            status: error.status, reason: .malformed,
            message: error.message.prefix(1).uppercased() + error.message.dropFirst(), head: head,
            parts: error.parts)
    }

    static func plainRequest() -> InboundError {
        InboundError(
            status: .badRequest, reason: .plainRequest, message: "This port speaks HTTPS", parts: ["tls"])
    }

    static func timeout(head: HTTPRequestHead?) -> InboundError {
        InboundError(
            status: .requestTimeout, reason: .timeout, message: "The request took too long to arrive",
            head: head
        )
    }

    static func bodyTooLarge(head: HTTPRequestHead?) -> InboundError {
        InboundError(
            status: .contentTooLarge, reason: .bodyTooLarge,
            message: "The request body is too large", head: head)
    }

    /// - Parameter reason: the limit that was reached. Clients cannot tell one from another.
    static func overloaded(_ reason: Reason = .overloaded, head: HTTPRequestHead?) -> InboundError {
        InboundError(
            status: .serviceUnavailable, reason: reason, message: "Too many requests are in progress",
            head: head)
    }

    static func unwritable(head: HTTPRequestHead?) -> InboundError {
        InboundError(
            status: .internalServerError, reason: .unwritable,
            message: "The response has an invalid header field",
            head: head)
    }

    static func unanswered(head: HTTPRequestHead?) -> InboundError {
        InboundError(
            status: .internalServerError, reason: .unanswered, message: "The request was not handled",
            head: head)
    }
}
