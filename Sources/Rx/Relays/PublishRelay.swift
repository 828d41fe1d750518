/// Passes values on to its current subscribers. It never ends and never fails.
public final class PublishRelay<Element: Sendable>: ObservableType {
    private let subject = PublishSubject<Element>()

    public init() {}

    /// Whether there are any subscribers.
    public var hasObservers: Bool { subject.hasObservers }

    /// Delivers `event` to the subscribers before returning. May be called from any thread and by a
    /// subscriber.
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
