import Dispatch
import FoundationEssentials

extension RxTimeInterval {
    /// The interval in seconds. Infinite for `.never`.
    package var seconds: Double {
        switch self {
        case .seconds(let value): Double(value)
        case .milliseconds(let value): Double(value) / 1e3
        case .microseconds(let value): Double(value) / 1e6
        case .nanoseconds(let value): Double(value) / 1e9
        case .never: .infinity
        @unknown default: .infinity
        }
    }

    /// The interval in nanoseconds, clamped to 0...2^62. `.never` is 2^62.
    package var saturatedNanoseconds: Int {
        let (value, factor): (Int, Int) =
            switch self {
            case .seconds(let value): (value, 1_000_000_000)
            case .milliseconds(let value): (value, 1_000_000)
            case .microseconds(let value): (value, 1_000)
            case .nanoseconds(let value): (value, 1)
            case .never: (1 << 62, 1)
            @unknown default: (1 << 62, 1)
            }
        let (product, overflow) = value.multipliedReportingOverflow(by: factor)
        guard !overflow else { return value < 0 ? 0 : 1 << 62 }
        return min(max(product, 0), 1 << 62)
    }

    /// Returns the rest of an interval that began at `start`: 0 once it has passed, all of it if the clock
    /// was set back. Dates are inexact, so elapsed time counts in whole microseconds.
    func left(since start: RxTime, at now: RxTime) -> RxTimeInterval {
        let elapsed = (now.timeIntervalSince(start) * 1e6).rounded()
        guard elapsed > 0 else { return self }
        guard elapsed < 1e15 else { return .nanoseconds(0) }
        return .nanoseconds(max(saturatedNanoseconds - Int(elapsed) * 1_000, 0))
    }

    /// Creates an interval from seconds, rounded to microseconds. More than 146 years and NaN become
    /// `.never`, and negative times of that length become -146 years.
    package init(microseconds seconds: Double) {
        guard seconds * 1e9 < 0x1p62 else {
            self = .never
            return
        }
        self = .microseconds(Int((max(seconds, -0x1p62 / 1e9) * 1e6).rounded()))
    }
}
