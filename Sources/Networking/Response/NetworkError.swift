import HTTPModel
public import JSONBytes

/// The error of every failed call. `NetworkingCompatibility` translates it for other clients (`MoyaError`,
/// `NSError`).
public struct NetworkError: Error, Sendable {
    /// The outcome of the call. Never `success`; `noContent` if a model was requested and the response is
    /// empty.
    public let kind: OutcomeKind
    /// Why the call failed, from a bounded set that can label metrics.
    public let reason: FailureReason
    /// One line for people, without host, headers, body and query. Clients may see it.
    public let message: String

    /// The upstream's name.
    public let upstream: String
    /// The part of the request that could not be built; nil if it was built.
    public let requestPart: RequestPart?
    /// Nil if the request could not be built.
    public let call: TransportCall?
    /// Nil if no complete response arrived.
    public let response: Response?
    /// The HTTP status, or the status of the envelope if it reports a failure. Also the status of a success
    /// that came before the rest of the request could not be sent.
    public let statusCode: Int?

    /// The result code in the upstream's envelope, if it has one.
    public let upstreamCode: String?
    /// The message in the upstream's envelope, if it has one. Clients see it only if the endpoint allows it.
    public let upstreamMessage: String?
    /// The data in the envelope of a failure.
    public let payload: JSONFragment?
    /// The underlying error: a `TransportError`, a `JSONError` or a `DecodingError`.
    public let underlying: (any Error)?

    /// Number of attempts; 0 if none was made.
    public let attempts: Int
    /// Why the provider made no further attempt, although its policy had attempts left and the failure may
    /// pass. Nil if it retried as often as the policy allows, or if a retry would not help. `method` and
    /// `reason` are only about requests that were sent.
    public let notRetried: RetryObstacle?
    /// Time from the subscription to the failure, including all attempts and waits.
    public let elapsed: Duration
    /// Whether the same request may be sent again and may succeed later. False for a method that is not
    /// idempotent, unless nothing was sent. Clients may be told; the provider has already made its retries.
    public let isRetryable: Bool
    /// How long to wait before another call: the upstream's `Retry-After`, or what its open circuit or a
    /// limit asks for.
    public let retryAfter: Duration?

    init(
        kind: OutcomeKind, reason: FailureReason, message: String, upstream: String, call: TransportCall?,
        response: Response? = nil, statusCode: Int? = nil, envelope: OpenedEnvelope? = nil,
        underlying: (any Error)? = nil, attempts: Int, notRetried: RetryObstacle? = nil,
        elapsed: Duration, isRetryable: Bool, retryAfter: Duration? = nil, requestPart: RequestPart? = nil
    ) {
        self.kind = kind
        self.reason = reason
        self.message = message
        self.upstream = upstream
        self.requestPart = requestPart
        self.call = call
        self.response = response
        self.statusCode = statusCode
        upstreamCode = envelope?.code
        upstreamMessage = envelope?.message
        payload = envelope?.data
        self.underlying = underlying
        self.attempts = attempts
        self.notRetried = notRetried
        self.elapsed = elapsed
        self.isRetryable = isRetryable
        self.retryAfter = retryAfter
    }
}

extension NetworkError {
    /// Creates the error of a call without a complete response.
    init(
        _ failure: TransportError, call: TransportCall, attempts: Int, notRetried: RetryObstacle? = nil,
        elapsed: Duration
    ) {
        self.init(
            kind: .networkFail, reason: failure.reason,
            message: failure.summary ?? failure.reason.text(for: call), upstream: call.upstream.name,
            call: call, statusCode: failure.status?.code, underlying: failure, attempts: attempts,
            notRetried: notRetried, elapsed: elapsed,
            isRetryable: failure.reason.isTransient && (call.method.isIdempotent || !failure.wasSent),
            retryAfter: failure.retryAfter)
    }

    /// Creates the error of a request that could not be built.
    init(unbuilt fault: RequestFault, upstream: String) {
        self.init(
            kind: .networkFail, reason: .requestError, message: fault.message, upstream: upstream, call: nil,
            underlying: fault.underlying, attempts: 0, elapsed: .zero, isRetryable: false,
            requestPart: fault.part)
    }

    /// Creates the error of a response that counts as a failure.
    init(
        _ response: Response, kind: OutcomeKind, reason: FailureReason, message: String,
        statusCode: Int? = nil,
        envelope: OpenedEnvelope? = nil, underlying: (any Error)? = nil
    ) {
        let status = statusCode ?? response.statusCode
        let isTransient =
            kind != .pathErr && kind != .noContent && RetryMachine.isTransient(status)
        self.init(
            kind: kind, reason: reason, message: message, upstream: response.call.upstream.name,
            call: response.call, response: response, statusCode: status, envelope: envelope,
            underlying: underlying, attempts: response.attempts,
            notRetried: isTransient ? response.obstacle : nil, elapsed: response.elapsed,
            isRetryable: isTransient && response.call.method.isIdempotent, retryAfter: response.retryAfter)
    }
}

extension Response {
    /// Why a response with a failure that may pass was not followed by another attempt. The status of an
    /// envelope is read after the policy has decided, so the policy never retries it.
    fileprivate var obstacle: RetryObstacle? {
        guard attempts < call.settings.policy.retry.maxAttempts else { return nil }
        return notRetried ?? (call.method.isIdempotent ? .reason : .method)
    }
}

extension NetworkError: CustomStringConvertible {
    /// What is wrong, in words.
    public var description: String {
        let path = call.map { " \($0.method.rawValue) \($0.path)" } ?? ""
        return "\(upstream)\(path): \(kind.rawValue) \(reason.token): \(message) (attempts \(attempts))"
    }
}

extension FailureReason {
    /// Describes the failure without revealing the upstream's location.
    fileprivate func text(for call: TransportCall) -> String {
        switch self {
        case .connectionReadTimeout: "no response within \(call.limits.firstByte.wholeMilliseconds) ms"
        case .connectionTimeout: "no connection within \(call.limits.connect.wholeMilliseconds) ms"
        case .responseTimeout:
            "no complete response within \(call.timeout.wholeMilliseconds) ms"
        case .deadlineExceeded: "no response by the request's deadline"
        case .dnsError: "the upstream's name does not resolve"
        case .dnsTimeout: "resolving the upstream's name timed out"
        case .destinationUnavailable: "the upstream is unreachable"
        case .connectionRefused: "the connection was refused"
        case .connectionTerminated: "the connection ended before a response"
        case .connectionWriteTimeout: "sending the request timed out"
        case .responseIncomplete: "the response was incomplete"
        case .tlsProtocolError, .tlsCertificateError, .tlsAlertReceived: "no secure connection"
        case .protocolError: "the response is not valid HTTP"
        case .responseHeadSize: "the response head is too large"
        case .responseBodySize: "the response body is too large"
        case .responseContentCoding: "the body cannot be decoded"
        case .responseTransferCoding: "the body is in an unknown transfer coding"
        case .connectionLimitReached: "no connection is free"
        case .concurrencyLimit: "the upstream has too many calls in flight"
        case .memoryLimit: "too many large responses are in memory"
        case .circuitOpen: "the upstream failed too often recently"
        case .requestError: "the request cannot be sent"
        default: "the call failed"
        }
    }
}

extension Duration {
    fileprivate var wholeMilliseconds: Int64 { nanoseconds / 1_000_000 }
}
