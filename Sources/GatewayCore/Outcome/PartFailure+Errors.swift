import HTTPModel
import JSONBytes
import Networking
import Rx

extension PartFailure {
    /// Makes the failure for the error that a part ended with. `elapsed` is in nanoseconds since the part's
    /// start; a `NetworkError` has its own time. `reveals` says whether the client may see the upstream's
    /// message.
    convenience init(_ error: any Error, elapsed: Int64, reveals: Bool) {
        switch error {
        case let error as NetworkError:
            if let fault = error.underlying as? Upstream.InvalidBaseURL {
                // A target computed the URL, so this is the endpoint's fault, and the client must not see the
                // address.
                self.init(unexpected: fault, elapsed: elapsed)
            } else if let thrown = error.underlying as? GatewayError {
                // By the model of the response.
                self.init(thrown, attempts: error.attempts, elapsed: error.elapsed.nanoseconds)
            } else {
                self.init(error, reveals: reveals)
            }
        case let error as GatewayError:
            self.init(error, attempts: 0, elapsed: elapsed)
        case let error as PlannedFailure:
            self.init(error, elapsed: elapsed)
        case let error as JSONShapeError:
            self.init(
                .pathErr, error.reason == .missing ? .missingData : .decodeError, error.description,
                elapsed: elapsed, isRetryable: false)
        case RxError.timeout:
            // From a `timeout` operator in the endpoint's pipeline.
            self.init(
                .networkFail, .responseTimeout, "no complete response in time", elapsed: elapsed,
                isRetryable: true)
        case RxError.noElements:
            self.init(
                .pathErr, .missingData, "the stream had no element", elapsed: elapsed, isRetryable: false)
        default:
            self.init(unexpected: error, elapsed: elapsed)
        }
    }

    /// A fault of the gateway or of an endpoint. The client learns nothing about it.
    private convenience init(unexpected error: any Error, elapsed: Int64) {
        self.init(
            kind: .serverErr, reason: .internalError, message: "the gateway failed to make this part",
            attempts: 0, elapsedMilliseconds: Int(elapsed / 1_000_000), isRetryable: false,
            answer: FailureAnswer(status: 500, gatewayError: .internal), unexpected: error)
    }

    /// A part that had not ended by the endpoint's deadline. `elapsed` is in nanoseconds since the part's
    /// start.
    convenience init(deadlineAfter elapsed: Int64, _ calls: PartCalls) {
        self.init(
            .networkFail, .deadlineExceeded, "not completed by the request's deadline",
            attempts: calls.attempts, notRetried: calls.hasAttemptsLeft ? .deadline : nil, elapsed: elapsed,
            isRetryable: calls.mayBeRepeated)
    }

    private convenience init(
        _ kind: OutcomeKind, _ reason: FailureReason, _ message: String, attempts: Int = 1,
        notRetried: RetryObstacle? = nil, elapsed: Int64, isRetryable: Bool
    ) {
        self.init(
            kind: kind, reason: reason, message: message, attempts: attempts, notRetried: notRetried,
            elapsedMilliseconds: Int(elapsed / 1_000_000), isRetryable: isRetryable,
            answer: FailureAnswer(
                status: FailureAnswer.status(
                    kind: kind, reason: reason, status: nil, forwardsCredentials: false)))
    }

    /// An error that the endpoint or its model threw for the part.
    private convenience init(_ error: GatewayError, attempts: Int, elapsed: Int64) {
        if let fault = error.code.fault {
            self.init(unexpected: fault, elapsed: elapsed)
            return
        }
        let status = error.code.status
        self.init(
            kind: status < 500 ? .requestErr : .serverErr, reason: .upstreamStatus, status: status,
            message: error.message, attempts: attempts, elapsedMilliseconds: Int(elapsed / 1_000_000),
            isRetryable: status == 429 || status == 503 || status == 504,
            answer: FailureAnswer(status: status, gatewayError: error))
    }

    private convenience init(_ error: NetworkError, reveals: Bool) {
        let status = FailureAnswer.status(
            kind: error.kind, reason: error.reason, status: error.statusCode,
            forwardsCredentials: error.call?.forwardsCredentials ?? false)
        var answer = FailureAnswer(status: status)
        if status == 503 {
            let received = error.retryAfter.map { Int(clamping: ($0.nanoseconds / 1_000_000 + 999) / 1_000) }
            // An upstream's 503 without Retry-After stays without one.
            answer.retryAfter = error.statusCode == 503 ? received : received ?? 1
        }
        if status == 401 { answer.challenges = error.response?.fields.values(of: .wwwAuthenticate) ?? [] }
        self.init(
            kind: error.kind, reason: error.reason, status: error.statusCode,
            receivedStatus: error.response?.statusCode,
            message: reveals ? error.upstreamMessage ?? error.message : error.message,
            attempts: error.attempts, notRetried: error.notRetried,
            elapsedMilliseconds: Int(error.elapsed.nanoseconds / 1_000_000),
            isRetryable: error.isRetryable, answer: answer)
    }
}
