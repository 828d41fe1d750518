/// Passes values to its subscribers, and its latest values to each new one. Never ends and never fails.
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

    /// Whether there is a subscription.
    public var hasObservers: Bool { subject.hasObservers }

    /// Stores and delivers `event` before returning. Any thread and any subscriber may call it.
    public func accept(_ event: Element) {
        subject.onNext(event)
    }

    /// Returns the stream without its type.
    public func asObservable() -> Observable<Element> {
        subject
    }
}
