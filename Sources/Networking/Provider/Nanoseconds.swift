import Dispatch
import FoundationEssentials
import Rx

extension Duration {
    /// Whole nanoseconds; a duration beyond 292 years is held to that.
    var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        return overflow ? (seconds < 0 ? .min : .max) : scaled &+ attoseconds / 1_000_000_000
    }
}

extension RxTime {
    /// To the microsecond, which is what dates of our time can tell apart reliably.
    func nanoseconds(since start: RxTime) -> Int64 {
        let microseconds = (timeIntervalSince(start) * 1e6).rounded()
        return abs(microseconds) < 9e15 ? Int64(microseconds) * 1000 : microseconds < 0 ? .min : .max
    }
}

extension RxTimeInterval {
    /// Whole nanoseconds, as far as they go; `.never` is the most.
    var nanoseconds: Int64 {
        func times(_ count: Int, _ unit: Int64) -> Int64 {
            let (product, overflow) = Int64(count).multipliedReportingOverflow(by: unit)
            return overflow ? (count < 0 ? .min : .max) : product
        }
        return switch self {
        case .seconds(let count): times(count, 1_000_000_000)
        case .milliseconds(let count): times(count, 1_000_000)
        case .microseconds(let count): times(count, 1_000)
        case .nanoseconds(let count): Int64(count)
        case .never: .max
        @unknown default: .max
        }
    }
}
