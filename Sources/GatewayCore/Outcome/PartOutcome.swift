import JSONBytes
import Networking

/// How one part ended. Every part ends in one of these; none fails the stream it comes from.
struct PartOutcome: Sendable {
    let kind: OutcomeKind
    /// What the part brought: `null` where it failed or had no content.
    private(set) var value: JSONFragment
    /// Why it failed; `nil` for `success` and `noContent`.
    let failure: PartFailure?
    /// Nanoseconds from the part's start to its end.
    let elapsed: Int64

    /// A value ends the part well; `null` is the answer that there is nothing.
    init(_ value: consuming JSONFragment, elapsed: Int64) {
        kind = value.isNull ? .noContent : .success
        self.value = value
        failure = nil
        self.elapsed = elapsed
    }

    init(_ failure: PartFailure, elapsed: Int64) {
        kind = failure.kind
        value = .null
        self.failure = failure
        self.elapsed = elapsed
    }

    /// Reads what a stream failed with. A model that was asked for where the answer was that there is nothing fails the
    /// stream, and not the part.
    init(error: any Error, elapsed: Int64, reveals: Bool) {
        if let error = error as? NetworkError, error.kind == .noContent {
            self.init(.null, elapsed: elapsed)
        } else {
            self.init(PartFailure(error, elapsed: elapsed, reveals: reveals), elapsed: elapsed)
        }
    }

    /// Lets go of what the part brought; how it ended stays.
    mutating func dropValue() {
        value = .null
    }
}

/// Why a part failed, and what answer that calls for where the part is required.
///
/// Holds what a client may see, and no word of an upstream's.
final class PartFailure: Sendable {
    let kind: OutcomeKind
    let reason: FailureReason
    /// The status that counts as the call's: HTTP's, or the one inside the upstream's envelope.
    let status: Int?
    /// The status of the upstream's HTTP answer, where there was one.
    let receivedStatus: Int?
    /// For a person who reads the answer.
    let message: String
    /// Attempts made; 0 where nothing was sent.
    let attempts: Int
    /// Whole milliseconds that the call took, all its attempts.
    let elapsedMilliseconds: Int
    let isRetryable: Bool
    /// The answer where this failure decides it.
    let answer: FailureAnswer
    /// For the incident hook: an error that no code of ours expects.
    let unexpected: (any Error)?

    init(
        kind: OutcomeKind, reason: FailureReason, status: Int? = nil, receivedStatus: Int? = nil,
        message: String, attempts: Int, elapsedMilliseconds: Int, isRetryable: Bool, answer: FailureAnswer,
        unexpected: (any Error)? = nil
    ) {
        self.kind = kind
        self.reason = reason
        self.status = status
        self.receivedStatus = receivedStatus
        self.message = message
        self.attempts = attempts
        self.elapsedMilliseconds = elapsedMilliseconds
        self.isRetryable = isRetryable
        self.answer = answer
        self.unexpected = unexpected
    }
}

/// The answer that a failed part calls for.
struct FailureAnswer: Sendable {
    let status: Int
    /// Seconds for `Retry-After`.
    var retryAfter: Int?
    /// The upstream's `WWW-Authenticate`, of a 401 that reaches the client.
    var challenges: [String] = []
    /// What a `GatewayError` from within the part says itself.
    var own: GatewayError?

    var code: ErrorCode { own?.code ?? ErrorCode(status: status) }

    /// Which failure decides among several: 503, 504, 502, then all others in the order of the plan. A fault of
    /// ours comes before them, as none of them would explain it.
    var rank: Int {
        switch status {
        case 500: 0
        case 503: 1
        case 504: 2
        case 502: 3
        default: 4
        }
    }

    /// The contract's table of outcomes.
    ///
    /// - Parameter forwardsAuthorization: whether the endpoint forwards the client's `Authorization` to the upstream,
    ///   so that its 401 or 403 is for the client.
    static func status(
        kind: OutcomeKind, reason: FailureReason, status: Int?, forwardsAuthorization: Bool
    ) -> Int {
        switch kind {
        case .success, .noContent:
            return 200
        case .requestErr:
            switch status {
            case .some(let status) where [404, 409, 410, 412, 422].contains(status): return status
            case 401 where forwardsAuthorization: return 401
            case 403 where forwardsAuthorization: return 403
            case 429: return 503
            default: return 502
            }
        case .pathErr:
            return 502
        case .serverErr:
            return reason == .internalError ? 500 : status == 503 || status == 504 ? status ?? 502 : 502
        case .networkFail:
            return self.status(of: reason)
        }
    }

    private static func status(of reason: FailureReason) -> Int {
        switch reason {
        case .dnsTimeout, .connectionTimeout, .connectionReadTimeout, .connectionWriteTimeout,
            .responseTimeout,
            .deadlineExceeded:
            504
        case .connectionLimitReached, .circuitOpen, .destinationUnavailable:
            503
        case .requestError:
            // A value of the client's that cannot stand in an upstream's path.
            400
        default:
            502
        }
    }
}
