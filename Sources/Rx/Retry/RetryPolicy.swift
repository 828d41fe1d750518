public import Dispatch

/// When a stream that failed is subscribed to again, and how long after.
///
///     let budget = RetryTokenBucket()
///     var policy = RetryPolicy(maxAttempts: 4, backoff: .exponential(base: .milliseconds(50), cap: .seconds(2)))
///     policy.isRetried = { error, _ in error is ConnectionLost }
///     policy.budget = budget
///     request.retry(policy, scheduler: scheduler)
public struct RetryPolicy: Sendable {
    /// Attempts in all, the first included; at least 1. Default 3.
    public var maxAttempts: Int
    /// The waits. Default: exponential from 100 ms, up to 30 s, with full jitter.
    public var backoff: Backoff
    /// Whether the stream is tried again after `error` of the attempt of that number, from 1. What it throws is the stream's
    /// error instead. Default: always.
    public var isRetried: @Sendable (_ error: any Error, _ attempt: Int) throws -> Bool = { _, _ in true }
    /// How long the error itself asks to wait, as `Retry-After` does: the wait is that and what the backoff draws, so that
    /// jitter only lengthens it, whatever the backoff's cap. Default: no error does.
    public var retryAfter: @Sendable (_ error: any Error) -> RxTimeInterval? = { _ in nil }
    /// An error that asks for a longer wait passes. Default 1 minute.
    public var longestRetryAfter: RxTimeInterval = .seconds(60)
    /// Where the retries are taken from; an error passes when it has none. Default: no such limit.
    public var budget: RetryTokenBucket?
    /// Draws from nothing to the bound it is given, in nanoseconds. For tests.
    public var random: @Sendable (_ bound: Int64) -> Int64 = { .random(in: 0...$0) }

    public init(maxAttempts: Int = 3, backoff: Backoff = .exponential(base: .milliseconds(100))) {
        self.maxAttempts = maxAttempts
        self.backoff = backoff
    }
}

/// What a policy says of one subscription's attempts: decides, and does nothing but take from the budget.
struct RetryProgress {
    private var failures = 0
    private var previous: Int64 = 0

    /// How long to wait after `error`, in nanoseconds; nil when it passes.
    mutating func wait(after error: any Error, _ policy: RetryPolicy) throws -> Int64? {
        failures += 1
        guard failures < policy.maxAttempts, try policy.isRetried(error, failures) else { return nil }
        let asked = policy.retryAfter(error).map { Int64($0.saturatedNanoseconds) } ?? 0
        guard asked <= Int64(policy.longestRetryAfter.saturatedNanoseconds) else { return nil }
        if let budget = policy.budget, !budget.takeRetry() { return nil }
        previous = policy.backoff.nanoseconds(
            afterFailures: failures, previous: previous, random: policy.random)
        return min(asked, (1 << 62) - previous) + previous
    }
}
