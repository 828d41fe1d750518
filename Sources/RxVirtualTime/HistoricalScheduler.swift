public import FoundationEssentials
public import Rx

/// A virtual time scheduler with a date as its clock.
// Sound: it adds only constants.
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
    public init() {}

    public func convertFromVirtualTime(_ virtualTime: RxTime) -> RxTime { virtualTime }

    public func convertToVirtualTime(_ time: RxTime) -> RxTime { time }

    public func convertFromVirtualTimeInterval(_ virtualTimeInterval: TimeInterval) -> TimeInterval {
        virtualTimeInterval
    }

    public func convertToVirtualTimeInterval(_ timeInterval: TimeInterval) -> TimeInterval {
        timeInterval
    }

    public func offsetVirtualTime(_ time: RxTime, offset: TimeInterval) -> RxTime {
        time.addingTimeInterval(offset)
    }
}
