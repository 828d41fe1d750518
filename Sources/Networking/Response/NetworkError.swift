import HTTPModel
public import JSONBytes

/// The one failure of the client, with all that is known about it. `MoyaError`, `ResultError`, `SessionError` and
/// `RouterManagerError` are views of it for code that speaks in their terms.
public struct NetworkError: Error, Sendable {
    /// What became of the call. Never `success`; `noContent` where a model was asked for and the answer was nothing.
    public let kind: OutcomeKind
    /// Why: one of a bounded set, fit for a metric's label.
    public let reason: FailureReason
    /// One line for people: no host, field, body or query in it, so it may be shown to a client.
    public let message: String

    /// The upstream's name.
    public let upstream: String
    /// What of the request could not be built; nil where it was.
    public let requestPart: RequestPart?
    /// Nil where the request could not be built.
    public let call: TransportCall?
    /// Nil where no whole response came.
    public let response: Response?
    /// The call's status: HTTP's, or the envelope's where that one says failure.
    public let statusCode: Int?

    /// What the upstream's own envelope calls the failure, where it speaks one.
    public let upstreamCode: String?
    /// The upstream's own words, where it speaks an envelope. Not for a client unless its endpoint says so.
    public let upstreamMessage: String?
    /// The data in the envelope of a failure.
    public let payload: JSONFragment?
    /// What lies beneath: a `TransportError`, a `JSONError`, a `DecodingError`.
    public let underlying: (any Error)?

    /// Attempts made; 0 where nothing was sent.
    public let attempts: Int
    /// From the subscription to the failure, all attempts and waits included.
    public let elapsed: Duration
    /// Whether the same request may succeed later: what a client may be told. (Retries that make sense were made.)
    public let isRetryable: Bool
    /// What the upstream asked to wait before the next request.
    public let retryAfter: Duration?

    init(
        kind: OutcomeKind, reason: FailureReason, message: String, upstream: String, call: TransportCall?,
        response: Response? = nil, statusCode: Int? = nil, envelope: OpenedEnvelope? = nil,
        underlying: (any Error)? = nil, attempts: Int, elapsed: Duration, isRetryable: Bool,
        retryAfter: Duration? = nil, requestPart: RequestPart? = nil
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
        self.elapsed = elapsed
        self.isRetryable = isRetryable
        self.retryAfter = retryAfter
    }
}

extension NetworkError {
    /// No whole answer came.
    init(_ failure: TransportError, call: TransportCall, attempts: Int, elapsed: Duration) {
        self.init(
            kind: .networkFail, reason: failure.reason, message: failure.reason.text(for: call),
            upstream: call.upstream.name, call: call, underlying: failure, attempts: attempts,
            elapsed: elapsed,
            isRetryable: failure.reason.isTransient && call.method.isIdempotent)
    }

    /// The request could not be built.
    init(unbuilt fault: RequestFault, upstream: String) {
        self.init(
            kind: .networkFail, reason: .requestError, message: fault.message, upstream: upstream, call: nil,
            underlying: fault.underlying, attempts: 0, elapsed: .zero, isRetryable: false,
            requestPart: fault.part)
    }

    /// An answer came and was read as a failure.
    init(
        _ response: Response, kind: OutcomeKind, reason: FailureReason, message: String,
        statusCode: Int? = nil,
        envelope: OpenedEnvelope? = nil, underlying: (any Error)? = nil
    ) {
        let status = statusCode ?? response.statusCode
        let isTransient =
            kind != .pathErr && kind != .noContent
            && (status == 408 || status == 429 || (502...504).contains(status))
        self.init(
            kind: kind, reason: reason, message: message, upstream: response.call.upstream.name,
            call: response.call, response: response, statusCode: status, envelope: envelope,
            underlying: underlying, attempts: response.attempts, elapsed: response.elapsed,
            isRetryable: isTransient && response.call.method.isIdempotent, retryAfter: response.retryAfter)
    }
}

extension NetworkError: CustomStringConvertible {
    public var description: String {
        let path = call.map { " \($0.method.rawValue) \($0.path)" } ?? ""
        return "\(upstream)\(path): \(kind.rawValue) \(reason.token): \(message) (attempts \(attempts))"
    }
}

extension FailureReason {
    /// In words that tell a client what happened and nothing about where.
    fileprivate func text(for call: TransportCall) -> String {
        switch self {
        case .connectionReadTimeout: "no response within \(call.limits.firstByte.wholeMilliseconds) ms"
        case .connectionTimeout: "no connection within \(call.limits.connect.wholeMilliseconds) ms"
        case .responseTimeout:
            "no whole response within \(call.timeout.wholeMilliseconds) ms"
        case .deadlineExceeded: "no response by the request's deadline"
        case .dnsError: "its name does not resolve"
        case .dnsTimeout: "its name was not resolved in time"
        case .destinationUnavailable: "there is no way to it"
        case .connectionRefused: "the connection was refused"
        case .connectionTerminated: "the connection ended before a response"
        case .connectionWriteTimeout: "it did not take the request in time"
        case .responseIncomplete: "the response was cut short"
        case .tlsProtocolError, .tlsCertificateError, .tlsAlertReceived: "no secure connection"
        case .protocolError: "what came is not HTTP"
        case .responseHeadSize: "the header is too large"
        case .responseBodySize: "the body is too large"
        case .responseContentCoding: "the body is in an unknown content coding"
        case .responseTransferCoding: "the body is in an unknown transfer coding"
        case .connectionLimitReached: "too many calls are waiting for a connection"
        case .circuitOpen: "it has failed too often of late"
        case .requestError: "the request cannot be sent"
        default: "the call failed"
        }
    }
}

extension Duration {
    fileprivate var wholeMilliseconds: Int64 { nanoseconds / 1_000_000 }
}
