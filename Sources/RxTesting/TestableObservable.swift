import Locking
public import Rx
import RxVirtualTime

/// A stream with scripted events that records its subscriptions.
public final class TestableObservable<Element: Sendable>: ObservableType {
    /// The events to send. Ticks are absolute in a hot stream, and relative to each subscription in a cold
    /// one.
    public let recordedEvents: [Recorded<Event<Element>>]
    private let scheduler: TestScheduler
    private let isHot: Bool
    private let state = Lock(State())

    struct State {
        var subscriptions: [Subscription] = []
        /// The current observers of a hot stream, each with the index of its subscription.
        var observers: [(number: Int, observer: AnyObserver<Element>)] = []
    }

    private init(_ scheduler: TestScheduler, _ recordedEvents: [Recorded<Event<Element>>], isHot: Bool) {
        self.scheduler = scheduler
        self.recordedEvents = recordedEvents
        self.isHot = isHot
    }

    static func cold(
        _ scheduler: TestScheduler, _ recordedEvents: [Recorded<Event<Element>>]
    ) -> TestableObservable {
        TestableObservable(scheduler, recordedEvents, isHot: false)
    }

    static func hot(
        _ scheduler: TestScheduler, _ recordedEvents: [Recorded<Event<Element>>]
    ) -> TestableObservable {
        let observable = TestableObservable(scheduler, recordedEvents, isHot: true)
        for recorded in recordedEvents {
            scheduler.scheduleAt(recorded.time) {
                for (_, observer) in observable.state.withLock({ $0.observers }) {
                    observer.on(recorded.value)
                }
            }
        }
        return observable
    }

    /// The subscriptions so far, in order of their start.
    public var subscriptions: [Subscription] {
        state.withLock { $0.subscriptions }
    }

    /// Subscribes an observer. Disposing of the result ends the subscription.
    public func subscribe<Observer: ObserverType>(
        _ observer: Observer
    ) -> any Disposable where Observer.Element == Element {
        let observer = observer.asObserver()
        let time = scheduler.clock
        let number = state.withLock { state in
            state.subscriptions.append(Subscription(time))
            let number = state.subscriptions.count - 1
            if isHot { state.observers.append((number, observer)) }
            return number
        }
        let playing = isHot ? Disposables.create() : play(to: observer)
        return Disposables.create { [self] in
            playing.dispose()
            let end = scheduler.clock
            state.withLock { state in
                state.subscriptions[number] = Subscription(time, end)
                state.observers.removeAll { $0.number == number }
            }
        }
    }

    private func play(to observer: AnyObserver<Element>) -> any Disposable {
        Disposables.create(
            recordedEvents.map { recorded in
                scheduler.scheduleRelativeVirtual(recorded.value, dueTime: recorded.time) {
                    observer.on($0)
                    return Disposables.create()
                }
            })
    }
}
