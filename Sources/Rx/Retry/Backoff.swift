public import Dispatch
import Glibc

/// How long to wait before each further attempt: a bound that grows from one failure to the next up to a cap, and what is
/// drawn of it.
public struct Backoff: Sendable, Hashable {
    /// What is drawn of the bound, so that those who failed together do not come back together.
    public enum Jitter: Sendable, Hashable {
        /// The bound itself.
        case none
        /// Evenly from nothing to the bound.
        case full
        /// Half of the bound, and evenly from nothing to the other half.
        case equal
        /// Evenly from the base to three times the wait before, at most the cap: the waits grow by themselves.
        case decorrelated
    }

    private enum Growth: Hashable {
        case constant, linear
        case exponential(factor: Double)
    }

    private let growth: Growth
    private let jitter: Jitter
    // Nanoseconds.
    private let base: Int64
    private let cap: Int64

    private init(_ growth: Growth, _ base: RxTimeInterval, _ cap: RxTimeInterval, _ jitter: Jitter) {
        self.growth = growth
        self.jitter = jitter
        self.cap = Int64(cap.saturatedNanoseconds)
        self.base = min(Int64(base.saturatedNanoseconds), self.cap)
    }

    /// No wait: the next attempt follows at once.
    public static let none = Backoff.constant(.nanoseconds(0))

    /// The same bound each time, which is the cap too.
    public static func constant(_ bound: RxTimeInterval, jitter: Jitter = .none) -> Backoff {
        Backoff(.constant, bound, bound, jitter)
    }

    /// `base`, twice that, three times that, and so on, at most `cap`. Default cap 30 s.
    public static func linear(
        base: RxTimeInterval, cap: RxTimeInterval = .seconds(30), jitter: Jitter = .none
    ) -> Backoff {
        Backoff(.linear, base, cap, jitter)
    }

    /// `base`, and each time `factor` times the bound before, at most `cap`. Defaults: twice, 30 s, full jitter.
    public static func exponential(
        base: RxTimeInterval, factor: Double = 2, cap: RxTimeInterval = .seconds(30), jitter: Jitter = .full
    ) -> Backoff {
        precondition(factor >= 1, "a backoff cannot shrink by \(factor)")
        return Backoff(.exponential(factor: factor), base, cap, jitter)
    }

    /// The wait in nanoseconds.
    ///
    /// - Parameters:
    ///   - failures: attempts that have failed so far, at least 1.
    ///   - previous: the wait before this one, 0 before the first; decorrelated jitter alone looks at it.
    ///   - random: draws from nothing to the bound it is given; what is beyond that is held to it.
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
            let (most, overflow) = max(previous, base).multipliedReportingOverflow(by: 3)
            return min(base + draw((overflow ? cap : most) - base), cap)
        }
    }

    private func bound(_ failures: Int) -> Int64 {
        precondition(failures > 0, "nothing is waited for before the first attempt")
        guard base > 0 else { return 0 }
        switch growth {
        case .constant: return base
        case .linear:
            let (bound, overflow) = base.multipliedReportingOverflow(by: Int64(failures))
            return overflow ? cap : min(bound, cap)
        case .exponential(let factor):
            let bound = Double(base) * pow(factor, Double(failures - 1))
            return bound < Double(cap) ? Int64(bound) : cap
        }
    }
}
