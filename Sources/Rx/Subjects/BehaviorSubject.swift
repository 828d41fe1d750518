import Locking

// Sound: it adds only constants, locks and atomics.
/// Passes events on to its subscribers and replays its latest value to each new subscriber. After the end,
/// new subscribers receive only the terminal event.
public final class BehaviorSubject<Element: Sendable>: Observable<Element>, SubjectType,
    ObserverType,
    Cancelable,
    SubjectHost, @unchecked Sendable
{
    /// The subject itself.
    public typealias SubjectObserverType = BehaviorSubject<Element>

    private struct State {
        var value: Element
        var core = SubjectCore.State()
    }

    private let state: AdaptiveLock<State>

    /// Creates a subject whose first subscribers receive `value`.
    public init(value: Element) {
        state = AdaptiveLock(State(value: value))
        super.init()
    }

    /// Whether there is a subscription.
    public var hasObservers: Bool {
        state.withLock { !$0.core.links.isEmpty }
    }

    /// Whether `dispose()` has been called.
    public var isDisposed: Bool {
        state.withLock { $0.core.isDisposed }
    }

    /// Returns the latest value. Throws the error that ended the subject, or `RxError.disposed` after
    /// `dispose()`.
    public func value() throws -> Element {
        let (isDisposed, end, value) = state.withLock { ($0.core.isDisposed, $0.core.end, $0.value) }
        if isDisposed { throw RxError.disposed(object: self) }
        if case .failed(let error) = end { throw error }
        return value
    }

    /// The latest value, even after the subject failed or was disposed.
    package var current: Element {
        state.withLock { $0.value }
    }

    /// Passes an event on to the observers.
    public func on(_ event: Event<Element>) {
        switch event {
        case .next(let element): onNext(element)
        case .error(let error): onError(error)
        case .completed: onCompleted()
        }
    }

    /// Passes a value on to the observers.
    public func onNext(_ element: Element) {
        // The previous value is released outside the lock.
        var value = element
        let links: [Link] = state.withLock { state in
            guard !state.core.isOver else { return [] }
            swap(&state.value, &value)
            return state.core.links
        }
        links.send(element)
    }

    /// Ends the stream with an error.
    public func onError(_ error: any Error) {
        end(.failed(error))
    }

    /// Ends the stream without an error.
    public func onCompleted() {
        end(.completed)
    }

    private func end(_ end: SubjectCore.End) {
        state.withLock { $0.core.end(end) }.send(end, to: Element.self)
    }

    /// Returns the subject as an observer.
    public func asObserver() -> BehaviorSubject<Element> {
        self
    }

    /// Drops all subscribers silently. Later ones fail with `RxError.disposed`, unless the subject had
    /// already ended.
    public func dispose() {
        _ = state.withLock { $0.core.dispose() }
    }

    func leave(_ link: Link) {
        state.withLock { $0.core.remove(link) }
    }

    override consuming func run(_ port: consuming Downstream<Element>) {
        let subject = self
        let link = ReplayLink<Element>(subject, port)
        guard link.open() else { return }
        let (end, value): (SubjectCore.End?, Element) = subject.state.withLock { state in
            if let end = state.core.end { return (end, state.value) }
            if state.core.isDisposed { return (.failed(RxError.disposed(object: subject)), state.value) }
            state.core.links.addOne(link)
            return (nil, state.value)
        }
        if let end { return link.deliver(end) }
        link.deliver(value)
        link.goLive()
        // It may have been closed before it was added to the list.
        if !link.isOpen { subject.leave(link) }
    }
}
