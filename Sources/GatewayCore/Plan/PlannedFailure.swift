import EndpointPlans
import Networking

/// Why a part failed without a failed call of its own.
struct PlannedFailure: Error {
    let kind: OutcomeKind
    let reason: FailureReason
    var status: Int?
    /// A sentence for the client.
    let message: String
    var attempts = 0
    var isRetryable = false
    let answer: FailureAnswer
    var unexpected: (any Error)?
    /// What is wrong with a claim of the caller, for logs.
    var unfitClaim: String?

    /// A value that a part reads is missing.
    static func missing(_ name: String, from origin: ValueOrigin) -> PlannedFailure {
        unfit(.missingData, "\(name) is missing", origin)
    }

    /// A value that a part reads is not what its place needs. Nothing was sent.
    static func unusable(_ message: String, from origin: ValueOrigin) -> PlannedFailure {
        unfit(.decodeError, message, origin)
    }

    /// The client learns that the caller's claims are at fault, but not which claim and why.
    private static func unfit(
        _ reason: FailureReason, _ message: String, _ origin: ValueOrigin
    ) -> PlannedFailure {
        let isClaim = origin == .caller
        return PlannedFailure(
            kind: .pathErr, reason: reason,
            message: isClaim ? "a claim of the caller is missing or not usable here" : message,
            answer: answer(origin), unfitClaim: isClaim ? message : nil)
    }

    /// A list has more elements than there may be calls. It is not cut, and no call is made.
    ///
    /// - Parameter name: the list, as messages name it.
    static func tooManyElements(
        _ name: String, _ rules: ItemRules, from origin: ValueOrigin
    ) -> PlannedFailure {
        unusable("\(name) has more than \(rules.limit) elements", from: origin)
    }

    /// The responses for a part are not what it needs.
    static func unusableResponse(_ message: String) -> PlannedFailure {
        PlannedFailure(
            kind: .pathErr, reason: .decodeError, message: message, answer: FailureAnswer(status: 502))
    }

    /// The response for a part breaks its schema.
    static func brokenContract() -> PlannedFailure {
        PlannedFailure(
            kind: .pathErr, reason: .responseContract, message: "the response does not follow its contract",
            attempts: 1, answer: FailureAnswer(status: 502))
    }

    private static func answer(_ origin: ValueOrigin) -> FailureAnswer {
        let status =
            switch origin {
            case .client: 400
            case .caller: 403
            case .constant, .upstream: 502
            }
        return FailureAnswer(status: status, isBeforeCall: true)
    }

    /// What the part composes has no room in the memory for bodies.
    static func outOfMemory(_ composed: String) -> PlannedFailure {
        noRoom("too many large \(composed) are in memory")
    }

    /// Too many large values wait for the threads that make parts and calls of them.
    static func tooMuchWork() -> PlannedFailure { noRoom("too many large values wait to be read") }

    private static func noRoom(_ message: String) -> PlannedFailure {
        var answer = FailureAnswer(status: 503)
        // At random, so that the clients do not come back together.
        answer.retryAfter = Int.random(in: 1...3)
        return PlannedFailure(
            kind: .networkFail, reason: .memoryLimit, message: message, isRetryable: true, answer: answer)
    }

    /// The part was not requested, because a part that it reads has failed. It has the kind, the status and
    /// the answer of that part.
    static func dependency(_ name: String, _ failure: PartFailure) -> PlannedFailure {
        var answer = FailureAnswer(status: failure.answer.status)
        answer.retryAfter = failure.answer.retryAfter
        answer.challenges = failure.answer.challenges
        return PlannedFailure(
            kind: failure.kind, reason: .dependencyFailed, status: failure.status,
            message: "it needs \(name), which failed", isRetryable: failure.isRetryable, answer: answer)
    }

    /// Too few elements succeeded. The decisive failure of an element is the part's.
    static func items(_ failure: PartFailure, _ message: String, attempts: Int) -> PlannedFailure {
        PlannedFailure(
            kind: failure.kind, reason: failure.reason, status: failure.status, message: message,
            attempts: attempts, isRetryable: failure.isRetryable, answer: failure.answer,
            unexpected: failure.unexpected, unfitClaim: failure.unfitClaim)
    }
}

extension PartFailure {
    convenience init(_ error: PlannedFailure, elapsed: Int64) {
        self.init(
            kind: error.kind, reason: error.reason, status: error.status, message: error.message,
            attempts: error.attempts, elapsedMilliseconds: Int(elapsed / 1_000_000),
            isRetryable: error.isRetryable, answer: error.answer, unexpected: error.unexpected,
            unfitClaim: error.unfitClaim)
    }
}
