/// Passes on what it accepts to those subscribed at that moment. It never ends and never fails.
public final class PublishRelay<Element: Sendable>: ObservableType {
    private let subject = PublishSubject<Element>()

    public init() {}

    /// Whether anybody is subscribed.
    public var hasObservers: Bool { subject.hasObservers }

    /// Sends `event` to the subscribers before it returns. From any thread, also from inside a subscriber.
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
