public import Dispatch
public import FoundationEssentials
public import Rx

// Sound: it adds only constants.
/// A virtual time scheduler for tests that counts whole nanoseconds from 0, so every time interval is exact.
///
///     let scheduler = ManualScheduler()
///     let call = request.timeout(.seconds(5), scheduler: scheduler).subscribe(...)
///     scheduler.advance(by: .milliseconds(5_000))
public final class ManualScheduler: VirtualTimeScheduler<NanosecondConverter>, @unchecked Sendable {
    /// Creates a scheduler with its clock at 0.
    public init() {
        super.init(initialClock: 0, converter: NanosecondConverter())
    }
}

/// Uses nanoseconds since 1970 as virtual time.
public struct NanosecondConverter: VirtualTimeConverterType {
    /// Creates a converter.
    public init() {}

    /// Returns nanoseconds as seconds.
    public func convertFromVirtualTimeInterval(_ virtualTimeInterval: Int) -> TimeInterval {
        Double(virtualTimeInterval) / 1e9
    }

    /// Returns seconds as whole nanoseconds.
    public func convertToVirtualTimeInterval(_ timeInterval: TimeInterval) -> Int {
        Int(ticks: timeInterval * 1e9)
    }

    /// Returns an interval as whole nanoseconds.
    public func convert(_ interval: RxTimeInterval) -> Int {
        interval.saturatedNanoseconds
    }

    /// Returns a time some nanoseconds later.
    public func offsetVirtualTime(_ time: Int, offset: Int) -> Int {
        let (sum, overflow) = time.addingReportingOverflow(max(offset, 0))
        return overflow ? .max : sum
    }
}
