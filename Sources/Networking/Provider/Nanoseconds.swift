import Dispatch
// Not `package`: the compiler would no longer specialize this module for its users.
import FoundationEssentials
import Rx

extension Duration {
    /// Whole nanoseconds, clamped to 292 years.
    package var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, carry) = scaled.addingReportingOverflow(attoseconds / 1_000_000_000)
        return overflow || carry ? (seconds < 0 ? .min : .max) : sum
    }
}

extension RxTime {
    /// Nanoseconds since `start`, rounded to microseconds, the precision of current dates. Clamped to 292
    /// years, however far the clock jumps; the maximum if a date is NaN.
    func nanoseconds(since start: RxTime) -> Int64 {
        let microseconds = timeIntervalSince(start) * 1e6
        guard microseconds.magnitude < 9e15 else { return microseconds < 0 ? .min : .max }
        // `rounded()` is a call of the C library.
        return Int64(microseconds + (microseconds < 0 ? -0.5 : 0.5)) * 1000
    }
}

extension Int64 {
    /// Truncates a number and clamps it to the range of `Int64`; 0 for NaN.
    package init(saturating number: Double) {
        // The largest Double below 2^63 is 2^63 - 1024.
        self = number.magnitude < 0x1p63 ? Int64(number) : number > 0 ? .max : number < 0 ? .min : 0
    }
}

extension RxTimeInterval {
    /// Whole nanoseconds, clamped; `.never` is the maximum.
    package var nanoseconds: Int64 {
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

extension RxTime {
    var secondsSince1970: Double { timeIntervalSince1970 }
}
