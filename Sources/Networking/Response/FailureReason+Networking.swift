@_exported public import struct HTTPModel.FailureReason

// The reasons that RFC 9209 has no error type for, and which failures are worth another attempt.
extension FailureReason {
    /// The upstream answered with a status that means failure.
    public static let upstreamStatus = FailureReason(token: "upstream_status")
    /// The body is not JSON, or not of the expected shape.
    public static let decodeError = FailureReason(token: "decode_error")
    /// The answer is well-formed and lacks what was asked for.
    public static let missingData = FailureReason(token: "missing_data")
    /// A status that does not answer this request: 3xx with redirects off, a 206 that nobody asked for.
    public static let unexpectedStatus = FailureReason(token: "unexpected_status")
    /// The circuit breaker is open: the upstream has failed too often of late.
    public static let circuitOpen = FailureReason(token: "circuit_open")
    /// The request that the call was made for ran out of time.
    public static let deadlineExceeded = FailureReason(token: "deadline_exceeded")

    /// Whether another attempt may go better and does no harm to an idempotent request.
    var isRetried: Bool {
        switch self {
        case .dnsTimeout, .connectionRefused, .connectionTimeout, .connectionTerminated, .responseIncomplete:
            true
        default: false
        }
    }

    /// Whether the same request may succeed later: what a client is told.
    var isTransient: Bool {
        switch self {
        case .dnsError, .dnsTimeout, .destinationUnavailable, .connectionRefused, .connectionTimeout,
            .connectionTerminated, .connectionReadTimeout, .connectionWriteTimeout, .responseTimeout,
            .responseIncomplete, .connectionLimitReached, .circuitOpen, .deadlineExceeded:
            true
        default: false
        }
    }
}
