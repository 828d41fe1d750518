/// Passes values on to its subscribers and replays the latest ones to each new subscriber. It never ends and
/// never fails.
public final class ReplayRelay<Element: Sendable>: ObservableType {
    private let subject: ReplaySubject<Element>

    private init(_ subject: ReplaySubject<Element>) {
        self.subject = subject
    }

    /// Creates a relay that replays the last `bufferSize` values.
    public static func create(bufferSize: Int) -> ReplayRelay<Element> {
        ReplayRelay(.create(bufferSize: bufferSize))
    }

    /// Creates a relay that replays all values. The buffer grows without limit.
    public static func createUnbound() -> ReplayRelay<Element> {
        ReplayRelay(.createUnbounded())
    }

    /// Whether there are any subscribers.
    public var hasObservers: Bool { subject.hasObservers }

    /// Stores `event` and delivers it to the subscribers before returning. May be called from any thread and
    /// by a subscriber.
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
