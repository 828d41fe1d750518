internal import Synchronization

/// Counts attempts and failures of the last seconds in ten buckets. One thread counts; any thread may read
/// the sum.
public final class AttemptWindow: Sendable {
    /// Counts of attempts and of failures.
    public struct Counts: Sendable, Hashable {
        /// All attempts.
        public var attempts = 0
        /// The attempts that failed.
        public var failures = 0

        /// Creates counts.
        public init(attempts: Int = 0, failures: Int = 0) {
            self.attempts = attempts
            self.failures = failures
        }

        /// Returns the sums of both.
        public static func + (one: Counts, other: Counts) -> Counts {
            Counts(attempts: one.attempts + other.attempts, failures: one.failures + other.failures)
        }
    }

    private static var bucketCount: Int64 { 10 }

    /// Each has the number of its period, its attempts and its failures in one word, so that a reader never
    /// sees a mixture of two periods.
    private let buckets = InlineArray<10, Atomic<UInt64>> { _ in Atomic(0) }
    private let width: Int64

    /// - Parameter window: at least 10 ns.
    public init(_ window: Duration) {
        width = max(1, window.wholeNanoseconds / Self.bucketCount)
    }

    /// Counts an attempt that has ended. Only one thread may call it.
    ///
    /// - Parameter now: nanoseconds of a monotonic clock.
    public func count(isFailure: Bool, at now: Int64) {
        let period = now / width
        let index = Int(period % Self.bucketCount)
        var word = Word(bits: buckets[index].load(ordering: .relaxed))
        if word.period != UInt32(truncatingIfNeeded: period) { word = Word(period: period) }
        word.count(isFailure: isFailure)
        buckets[index].store(word.bits, ordering: .relaxed)
    }

    /// Forgets all attempts. Only the thread that counts may call it.
    public func clear() {
        for index in 0..<Int(Self.bucketCount) { buckets[index].store(0, ordering: .relaxed) }
    }

    /// Returns the counts of the window that ends now.
    ///
    /// - Parameters:
    ///   - now: nanoseconds of the clock of `count`.
    ///   - start: periods that began before it are left out.
    public func counts(at now: Int64, since start: Int64 = 0) -> Counts {
        let last = now / width
        var sum = Counts()
        for period in max(0, last - Self.bucketCount + 1)...last where period * width >= start {
            let word = Word(bits: buckets[Int(period % Self.bucketCount)].load(ordering: .relaxed))
            guard word.period == UInt32(truncatingIfNeeded: period) else { continue }
            sum = sum + Counts(attempts: Int(word.attempts), failures: Int(word.failures))
        }
        return sum
    }

    private struct Word {
        var period: UInt32
        var attempts: UInt16 = 0
        var failures: UInt16 = 0

        init(period: Int64) {
            self.period = UInt32(truncatingIfNeeded: period)
        }

        init(bits: UInt64) {
            period = UInt32(truncatingIfNeeded: bits >> 32)
            attempts = UInt16(truncatingIfNeeded: bits >> 16)
            failures = UInt16(truncatingIfNeeded: bits)
        }

        var bits: UInt64 { UInt64(period) << 32 | UInt64(attempts) << 16 | UInt64(failures) }

        /// Halves both numbers before one overflows, which keeps their ratio.
        mutating func count(isFailure: Bool) {
            if attempts == .max {
                attempts /= 2
                failures /= 2
            }
            attempts += 1
            if isFailure { failures += 1 }
        }
    }
}
