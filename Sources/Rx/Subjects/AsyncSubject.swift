import Locking

/// Emits only its last value, when it completes. Current and later subscribers receive that value and the completion.
/// If it fails, or completes without a value, they receive only the terminal event.
// Sound: it adds only constants, locks and atomics.
public final class AsyncSubject<Element: Sendable>: Observable<Element>, SubjectType, ObserverType,
    Cancelable, SubjectHost, @unchecked Sendable
{
    public typealias SubjectObserverType = AsyncSubject<Element>

    private struct State {
        var value: Element?
        var links: [Link] = []
        var end: SubjectCore.End?
        var isDisposed = false
    }

    private let state = AdaptiveLock(State())

    public override init() {
        super.init()
    }

    public var hasObservers: Bool {
        state.withLock { !$0.links.isEmpty }
    }

    public var isDisposed: Bool {
        state.withLock { $0.isDisposed }
    }

    public func on(_ event: Event<Element>) {
        switch event {
        case .next(let element): onNext(element)
        case .error(let error): onError(error)
        case .completed: onCompleted()
        }
    }

    public func onNext(_ element: Element) {
        // The previous value is released outside the lock.
        var value: Element? = element
        state.withLock { state in
            guard state.end == nil, !state.isDisposed else { return }
            swap(&state.value, &value)
        }
    }

    public func onError(_ error: any Error) {
        end(.failed(error))
    }

    public func onCompleted() {
        end(.completed)
    }

    private func end(_ end: SubjectCore.End) {
        let ended: State = state.withLock { state in
            guard state.end == nil, !state.isDisposed else { return State() }
            let before = state
            state.end = end
            state.links = []
            if case .failed = end { state.value = nil }
            return before
        }
        for link in ended.links {
            AsyncSubject.deliverEnd(unsafeDowncast(link, to: SubjectLink<Element>.self), end, ended.value)
        }
    }

    private static func deliverEnd(_ link: SubjectLink<Element>, _ end: SubjectCore.End, _ value: Element?) {
        if case .completed = end, let value { link.deliver(last: value) } else { link.deliver(end) }
    }

    public func asObserver() -> AsyncSubject<Element> {
        self
    }

    /// Drops all subscribers silently. Later ones fail with `RxError.disposed`.
    public func dispose() {
        _ = state.withLock { state in
            let before = state
            state = State(value: nil, links: [], end: state.end, isDisposed: true)
            return before
        }
    }

    func leave(_ link: Link) {
        state.withLock { state in
            guard let index = state.links.firstIndex(where: { $0 === link }) else { return }
            state.links.removeOne(at: index)
        }
    }

    override consuming func run(_ port: consuming Downstream<Element>) {
        let subject = self
        let link = SubjectLink<Element>(subject, port)
        guard link.open() else { return }
        let (end, value): (SubjectCore.End?, Element?) = subject.state.withLock { state in
            if state.isDisposed { return (.failed(RxError.disposed(object: subject)), nil) }
            if state.end == nil { state.links.addOne(link) }
            return (state.end, state.value)
        }
        if let end {
            AsyncSubject.deliverEnd(link, end, value)
        } else if !link.isOpen {
            // It was closed before it was added to the list.
            subject.leave(link)
        }
    }
}
