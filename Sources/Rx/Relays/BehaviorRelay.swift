/// Keeps the value that it accepted last: who subscribes gets that first. It never ends and never fails.
public final class BehaviorRelay<Element: Sendable>: ObservableType {
    private let subject: BehaviorSubject<Element>

    public init(value: Element) {
        subject = BehaviorSubject(value: value)
    }

    /// Whether anybody is subscribed.
    public var hasObservers: Bool { subject.hasObservers }

    /// The value accepted last.
    public var value: Element { subject.current }

    /// Keeps `event` and sends it to the subscribers before it returns. From any thread, also from inside a subscriber,
    /// which then gets the new value inside the delivery of the one before.
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
