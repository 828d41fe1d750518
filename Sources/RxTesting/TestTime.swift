public import FoundationEssentials
public import Rx

/// A point or a span of a `TestScheduler`'s time, in ticks.
public typealias TestTime = Int

/// Translates between ticks and the schedulers' time: `resolution` seconds are a tick.
public struct TestSchedulerVirtualTimeConverter: VirtualTimeConverterType {
    private let resolution: Double

    init(resolution: Double) {
        precondition(resolution > 0, "a tick takes more than 0 seconds, not \(resolution)")
        self.resolution = resolution
    }

    public func convertFromVirtualTime(_ virtualTime: TestTime) -> RxTime {
        Date(timeIntervalSince1970: convertFromVirtualTimeInterval(virtualTime))
    }

    public func convertToVirtualTime(_ time: RxTime) -> TestTime {
        convertToVirtualTimeInterval(time.timeIntervalSince1970)
    }

    public func convertFromVirtualTimeInterval(_ virtualTimeInterval: TestTime) -> TimeInterval {
        Double(virtualTimeInterval) * resolution
    }

    /// The nearest tick; `never` and what is too far away is a time that no test comes to.
    public func convertToVirtualTimeInterval(_ timeInterval: TimeInterval) -> TestTime {
        TestTime(min(max(timeInterval / resolution, -0x1p62), 0x1p62).rounded())
    }

    public func offsetVirtualTime(_ time: TestTime, offset: TestTime) -> TestTime {
        let (sum, overflow) = time.addingReportingOverflow(offset)
        return overflow ? .max : sum
    }

    public func compareVirtualTime(_ lhs: TestTime, _ rhs: TestTime) -> VirtualTimeComparison {
        lhs < rhs ? .lessThan : lhs > rhs ? .greaterThan : .equal
    }
}
