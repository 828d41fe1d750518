import Dispatch
// Not `package`: then the compiler would specialise nothing of this module for its users.
import FoundationEssentials
import Rx

extension Duration {
    /// Whole nanoseconds; a duration beyond 292 years is held to that.
    package var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, carry) = scaled.addingReportingOverflow(attoseconds / 1_000_000_000)
        return overflow || carry ? (seconds < 0 ? .min : .max) : sum
    }
}

extension RxTime {
    /// To the microsecond, which is what dates of our time can tell apart reliably. Held to 292 years, however the clock
    /// jumps; the most where a date is not a number.
    func nanoseconds(since start: RxTime) -> Int64 {
        let microseconds = (timeIntervalSince(start) * 1e6).rounded()
        return microseconds.magnitude < 9e15 ? Int64(microseconds) * 1000 : microseconds < 0 ? .min : .max
    }
}

extension Int64 {
    /// The whole part of a number, held to what an `Int64` has; 0 where it is not a number.
    package init(saturating number: Double) {
        // The largest Double below 2^63 is 2^63 - 1024.
        self = number.magnitude < 0x1p63 ? Int64(number) : number > 0 ? .max : number < 0 ? .min : 0
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
