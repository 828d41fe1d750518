import Synchronization

/// A retry budget shared by any number of streams. Each retry takes a token and each success puts a fraction
/// of one back. While most attempts succeed, the budget has no effect. When most fail, the bucket runs empty
/// and only first attempts go through, so retries do not multiply the load on a failing server.
public final class RetryTokenBucket: Sendable {
    // In thousandths of a token.
    private let capacity: Int
    private let deposit: Int
    private let tokens: Atomic<Int>

    /// Creates a full bucket.
    ///
    /// - Parameters:
    ///   - capacity: The maximum number of tokens, and so of retries in a row without a success. Clamped to 0
    ///     to 1,000,000,000. Default 10.
    ///   - depositPerSuccess: The fraction of a token that a success puts back, rounded to thousandths and
    ///     clamped to 0 to 1,000,000. NaN counts as 0. Default 0.2, which limits retries to a fifth of the
    ///     successes in the long run.
    public init(capacity: Int = 10, depositPerSuccess: Double = 0.2) {
        let capacity = min(max(capacity, 0), 1_000_000_000) * 1000
        self.capacity = capacity
        deposit = depositPerSuccess > 0 ? Int((min(depositPerSuccess, 1_000_000) * 1000).rounded()) : 0
        tokens = Atomic(capacity)
    }

    /// The number of tokens left, including fractions.
    public var balance: Double { Double(tokens.load(ordering: .relaxed)) / 1000 }

    /// Puts back the fraction of a token for one success. The bucket holds at most its capacity.
    public func succeeded() {
        var current = tokens.load(ordering: .relaxed)
        while current < capacity {
            let (exchanged, original) = tokens.weakCompareExchange(
                expected: current, desired: min(current + deposit, capacity), ordering: .relaxed)
            if exchanged { return }
            current = original
        }
    }

    /// Takes a token for a retry. Returns false if less than one is left.
    public func takeRetry() -> Bool {
        var current = tokens.load(ordering: .relaxed)
        while current >= 1000 {
            let (exchanged, original) = tokens.weakCompareExchange(
                expected: current, desired: current - 1000, ordering: .relaxed)
            if exchanged { return true }
            current = original
        }
        return false
    }
}
