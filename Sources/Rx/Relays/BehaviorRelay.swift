/// Passes values on to its subscribers and replays the latest one to each new subscriber. It never ends and
/// never fails.
public final class BehaviorRelay<Element: Sendable>: ObservableType {
    private let subject: BehaviorSubject<Element>

    public init(value: Element) {
        subject = BehaviorSubject(value: value)
    }

    /// Whether there are any subscribers.
    public var hasObservers: Bool { subject.hasObservers }

    /// The latest value.
    public var value: Element { subject.current }

    /// Stores `event` and delivers it to the subscribers before returning.
    ///
    /// May be called from any thread. A subscriber may call it too: the new value is then delivered inside
    /// the delivery of the previous one.
    public func accept(_ event: Element) {
        subject.onNext(event)
    }

    public func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
    where Observer.Element == Element {
        subject.subscribe(observer)
    }

    public func asObservable() -> Observable<Element> {
        subject
    }
}
