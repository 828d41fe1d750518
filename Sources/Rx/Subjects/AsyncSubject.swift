import Locking

// Sound: it adds only constants, locks and atomics.
/// Emits only its last value, when it completes. Current and later subscribers receive that value and the
/// completion. If it fails, or completes without a value, they receive only the terminal event.
public final class AsyncSubject<Element: Sendable>: Observable<Element>, SubjectType, ObserverType,
    Cancelable, SubjectHost, @unchecked Sendable
{
    /// The subject itself.
    public typealias SubjectObserverType = AsyncSubject<Element>

    private struct State {
        var value: Element?
        var core = SubjectCore.State()
    }

    private let state = AdaptiveLock(State())

    public override init() {
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
        var value: Element? = element
        state.withLock { state in
            guard !state.core.isOver else { return }
            swap(&state.value, &value)
        }
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
        let (links, value): ([Link], Element?) = state.withLock { state in
            let value = state.value
            if case .failed = end, !state.core.isOver { state.value = nil }
            return (state.core.end(end), value)
        }
        for link in links {
            AsyncSubject.deliverEnd(unsafeDowncast(link, to: SubjectLink<Element>.self), end, value)
        }
    }

    private static func deliverEnd(_ link: SubjectLink<Element>, _ end: SubjectCore.End, _ value: Element?) {
        if case .completed = end, let value { link.deliver(last: value) } else { link.deliver(end) }
    }

    /// Returns the subject as an observer.
    public func asObserver() -> AsyncSubject<Element> {
        self
    }

    /// Drops all subscribers silently. Later ones fail with `RxError.disposed`.
    public func dispose() {
        _ = state.withLock { state in
            (state.core.dispose(), state.value.take())
        }
    }

    func leave(_ link: Link) {
        state.withLock { $0.core.remove(link) }
    }

    override consuming func run(_ port: consuming Downstream<Element>) {
        let subject = self
        let link = SubjectLink<Element>(subject, port)
        guard link.open() else { return }
        let (end, value): (SubjectCore.End?, Element?) = subject.state.withLock { state in
            if state.core.isDisposed { return (.failed(RxError.disposed(object: subject)), nil) }
            if state.core.end == nil { state.core.links.addOne(link) }
            return (state.core.end, state.value)
        }
        if let end {
            AsyncSubject.deliverEnd(link, end, value)
        } else if !link.isOpen {
            // It was closed before it was added to the list.
            subject.leave(link)
        }
    }
}
