import Dispatch
import FoundationEssentials

extension RxTimeInterval {
    /// In seconds; infinite for `.never`.
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

    /// In nanoseconds, at most 2^62; `.never` is that.
    var saturatedNanoseconds: Int {
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

    /// What is left of it at `now` when it began at `start`: all of it where the clock was set back, and nothing once it is over.
    /// Dates are not exact, so what has passed counts in whole microseconds.
    func left(since start: RxTime, at now: RxTime) -> RxTimeInterval {
        let elapsed = (now.timeIntervalSince(start) * 1e6).rounded()
        guard elapsed > 0 else { return self }
        guard elapsed < 1e15 else { return .nanoseconds(0) }
        return .nanoseconds(max(saturatedNanoseconds - Int(elapsed) * 1_000, 0))
    }

    /// So many seconds, to the nearest microsecond; what is longer than 146 years is `.never`.
    package init(microseconds seconds: Double) {
        self = seconds * 1e9 < Double(1 << 62) ? .microseconds(Int((seconds * 1e6).rounded())) : .never
    }
}
