/// Passes values to its current subscribers. Never ends and never fails.
public final class PublishRelay<Element: Sendable>: ObservableType {
    private let subject = PublishSubject<Element>()

    /// Creates a relay without subscribers.
    public init() {}

    /// Whether there is a subscription.
    public var hasObservers: Bool { subject.hasObservers }

    /// Delivers `event` before returning. Any thread and any subscriber may call it.
    public func accept(_ event: Element) {
        subject.onNext(event)
    }

    /// Returns the stream without its type.
    public func asObservable() -> Observable<Element> {
        subject
    }
}
