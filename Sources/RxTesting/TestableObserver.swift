import Locking
public import Rx

/// Writes down what it gets, and the tick of each.
public final class TestableObserver<Element: Sendable>: ObserverType {
    /// The tick at which it was made: the first frame of its marbles.
    public let start: TestTime
    private let scheduler: TestScheduler
    private let recorded = Lock<[Recorded<Event<Element>>]>([])

    init(scheduler: TestScheduler) {
        self.scheduler = scheduler
        start = scheduler.clock
    }

    /// What came, in order.
    public var events: [Recorded<Event<Element>>] {
        recorded.withLock { $0 }
    }

    /// The values that came, without their times.
    public var elements: [Element] {
        events.compactMap(\.value.element)
    }

    public func on(_ event: Event<Element>) {
        // The clock is read under the lock, so that times come in order from several threads too.
        recorded.withLock { $0.append(Recorded(time: scheduler.clock, value: event)) }
    }
}
