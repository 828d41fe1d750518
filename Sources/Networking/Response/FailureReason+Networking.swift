@_exported public import struct HTTPModel.FailureReason

// The reasons missing in RFC 9209, and which failures are worth another attempt.
extension FailureReason {
    /// The upstream responded with a failing status.
    public static let upstreamStatus = FailureReason(token: "upstream_status")
    /// The body is not JSON, or is JSON of an unexpected shape.
    public static let decodeError = FailureReason(token: "decode_error")
    /// The response is well-formed but lacks the requested data.
    public static let missingData = FailureReason(token: "missing_data")
    /// The status does not fit this request: a 3xx that is not followed, or a 206 without a range request.
    public static let unexpectedStatus = FailureReason(token: "unexpected_status")
    /// The circuit breaker is open because the upstream failed too often.
    public static let circuitOpen = FailureReason(token: "circuit_open")
    /// The call was not made, because it needs a value of another one, which failed.
    public static let dependencyFailed = FailureReason(token: "dependency_failed")
    /// The response breaks the contract of its upstream.
    public static let responseContract = FailureReason(token: "response_contract")
    /// The deadline of the incoming request passed.
    public static let deadlineExceeded = FailureReason(token: "deadline_exceeded")

    /// Whether the attempt was refused before anything was sent. Such an attempt does not count.
    package var isRefusal: Bool { self == .circuitOpen || self == .concurrencyLimit }

    /// Whether the attempt failed before it could send anything.
    var excludesRequest: Bool {
        switch self {
        case .circuitOpen, .concurrencyLimit, .connectionLimitReached, .connectionRefused, .connectionTimeout,
            .destinationUnavailable, .dnsError, .dnsTimeout, .requestError:
            true
        default: false
        }
    }

    /// Whether an idempotent request may succeed in another attempt.
    var isRetried: Bool {
        switch self {
        case .dnsTimeout, .connectionRefused, .connectionTimeout, .connectionTerminated, .responseIncomplete:
            true
        default: false
        }
    }

    /// Whether the same request may succeed later.
    var isTransient: Bool {
        switch self {
        case .dnsError, .dnsTimeout, .destinationUnavailable, .connectionRefused, .connectionTimeout,
            .connectionTerminated, .connectionReadTimeout, .connectionWriteTimeout, .responseTimeout,
            .responseIncomplete, .connectionLimitReached, .concurrencyLimit, .memoryLimit,
            .circuitOpen, .deadlineExceeded:
            true
        default: false
        }
    }
}
