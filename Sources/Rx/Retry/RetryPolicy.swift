public import Dispatch

/// When and how often to subscribe again to a failed stream.
///
///     let budget = RetryTokenBucket()
///     var policy = RetryPolicy(
///         maxAttempts: 4, backoff: .exponential(base: .milliseconds(50), cap: .seconds(2)))
///     policy.isRetried = { error, _ in error is ConnectionLost }
///     policy.budget = budget
///     request.retry(policy, scheduler: scheduler)
public struct RetryPolicy: Sendable {
    /// The total number of attempts, including the first. At least 1. Default 3.
    public var maxAttempts: Int
    /// The wait before each retry. Default: exponential from 100 ms up to 30 s, with full jitter.
    public var backoff: Backoff
    /// Whether to retry after `error` in `attempt`, counted from 1. An error thrown here replaces it.
    /// Default: always.
    public var isRetried: @Sendable (_ error: any Error, _ attempt: Int) throws -> Bool = { _, _ in true }
    /// The wait that the error itself requests, such as a `Retry-After` field. It is added to the backoff, so
    /// that jitter never shortens it, and the backoff's cap does not apply. Default: nil for every error.
    public var retryAfter: @Sendable (_ error: any Error) -> RxTimeInterval? = { _ in nil }
    /// An error that requests a longer wait is not retried. Default 1 minute.
    public var longestRetryAfter: RxTimeInterval = .seconds(60)
    /// The budget that pays for retries. While it is empty, errors are not retried. Default: no budget.
    public var budget: RetryTokenBucket?
    /// Returns a random number between 0 and `bound`, in nanoseconds. Replaceable for tests.
    public var random: @Sendable (_ bound: Int64) -> Int64 = { .random(in: 0...$0) }

    /// Creates a policy that retries every error, without a budget.
    public init(maxAttempts: Int = 3, backoff: Backoff = .exponential(base: .milliseconds(100))) {
        self.maxAttempts = maxAttempts
        self.backoff = backoff
    }
}

/// Applies a policy to the attempts of one subscription. Its only side effect is to take from the budget.
struct RetryProgress {
    private var failures = 0
    private var previous: Int64 = 0

    /// Returns how long to wait after `error`, in nanoseconds, or nil if it is not retried.
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
