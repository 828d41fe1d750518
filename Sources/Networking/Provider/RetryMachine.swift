import Rx

/// Decides what to do after a failed attempt, without doing it. Times are nanoseconds since the call began.
struct RetryMachine: Sendable {
    enum Decision: Equatable {
        /// The attempt's result is the call's result. `notRetried` is nil if the failure is final or the
        /// policy's attempts are used up.
        case finish(notRetried: RetryObstacle?)
        case retries(after: Int64)
    }

    enum Failure: Equatable {
        case reason(FailureReason)
        /// `retryAfter` is in nanoseconds from now.
        case status(Int, retryAfter: Int64?)

        var isTransient: Bool {
            switch self {
            case .reason(let reason): reason.isTransient
            case .status(let status, _): RetryMachine.isTransient(status)
            }
        }

        /// Whether nothing could be sent, because the address cannot be reached.
        var isUnsent: Bool {
            switch self {
            case .reason(.connectionRefused), .reason(.destinationUnavailable), .reason(.connectionTimeout),
                .reason(.dnsError), .reason(.dnsTimeout):
                true
            case .reason, .status: false
            }
        }
    }

    /// Number of attempts begun.
    private(set) var attempts: Int
    /// Whether some of the request may have reached the upstream in an attempt that has ended.
    private(set) var wasSent = false
    private var refusedSince: Int64?
    /// The backoff's last draw.
    private var drawn: Int64 = 0

    init(attempts: Int = 0) {
        self.attempts = attempts
    }

    mutating func attemptBegan() {
        attempts += 1
    }

    /// The last attempt was refused before anything was sent.
    mutating func attemptRefused() {
        attempts -= 1
    }

    /// An attempt has ended that may have sent something.
    mutating func attemptSent() { wasSent = true }

    /// Decides about a failed attempt of a call with an idempotent method.
    ///
    /// - Parameters:
    ///   - now: time since the call began.
    ///   - end: time by which the call must be over.
    ///   - random: draws a number from 0 to the given bound.
    mutating func attemptFailed(
        _ failure: Failure, at now: Int64, end: Int64, policy: CallRetryPolicy, random: (Int64) -> Int64
    ) -> Decision {
        guard end > now else { return finish(failure, policy, because: .deadline) }
        guard attempts < policy.maxAttempts else { return .finish(notRetried: nil) }
        let left = end - now
        let wait: Int64
        switch failure {
        case .reason(let reason):
            guard reason.isRetried else { return finish(failure, policy, because: .reason) }
            draw(policy, random)
            if reason == .connectionRefused {
                let since = refusedSince ?? now
                refusedSince = since
                let refusedLeft = max(0, policy.refusedLimit.nanoseconds) - max(0, now - since)
                guard refusedLeft > 0 else { return .finish(notRetried: nil) }
                wait = min(drawn, refusedLeft)
            } else {
                wait = drawn
            }
        case .status(let status, let retryAfter):
            guard RetryMachine.isRetried(status, hasRetryAfter: retryAfter != nil) else {
                return finish(failure, policy, because: .reason)
            }
            if let retryAfter {
                guard retryAfter < left else { return finish(failure, policy, because: .deadline) }
                // Jitter only extends the requested wait and leaves half of the remaining time to the
                // attempt.
                draw(policy, random)
                wait = retryAfter + min(drawn, (left - retryAfter) / 2)
            } else {
                draw(policy, random)
                wait = drawn
            }
        }
        guard wait < left else { return finish(failure, policy, because: .deadline) }
        return .retries(after: wait)
    }

    /// Whether a failed attempt may be repeated at once at another address.
    ///
    /// If nothing could be sent, it may with each method and policy, as if the connection had been opened to
    /// the other address in the first place. A connection that was cut needs a call that may be repeated.
    func mayMove(after failure: Failure, isIdempotent: Bool, _ policy: CallRetryPolicy) -> Bool {
        switch failure {
        case _ where failure.isUnsent: true
        case .reason(.connectionTerminated): isIdempotent && attempts < policy.maxAttempts
        case .reason, .status: false
        }
    }

    /// Ends the call. Keeps the obstacle only if the policy had attempts left and the failure may pass, and
    /// if the obstacle applies to a call of which nothing was sent.
    func finish(_ failure: Failure, _ policy: CallRetryPolicy, because obstacle: RetryObstacle) -> Decision {
        let isHeldBack =
            attempts > 0 && attempts < policy.maxAttempts && failure.isTransient
            && (wasSent || !obstacle.isAboutSentRequests)
        return .finish(notRetried: isHeldBack ? obstacle : nil)
    }

    static func isRetried(_ status: Int, hasRetryAfter: Bool) -> Bool {
        switch status {
        case 502, 503, 504: true
        case 429: hasRetryAfter
        default: false
        }
    }

    /// Whether the same request may succeed later.
    static func isTransient(_ status: Int) -> Bool {
        status == 408 || status == 429 || (502...504).contains(status)
    }

    private mutating func draw(_ policy: CallRetryPolicy, _ random: (Int64) -> Int64) {
        drawn = policy.backoff.nanoseconds(afterFailures: attempts, previous: drawn, random: random)
    }
}
