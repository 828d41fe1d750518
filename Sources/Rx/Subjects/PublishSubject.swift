import Locking

// Sound: it adds only constants.
/// Passes events on to its current subscribers. After the end, new subscribers receive only the terminal
/// event.
public final class PublishSubject<Element: Sendable>: Observable<Element>, SubjectType,
    ObserverType,
    Cancelable,
    SubjectHost, @unchecked Sendable
{
    /// The subject itself.
    public typealias SubjectObserverType = PublishSubject<Element>

    private let core = SubjectCore()

    public override init() {
        super.init()
    }

    /// Whether there is a subscription.
    public var hasObservers: Bool { core.hasObservers }

    /// Whether `dispose()` has been called.
    public var isDisposed: Bool { core.isDisposed }

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
        core.recipients.send(element)
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
        core.end(end).send(end, to: Element.self)
    }

    /// Returns the subject as an observer.
    public func asObserver() -> PublishSubject<Element> {
        self
    }

    /// Drops all subscribers silently. Later ones fail with `RxError.disposed`, unless the subject had
    /// already ended.
    public func dispose() {
        core.dispose()
    }

    func leave(_ link: Link) {
        core.remove(link)
    }

    func leave(_ link: Link, _ stops: inout DisposalStack) {
        core.remove(link)
    }

    override consuming func run(_ port: consuming Downstream<Element>) {
        let subject = self
        let link = SubjectLink<Element>(subject, port)
        guard link.open() else { return }
        let end: SubjectCore.End? = subject.core.state.withLock { state in
            if let end = state.end { return end }
            if state.isDisposed { return .failed(RxError.disposed(object: subject)) }
            state.links.addOne(link)
            return nil
        }
        if let end {
            link.deliver(end)
        } else if !link.isOpen {
            // It was closed before it was added to the list.
            subject.leave(link)
        }
    }
}
