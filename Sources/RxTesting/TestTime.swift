public import FoundationEssentials
@_exported public import RxVirtualTime

/// A point in time or a duration of a `TestScheduler`, in ticks.
public typealias TestTime = Int

/// Converts between ticks and real time. One tick is `resolution` seconds.
public struct TestSchedulerVirtualTimeConverter: VirtualTimeConverterType {
    private let resolution: Double

    init(resolution: Double) {
        precondition(resolution > 0, "a tick must be longer than 0 seconds, not \(resolution)")
        self.resolution = resolution
    }

    /// Returns ticks as seconds.
    public func convertFromVirtualTimeInterval(_ virtualTimeInterval: TestTime) -> TimeInterval {
        Double(virtualTimeInterval) * resolution
    }

    /// Returns the nearest tick. `never` and intervals that are too large become a tick that no test reaches.
    public func convertToVirtualTimeInterval(_ timeInterval: TimeInterval) -> TestTime {
        TestTime(ticks: timeInterval / resolution)
    }

    /// Returns a time some ticks later.
    public func offsetVirtualTime(_ time: TestTime, offset: TestTime) -> TestTime {
        let (sum, overflow) = time.addingReportingOverflow(offset)
        return overflow ? (offset < 0 ? .min : .max) : sum
    }
}
