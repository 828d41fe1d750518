/// Passes values to its subscribers, and its latest value to each new one. Never ends and never fails.
public final class BehaviorRelay<Element: Sendable>: ObservableType {
    private let subject: BehaviorSubject<Element>

    /// Creates a relay that starts with `value`.
    public init(value: Element) {
        subject = BehaviorSubject(value: value)
    }

    /// Whether there is a subscription.
    public var hasObservers: Bool { subject.hasObservers }

    /// The latest value. Any thread may read it.
    public var value: Element { subject.current }

    /// Stores and delivers `event` before returning. Any thread may call it. A call from a subscriber nests
    /// deliveries.
    public func accept(_ event: Element) {
        subject.onNext(event)
    }

    /// Returns the stream without its type.
    public func asObservable() -> Observable<Element> {
        subject
    }
}
