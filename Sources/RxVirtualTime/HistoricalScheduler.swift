public import FoundationEssentials
public import Rx

// Sound: it adds only constants.
/// A virtual time scheduler with a date as its clock.
public final class HistoricalScheduler: VirtualTimeScheduler<HistoricalSchedulerTimeConverter>,
    @unchecked Sendable
{
    /// Creates a scheduler with its clock at `initialClock`.
    public init(initialClock: RxTime = Date(timeIntervalSince1970: 0)) {
        super.init(initialClock: initialClock, converter: HistoricalSchedulerTimeConverter())
    }
}

/// Uses dates as virtual time, without conversion.
public struct HistoricalSchedulerTimeConverter: VirtualTimeConverterType {
    /// Creates a converter.
    public init() {}

    /// Returns the date itself.
    public func convertFromVirtualTime(_ virtualTime: RxTime) -> RxTime { virtualTime }

    /// Returns the date itself.
    public func convertToVirtualTime(_ time: RxTime) -> RxTime { time }

    /// Returns the seconds themselves.
    public func convertFromVirtualTimeInterval(_ virtualTimeInterval: TimeInterval) -> TimeInterval {
        virtualTimeInterval
    }

    /// Returns the seconds themselves.
    public func convertToVirtualTimeInterval(_ timeInterval: TimeInterval) -> TimeInterval {
        timeInterval
    }

    /// Returns a date some seconds later.
    public func offsetVirtualTime(_ time: RxTime, offset: TimeInterval) -> RxTime {
        time.addingTimeInterval(offset)
    }
}
