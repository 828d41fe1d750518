import HTTPModel
import Networking
import Rx

extension PartFailure {
    /// Reads what a part's stream failed with.
    ///
    /// - Parameters:
    ///   - elapsed: nanoseconds since the part was started, where the error does not know better.
    ///   - reveals: whether the client may see the upstream's own words.
    convenience init(_ error: any Error, elapsed: Int64, reveals: Bool) {
        switch error {
        case let error as NetworkError:
            if let fault = error.underlying as? Upstream.InvalidBaseURL {
                // A target computed it: the fault is the endpoint's, and the address is not for the client.
                self.init(unexpected: fault, elapsed: elapsed)
            } else {
                self.init(error, reveals: reveals)
            }
        case let error as GatewayError:
            self.init(error, elapsed: elapsed)
        case RxError.timeout:
            // A `timeout` of the endpoint's own, within the pipeline.
            self.init(
                .networkFail, .responseTimeout, "no whole response in time", elapsed: elapsed,
                isRetryable: true)
        case RxError.noElements:
            self.init(.pathErr, .missingData, "the answer has nothing", elapsed: elapsed, isRetryable: false)
        default:
            self.init(unexpected: error, elapsed: elapsed)
        }
    }

    /// A fault of the gateway's or of an endpoint's, of which the client learns nothing.
    private convenience init(unexpected error: any Error, elapsed: Int64) {
        self.init(
            kind: .serverErr, reason: .internalError, message: "the gateway failed to make this part",
            attempts: 0, elapsedMilliseconds: Int(elapsed / 1_000_000), isRetryable: false,
            answer: FailureAnswer(status: 500, own: .internal), unexpected: error)
    }

    /// A part that was not done by the endpoint's deadline.
    convenience init(deadlineAfter elapsed: Int64) {
        self.init(
            .networkFail, .deadlineExceeded, "not done by the request's deadline", elapsed: elapsed,
            isRetryable: true)
    }

    private convenience init(
        _ kind: OutcomeKind, _ reason: FailureReason, _ message: String, elapsed: Int64, isRetryable: Bool
    ) {
        self.init(
            kind: kind, reason: reason, message: message, attempts: 1,
            elapsedMilliseconds: Int(elapsed / 1_000_000), isRetryable: isRetryable,
            answer: FailureAnswer(
                status: FailureAnswer.status(
                    kind: kind, reason: reason, status: nil, forwardsAuthorization: false)))
    }

    /// What the endpoint itself says of its part.
    private convenience init(_ error: GatewayError, elapsed: Int64) {
        let status = error.code.status
        self.init(
            kind: status < 500 ? .requestErr : .serverErr, reason: .upstreamStatus, status: status,
            message: error.message, attempts: 0, elapsedMilliseconds: Int(elapsed / 1_000_000),
            isRetryable: status == 429 || status == 503 || status == 504,
            answer: FailureAnswer(status: status, own: error))
    }

    private convenience init(_ error: NetworkError, reveals: Bool) {
        let status = FailureAnswer.status(
            kind: error.kind, reason: error.reason, status: error.statusCode,
            forwardsAuthorization: error.call?.forwardsAuthorization ?? false)
        var answer = FailureAnswer(status: status)
        if status == 503 {
            let asked = error.retryAfter.map { Int(clamping: ($0.nanoseconds / 1_000_000 + 999) / 1_000) }
            // An upstream that answered 503 without a word on when is not asked to have one.
            answer.retryAfter = error.statusCode == 503 ? asked : asked ?? 1
        }
        if status == 401 { answer.challenges = error.response?.fields.values(of: .wwwAuthenticate) ?? [] }
        self.init(
            kind: error.kind, reason: error.reason, status: error.statusCode,
            receivedStatus: error.response?.statusCode,
            message: reveals ? error.upstreamMessage ?? error.message : error.message,
            attempts: error.attempts,
            elapsedMilliseconds: Int(error.elapsed.nanoseconds / 1_000_000),
            isRetryable: error.isRetryable, answer: answer)
    }
}
