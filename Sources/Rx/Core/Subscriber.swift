/// The last step of a pipeline and the disposable the caller gets.
///
/// Events pass while its slot is open; the terminal event or `dispose()` closes it, whichever is first.
@usableFromInline
class Subscriber<In: Sendable>: Step<In, Never>, Cancelable, @unchecked Sendable {
    final let upstream = LinkSlot()

    @usableFromInline
    override init() {
        super.init()
    }

    @usableFromInline final var isDisposed: Bool { upstream.isClosed }

    override final func attach(_ upstream: Link) {
        self.upstream.set(upstream)
    }

    override final func stop() {
        dispose()
    }

    @usableFromInline
    final func dispose() {
        if upstream.closeAndStop() { ended() }
    }

    override final func next(_ value: In) {
        if !upstream.isClosed { receive(value) }
    }

    override final func last(_ value: In) {
        guard !upstream.isClosed else { return }
        receive(value)
        completed()
    }

    override final func error(_ error: any Error) {
        guard let source = upstream.close() else { return }
        receive(error: error)
        ended()
        source.stop()
    }

    override final func completed() {
        guard let source = upstream.close() else { return }
        receivedCompletion()
        ended()
        source.stop()
    }

    func receive(_ value: In) {}

    func receive(error: any Error) {}

    func receivedCompletion() {}

    /// The subscription is over: after the terminal event or by disposal, once.
    func ended() {}
}

/// Subscribes closures.
@usableFromInline
final class ClosureSubscriber<In: Sendable>: Subscriber<In>, @unchecked Sendable {
    private let onNext: (@Sendable (In) -> Void)?
    private let onError: (@Sendable (any Error) -> Void)?
    private let onCompleted: (@Sendable () -> Void)?
    private let onDisposed: (@Sendable () -> Void)?
    private let callStack: [String]

    @usableFromInline
    init(
        next: (@Sendable (In) -> Void)?,
        error: (@Sendable (any Error) -> Void)?,
        completed: (@Sendable () -> Void)?,
        disposed: (@Sendable () -> Void)?
    ) {
        onNext = next
        onError = error
        onCompleted = completed
        onDisposed = disposed
        callStack = error == nil ? Hooks.callStack() : []
        super.init()
    }

    override func receive(_ value: In) {
        onNext?(value)
    }

    override func receive(error: any Error) {
        if let onError { onError(error) } else { Hooks.unhandled(error, callStack) }
    }

    override func receivedCompletion() {
        onCompleted?()
    }

    override func ended() {
        onDisposed?()
    }
}

/// Subscribes an observer.
final class ObserverSubscriber<Observer: ObserverType>: Subscriber<Observer.Element>,
    @unchecked Sendable
{
    private let observer: Observer

    init(_ observer: Observer) {
        self.observer = observer
        super.init()
    }

    override func receive(_ value: Observer.Element) {
        observer.onNext(value)
    }

    override func receive(error: any Error) {
        observer.onError(error)
    }

    override func receivedCompletion() {
        observer.onCompleted()
    }
}
