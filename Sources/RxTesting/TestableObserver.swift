import Locking
public import Rx
import RxVirtualTime

/// An observer that records each event and its tick.
public final class TestableObserver<Element: Sendable>: ObserverType {
    /// The tick at which the observer was created: frame 0 of its marbles.
    public let start: TestTime
    private let scheduler: TestScheduler
    private let recorded = Lock<[Recorded<Event<Element>>]>([])

    init(scheduler: TestScheduler) {
        self.scheduler = scheduler
        start = scheduler.clock
    }

    /// The events so far, with their ticks.
    public var events: [Recorded<Event<Element>>] {
        recorded.withLock { $0 }
    }

    /// The values so far, without their ticks.
    public var elements: [Element] { events.compactMap(\.value.element) }

    /// Passes an event on.
    public func on(_ event: Event<Element>) {
        // The clock is read under the lock, so the ticks are in order even if several threads send.
        recorded.withLock { $0.append(Recorded(time: scheduler.clock, value: event)) }
    }
}
