public import HTTPModel

/// The failure of an attempt without a complete HTTP response.
public struct TransportError: Error, Sendable, CustomStringConvertible {
    /// Why it failed, from a bounded set.
    public let reason: FailureReason
    /// Details for logs, without header values, bodies and addresses.
    public let message: String
    /// What clients are told, without addresses; nil for the reason's usual text.
    public let summary: String?
    /// How long to wait before another attempt: `circuit_open`, `concurrency_limit` and `memory_limit` have
    /// it.
    public let retryAfter: Duration?
    /// Whether some of the request may have reached the upstream. If not, the call may be repeated, whatever
    /// its method.
    public let wasSent: Bool
    /// The status of a success that came before the upstream had the whole request, the rest of which could
    /// not be sent. The call is not repeated then. Nil for other failures.
    public let status: HTTPStatus?
    /// The error of the system or a library, if any.
    public let underlying: (any Error)?

    /// Creates a failure, for custom transports.
    ///
    /// By default, some of the request may have reached the upstream (`wasSent`) unless the reason excludes
    /// it, as `connection_refused` does.
    public init(
        _ reason: FailureReason, _ message: String, summary: String? = nil, retryAfter: Duration? = nil,
        wasSent: Bool? = nil, status: HTTPStatus? = nil, underlying: (any Error)? = nil
    ) {
        self.reason = reason
        self.message = message
        self.summary = summary
        self.retryAfter = retryAfter
        self.wasSent = wasSent ?? !reason.excludesRequest
        self.status = status
        self.underlying = underlying
    }

    /// What is wrong, in words.
    public var description: String { "\(reason.token): \(message)" }
}
