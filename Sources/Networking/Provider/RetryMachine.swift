import Rx

/// What to do after an attempt: a value that decides, and does nothing. Times are nanoseconds since the call began.
struct RetryMachine: Sendable {
    enum Decision: Equatable {
        /// The attempt's outcome is the call's.
        case stands
        /// Wait, then send again.
        case retries(after: Int64)
    }

    /// What of an attempt's failure matters here.
    enum Failure: Equatable {
        case reason(FailureReason)
        /// `retryAfter` in nanoseconds from now.
        case status(Int, retryAfter: Int64?)
    }

    /// Attempts begun so far.
    private(set) var attempts: Int
    private var refusedSince: Int64?
    /// What the backoff drew last.
    private var drawn: Int64 = 0

    init(attempts: Int = 0) {
        self.attempts = attempts
    }

    mutating func attemptBegan() {
        attempts += 1
    }

    /// What to do about an attempt of a call by an idempotent method.
    ///
    /// - Parameters:
    ///   - now: since the call began.
    ///   - end: when the call has to be over.
    ///   - random: draws from nothing to the bound it is given.
    mutating func attemptFailed(
        _ failure: Failure, at now: Int64, end: Int64, policy: CallRetryPolicy, random: (Int64) -> Int64
    ) -> Decision {
        guard attempts < policy.maxAttempts, end > now else { return .stands }
        let left = end - now
        let wait: Int64
        switch failure {
        case .reason(let reason):
            guard reason.isRetried else { return .stands }
            draw(policy, random)
            if reason == .connectionRefused {
                let since = refusedSince ?? now
                refusedSince = since
                let refusedLeft = max(0, policy.refusedLimit.nanoseconds) - max(0, now - since)
                guard refusedLeft > 0 else { return .stands }
                wait = min(drawn, refusedLeft)
            } else {
                wait = drawn
            }
        case .status(let status, let retryAfter):
            guard RetryMachine.isRetried(status, hasRetryAfter: retryAfter != nil) else { return .stands }
            if let retryAfter {
                guard retryAfter < left else { return .stands }
                // Jitter only lengthens what the upstream asked for, and leaves half of the rest to the attempt.
                draw(policy, random)
                wait = retryAfter + min(drawn, (left - retryAfter) / 2)
            } else {
                draw(policy, random)
                wait = drawn
            }
        }
        guard wait < left else { return .stands }
        return .retries(after: wait)
    }

    static func isRetried(_ status: Int, hasRetryAfter: Bool) -> Bool {
        switch status {
        case 502, 503, 504: true
        case 429: hasRetryAfter
        default: false
        }
    }

    private mutating func draw(_ policy: CallRetryPolicy, _ random: (Int64) -> Int64) {
        drawn = policy.backoff.nanoseconds(afterFailures: attempts, previous: drawn, random: random)
    }
}
