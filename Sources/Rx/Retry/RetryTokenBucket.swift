import Synchronization

/// A budget of retries that any number of streams share: each retry takes a token, each success gives back a part of one.
/// While all goes well nobody notices it; when most fail, retries end at the given share of the successes and first
/// attempts alone go on, so that whoever is in trouble is not asked several times as much just then.
///
/// It knows no time and no thread: one atomic word.
public final class RetryTokenBucket: Sendable {
    // Thousandths of a token.
    private let capacity: Int
    private let deposit: Int
    private let tokens: Atomic<Int>

    /// A full one.
    ///
    /// - Parameters:
    ///   - capacity: the most tokens it holds, hence the most retries in a row without a success. Default 10.
    ///   - depositPerSuccess: what a success puts back, in thousandths of a token rounded. Default 0.2: retries are at
    ///     most a fifth of the successes in the long run.
    public init(capacity: Int = 10, depositPerSuccess: Double = 0.2) {
        precondition((0...1_000_000_000).contains(capacity), "a budget cannot hold \(capacity) tokens")
        precondition(
            depositPerSuccess >= 0 && depositPerSuccess <= 1_000_000,
            "a success cannot put \(depositPerSuccess) tokens back")
        self.capacity = capacity * 1000
        deposit = Int((depositPerSuccess * 1000).rounded())
        tokens = Atomic(capacity * 1000)
    }

    /// The tokens there are.
    public var balance: Double {
        Double(tokens.load(ordering: .relaxed)) / 1000
    }

    /// A success.
    public func succeeded() {
        var current = tokens.load(ordering: .relaxed)
        while current < capacity {
            let (exchanged, original) = tokens.weakCompareExchange(
                expected: current, desired: min(current + deposit, capacity), ordering: .relaxed)
            if exchanged { return }
            current = original
        }
    }

    /// Takes a token for a retry. False where there is no whole one.
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
