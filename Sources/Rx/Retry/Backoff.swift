public import Dispatch

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The wait before each retry: a bound that grows with each failure up to a cap, and jitter applied to it.
public struct Backoff: Sendable, Hashable {
    /// How the wait is drawn from the bound, so that clients that failed together do not retry together.
    public enum Jitter: Sendable, Hashable {
        /// Exactly the bound.
        case none
        /// Uniformly random between 0 and the bound.
        case full
        /// Half the bound plus a uniformly random part of the other half.
        case equal
        /// Uniformly random between the base and three times the previous wait, up to the cap. Ignores the
        /// growth.
        case decorrelated
    }

    private enum Growth: Hashable {
        case constant, linear
        case exponential(factor: Double)
    }

    private let growth: Growth
    private let jitter: Jitter
    /// In nanoseconds. More than `cap` counts as `cap`.
    package var base: Int64
    /// In nanoseconds.
    package var cap: Int64

    private init(_ growth: Growth, _ base: RxTimeInterval, _ cap: RxTimeInterval, _ jitter: Jitter) {
        self.growth = growth
        self.jitter = jitter
        self.cap = Int64(cap.saturatedNanoseconds)
        self.base = Int64(base.saturatedNanoseconds)
    }

    /// No wait: retries immediately.
    public static let none = Backoff.constant(.nanoseconds(0))

    /// The same bound for every retry. It is also the cap.
    public static func constant(_ bound: RxTimeInterval, jitter: Jitter = .none) -> Backoff {
        Backoff(.constant, bound, bound, jitter)
    }

    /// A bound of `base`, twice `base`, three times `base` and so on, up to `cap`. The default cap is 30 s.
    public static func linear(
        base: RxTimeInterval, cap: RxTimeInterval = .seconds(30), jitter: Jitter = .none
    ) -> Backoff {
        Backoff(.linear, base, cap, jitter)
    }

    /// A bound of `base` that is multiplied by `factor` after each failure, up to `cap`. A factor below 1 or
    /// NaN counts as 1. The default cap is 30 s.
    public static func exponential(
        base: RxTimeInterval, factor: Double = 2, cap: RxTimeInterval = .seconds(30), jitter: Jitter = .full
    ) -> Backoff {
        Backoff(.exponential(factor: factor >= 1 ? factor : 1), base, cap, jitter)
    }

    private var first: Int64 { min(base, cap) }

    /// Returns the wait in nanoseconds.
    ///
    /// - Parameters:
    ///   - failures: The number of failed attempts so far. Less than 1 counts as 1.
    ///   - previous: The previous wait in nanoseconds, or 0 before the first. Used only by decorrelated
    ///     jitter.
    ///   - random: Returns a random number between 0 and its argument. Results outside that range are
    ///     clamped.
    public func nanoseconds(afterFailures failures: Int, previous: Int64, random: (Int64) -> Int64) -> Int64 {
        let bound = bound(failures)
        func draw(_ most: Int64) -> Int64 {
            most > 0 ? min(max(random(most), 0), most) : 0
        }
        switch jitter {
        case .none: return bound
        case .full: return draw(bound)
        case .equal: return bound - bound / 2 + draw(bound / 2)
        case .decorrelated:
            let (most, overflow) = max(previous, first).multipliedReportingOverflow(by: 3)
            return min(first + draw((overflow ? cap : most) - first), cap)
        }
    }

    private func bound(_ failures: Int) -> Int64 {
        guard first > 0 else { return 0 }
        let failures = max(failures, 1)
        switch growth {
        case .constant: return first
        case .linear:
            let (bound, overflow) = first.multipliedReportingOverflow(by: Int64(failures))
            return overflow ? cap : min(bound, cap)
        case .exponential(let factor):
            let bound = Double(first) * pow(factor, Double(failures - 1))
            return bound < Double(cap) ? Int64(bound) : cap
        }
    }
}
