import Locking
public import Rx

/// A stream whose events and their times are known, and that writes down who was subscribed when.
public class TestableObservable<Element: Sendable>: ObservableType, @unchecked Sendable {
    // Sound: what changes is behind the lock, in subclasses too.

    /// What it sends. Times are the scheduler's of a hot stream, from the subscription on of a cold one.
    public let recordedEvents: [Recorded<Event<Element>>]
    let testScheduler: TestScheduler
    private let log = Lock<[Subscription]>([])

    init(testScheduler: TestScheduler, recordedEvents: [Recorded<Event<Element>>]) {
        self.testScheduler = testScheduler
        self.recordedEvents = recordedEvents
    }

    /// Who was subscribed, in the order of the subscriptions.
    public final var subscriptions: [Subscription] {
        log.withLock { $0 }
    }

    public final func subscribe<Observer: ObserverType>(
        _ observer: Observer
    ) -> any Disposable where Observer.Element == Element {
        let time = testScheduler.clock
        let index = log.withLock { log in
            log.append(Subscription(time))
            return log.count - 1
        }
        let stop = begin(observer.asObserver())
        return Disposables.create { [self] in
            stop.dispose()
            let end = testScheduler.clock
            log.withLock { $0[index] = Subscription(time, end) }
        }
    }

    /// Sends to `observer` from now on, until what it returns is disposed.
    func begin(_ observer: AnyObserver<Element>) -> any Disposable {
        Disposables.create()
    }
}

/// Sends each subscriber all events, at their ticks from its subscription on.
final class ColdObservable<Element: Sendable>: TestableObservable<Element>, @unchecked Sendable {
    override func begin(_ observer: AnyObserver<Element>) -> any Disposable {
        Disposables.create(
            recordedEvents.map { recorded in
                testScheduler.scheduleRelativeVirtual(recorded.value, dueTime: recorded.time) {
                    observer.on($0)
                    return Disposables.create()
                }
            })
    }
}

/// Sends at the ticks of its events, to who is subscribed then.
final class HotObservable<Element: Sendable>: TestableObservable<Element>, @unchecked Sendable {
    private let observers = Lock<(next: Int, byKey: [(key: Int, observer: AnyObserver<Element>)])>((0, []))

    override init(testScheduler: TestScheduler, recordedEvents: [Recorded<Event<Element>>]) {
        super.init(testScheduler: testScheduler, recordedEvents: recordedEvents)
        for recorded in recordedEvents {
            testScheduler.scheduleAt(recorded.time) { [self] in
                for (_, observer) in observers.withLock({ $0.byKey }) { observer.on(recorded.value) }
            }
        }
    }

    override func begin(_ observer: AnyObserver<Element>) -> any Disposable {
        let key = observers.withLock { observers in
            observers.next += 1
            observers.byKey.append((observers.next, observer))
            return observers.next
        }
        return Disposables.create { [self] in
            observers.withLock { $0.byKey.removeAll { $0.key == key } }
        }
    }
}
