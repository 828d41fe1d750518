import JSONBytes
import Networking
import Rx

/// How one part ended.
struct PartOutcome: Sendable {
    /// Nil if it was cancelled.
    let kind: OutcomeKind?
    /// `null` if the part failed or had no content.
    private(set) var value: JSONFragment
    /// `nil` for `success`, `noContent` and a cancelled part.
    let failure: PartFailure?
    /// Nanoseconds from the part's start to its end.
    let elapsed: Int64
    /// Nanoseconds from the request to the part's start, for a part of a pipeline; nil if it began with its
    /// stage.
    var began: Int64?
    /// The failed elements of an array, if the part has not failed with them; nil if none failed.
    private(set) var failedItems: [ItemFailure]?

    /// The outcome of a part that has called for each element of an array.
    init(_ end: ItemsEnd, elapsed: Int64) {
        self.init(end.value, elapsed: elapsed)
        if !end.failures.isEmpty { failedItems = end.failures }
    }

    /// The outcome of a part with a value; `null` means no content.
    init(_ value: consuming JSONFragment, elapsed: Int64) {
        kind = value.isNull ? .noContent : .success
        self.value = value
        failure = nil
        self.elapsed = elapsed
    }

    init(_ failure: PartFailure, elapsed: Int64) {
        self.init(failure.kind, failure, elapsed: elapsed)
    }

    private init(_ kind: OutcomeKind?, _ failure: PartFailure?, elapsed: Int64) {
        self.kind = kind
        value = .null
        self.failure = failure
        self.elapsed = elapsed
    }

    /// The outcome of a call that the gateway makes for itself: nobody gets its value. A status that is not
    /// 2xx is a failure, whatever the gateway makes of it.
    init(of call: Result<Response, any Error>, elapsed: Int64) {
        do {
            let response = try call.get().filterSuccessfulStatusCodes()
            self.init(response.data.isEmpty ? .noContent : .success, nil, elapsed: elapsed)
        } catch {
            self.init(error: error, elapsed: elapsed, reveals: false)
        }
    }

    /// The outcome of a part for whose end nobody waits.
    static func cancelled(elapsed: Int64) -> PartOutcome {
        PartOutcome(nil, nil, elapsed: elapsed)
    }

    /// The outcome for the error that a part ended with. If the endpoint decodes the body of a response
    /// without content, its stream fails, but the part does not.
    ///
    /// - Parameters:
    ///   - ownElapsed: the time of a part that waited for others, without the wait. By default `elapsed`.
    ///   - calls: the calls that the part has made; a failure after them has their attempts and status, and
    ///     is not retryable if one of them may not be repeated.
    init(
        error: any Error, elapsed: Int64, ownElapsed: @autoclosure () -> Int64? = nil, reveals: Bool,
        after calls: @autoclosure () -> PartCalls? = nil
    ) {
        guard let call = error as? NetworkError else {
            if case RxError.noElements = error, calls()?.attempts == 0 {
                // No upstream was asked, so none is at fault.
                let failure = PartFailure(
                    EndpointFault.emptyPart, elapsed: ownElapsed() ?? elapsed, reveals: reveals)
                self.init(failure, elapsed: elapsed)
                return
            }
            let failure = PartFailure(error, elapsed: ownElapsed() ?? elapsed, reveals: reveals)
            // The failure of elements counts the attempts for the failed elements.
            let isComplete = (error as? PlannedFailure).map { $0.attempts > 0 } ?? false
            let end = isComplete ? failure.unlessRepeating(calls()) : failure.after(calls())
            self.init(end, elapsed: elapsed)
            return
        }
        if call.kind == .noContent {
            self.init(.null, elapsed: elapsed)
        } else {
            let failure = PartFailure(error, elapsed: elapsed, reveals: reveals)
            self.init(failure.unlessRepeating(calls()), elapsed: elapsed)
        }
    }

    mutating func dropValue() {
        value = .null
    }
}

extension OutcomeKind? {
    /// The name in `meta.parts` and in logs. A part without a kind was cancelled: the request ended before
    /// the part did.
    package var partName: String { self?.rawValue ?? "cancelled" }
}

/// Why a part failed, and the answer if the part is required. Except for `unexpected` and `unfitClaim`, the
/// client may see all of it.
final class PartFailure: Sendable {
    let kind: OutcomeKind
    let reason: FailureReason
    /// The call's status: HTTP's, or the one inside the upstream's envelope.
    let status: Int?
    /// The status of the upstream's HTTP response; nil without a response.
    let receivedStatus: Int?
    let message: String
    /// Attempts made; 0 if nothing was sent.
    let attempts: Int
    /// Why the failed call was not retried although it could have been; nil if nothing held a retry back.
    let notRetried: RetryObstacle?
    /// Milliseconds that the call took with all its attempts.
    let elapsedMilliseconds: Int
    let isRetryable: Bool
    let answer: FailureAnswer
    /// The unexpected error to report to the incident hook; nil for an expected failure.
    let unexpected: (any Error)?
    /// Why a claim of the caller could not be used, for logs; nil for any other failure.
    let unfitClaim: String?

    init(
        kind: OutcomeKind, reason: FailureReason, status: Int? = nil, receivedStatus: Int? = nil,
        message: String, attempts: Int, notRetried: RetryObstacle? = nil, elapsedMilliseconds: Int,
        isRetryable: Bool, answer: FailureAnswer, unexpected: (any Error)? = nil, unfitClaim: String? = nil
    ) {
        self.kind = kind
        self.reason = reason
        self.status = status
        self.receivedStatus = receivedStatus
        self.message = message
        self.attempts = attempts
        self.notRetried = notRetried
        self.elapsedMilliseconds = elapsedMilliseconds
        self.isRetryable = isRetryable
        self.answer = answer
        self.unexpected = unexpected
        self.unfitClaim = unfitClaim
    }
}

extension PartFailure {
    /// Returns the failure of a part that made these calls and failed after them: a value could not be
    /// shaped, for example.
    fileprivate func after(_ calls: PartCalls?) -> PartFailure {
        guard let calls else { return self }
        return PartFailure(
            kind: kind, reason: reason, status: status ?? (kind == .pathErr ? calls.status : nil),
            receivedStatus: receivedStatus ?? (kind == .pathErr ? calls.status : nil), message: message,
            attempts: calls.attempts, notRetried: notRetried, elapsedMilliseconds: elapsedMilliseconds,
            isRetryable: isRetryable && calls.mayBeRepeated, answer: answer, unexpected: unexpected,
            unfitClaim: unfitClaim)
    }

    /// Returns the failure, not retryable if that would repeat a call of the part that may not be repeated.
    fileprivate func unlessRepeating(_ calls: @autoclosure () -> PartCalls?) -> PartFailure {
        guard isRetryable, calls()?.mayBeRepeated == false else { return self }
        return PartFailure(
            kind: kind, reason: reason, status: status, receivedStatus: receivedStatus, message: message,
            attempts: attempts, notRetried: notRetried, elapsedMilliseconds: elapsedMilliseconds,
            isRetryable: false, answer: answer, unexpected: unexpected, unfitClaim: unfitClaim)
    }
}

/// The answer if a failed part decides it.
struct FailureAnswer: Sendable {
    let status: Int
    /// Whether nothing was sent, because a value that the part reads is missing or unusable.
    var isBeforeCall = false
    /// Seconds for `Retry-After`.
    var retryAfter: Int?
    /// The upstream's `WWW-Authenticate` for a 401 that reaches the client.
    var challenges: [String] = []
    /// The `GatewayError` that the part threw, if any.
    var gatewayError: GatewayError?

    var code: ErrorCode { gatewayError?.code ?? ErrorCode(status: status) }

    /// The code, if the endpoint has declared it.
    var ownCode: ErrorCode? { gatewayError.flatMap { $0.code.isOwn ? $0.code : nil } }

    /// Of several failures the lowest rank decides the answer: 500, 503, 504, 502 or 508, then all others. An
    /// internal error comes first, because no other failure would explain it.
    var rank: Int {
        switch status {
        case 500: 0
        case 503: 1
        case 504: 2
        case 502, 508: 3
        default: 4
        }
    }

    /// Returns the answer's status for the outcome of a required part. If the endpoint forwards the client's
    /// `Authorization` or `Cookie` to the upstream, the upstream's 401 or 403 is meant for the client.
    static func status(
        kind: OutcomeKind, reason: FailureReason, status: Int?, forwardsCredentials: Bool
    ) -> Int {
        switch kind {
        case .success, .noContent:
            return 200
        case .requestErr:
            switch status {
            case .some(let status) where [404, 409, 410, 412, 422].contains(status): return status
            case 401 where forwardsCredentials: return 401
            case 403 where forwardsCredentials: return 403
            case 429: return 503
            default: return 502
            }
        case .pathErr:
            return 502
        case .serverErr:
            switch status {
            case _ where reason == .internalError: return 500
            // In a forwarding loop, a gateway repeats its call after 502, but not after 508.
            case .some(let status) where [503, 504, 508].contains(status): return status
            default: return 502
            }
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
        case .connectionLimitReached, .concurrencyLimit, .memoryLimit, .circuitOpen,
            .destinationUnavailable:
            503
        case .requestError:
            // The client sent a value that is not allowed in an upstream's path.
            400
        default:
            502
        }
    }
}
