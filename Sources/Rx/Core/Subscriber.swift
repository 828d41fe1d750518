import Locking
import Synchronization

/// The last step of a pipeline, and the disposable that the caller gets. Events pass until the terminal event
/// or `dispose()` closes its slot. The caller that closes it releases the handlers, or leaves that to the
/// event being delivered. A disposable kept after the end retains nothing else.
// Sound: it adds only constants, locks and atomics.
@usableFromInline
class Subscriber<In: Sendable>: Step<In, Never>, Cancelable, @unchecked Sendable {
    final let upstream = LinkSlot()
    /// Twice the number of values being delivered, plus 1 once the subscription is over. A subject that is
    /// fed from within its own event, or by two threads, delivers several at once.
    private let deliveries = Atomic<UInt32>(0)

    @usableFromInline
    override init() {
        super.init()
    }

    @usableFromInline final var isDisposed: Bool { upstream.isClosed }

    override final func attach(_ upstream: Link) {
        self.upstream.set(upstream)
    }

    override final func stop(_ stops: inout DisposalStack) {
        HeldLocks.assertNone()
        if upstream.end() { stops.pushStopped(self) }
        // Also while the end is being received, so that the source is stopped at once.
        upstream.close(&stops)
    }

    override final func stopped(_ stops: inout DisposalStack) {
        ended()
        markOver()
    }

    @usableFromInline
    final func dispose() {
        HeldLocks.assertNone()
        let isFirst = upstream.end()
        // Also while the end is being received, so that the source is stopped at once.
        upstream.closeAndStop()
        guard isFirst else { return }
        ended()
        markOver()
    }

    override final var isDisposedByStopping: Bool { true }

    override final func next(_ value: In) {
        guard !upstream.isClosed, enter() else { return }
        receive(value)
        leave()
    }

    override final func last(_ value: In) {
        guard !upstream.isClosed, enter() else { return }
        receive(value)
        completed()
        leave()
    }

    override final func error(_ error: any Error) {
        guard upstream.end() else { return }
        receive(error: error)
        ended()
        upstream.closeAfterEnd()
        markOver()
    }

    override final func completed() {
        guard upstream.end() else { return }
        receivedCompletion()
        ended()
        upstream.closeAfterEnd()
        markOver()
    }

    /// Returns whether a value may be delivered. If so, `leave()` has to follow.
    private final func enter() -> Bool {
        var current = deliveries.load(ordering: .relaxed)
        while current & 1 == 0 {
            let (exchanged, original) = deliveries.weakCompareExchange(
                expected: current, desired: current &+ 2, ordering: .acquiring)
            if exchanged { return true }
            current = original
        }
        return false
    }

    private final func leave() {
        if deliveries.wrappingSubtract(2, ordering: .acquiringAndReleasing).newValue == 1 {
            releaseHandlers()
        }
    }

    /// Called once, by the caller that closed the slot.
    private final func markOver() {
        if deliveries.wrappingAdd(1, ordering: .acquiringAndReleasing).oldValue == 0 { releaseHandlers() }
    }

    func receive(_ value: In) {}

    func receive(error: any Error) {}

    func receivedCompletion() {}

    /// Called once, after the terminal event or on disposal.
    func ended() {}

    /// Releases the handlers. Called once, when no event can arrive any more.
    func releaseHandlers() {}
}

/// A subscriber's closures; nil once released.
struct Handlers<In: Sendable>: ~Copyable {
    var next = NextHandler<In>()
    var error: (@Sendable (any Error) -> Void)?
    var completed: (@Sendable () -> Void)?
    var disposed: (@Sendable () -> Void)?
}

/// A closure in a `var`, called without a retain each time, because a call that is not inlined borrows it.
struct NextHandler<In: Sendable>: ~Copyable {
    var handler: (@Sendable (In) -> Void)?

    @inline(never)
    func callAsFunction(_ value: In) {
        handler?(value)
    }
}

// Sound: the handlers are dropped once no event is being delivered.
@usableFromInline
class ClosureSubscriber<In: Sendable>: Subscriber<In>, @unchecked Sendable {
    // Unchecked for the row "subject pump, an event" of RxBench.
    @exclusivity(unchecked)
    private final var handlers: Handlers<In>
    private final let callStack: [String]

    @usableFromInline
    init(
        next: (@Sendable (In) -> Void)?,
        error: (@Sendable (any Error) -> Void)?,
        completed: (@Sendable () -> Void)?,
        disposed: (@Sendable () -> Void)?
    ) {
        callStack = error == nil ? Hooks.callStack() : []
        handlers = Handlers(
            next: NextHandler(handler: consume next), error: consume error, completed: consume completed,
            disposed: consume disposed)
        super.init()
    }

    override func receive(_ value: In) {
        handlers.next(value)
    }

    override final func receive(error: any Error) {
        if handlers.error?(error) == nil { Hooks.unhandled(error, callStack) }
    }

    override func receivedCompletion() {
        handlers.completed?()
    }

    override final func ended() {
        handlers.disposed?()
    }

    override final func releaseHandlers() {
        handlers = Handlers()
    }
}

// Sound: the observer is dropped once no event is being delivered.
final class ObserverSubscriber<Observer: ObserverType>: Subscriber<Observer.Element>,
    @unchecked Sendable
{
    private var observer = ValueStorage<Observer>()

    init(_ observer: Observer) {
        super.init()
        self.observer.set(observer)
    }

    deinit {
        observer.destroy()
    }

    override func receive(_ value: Observer.Element) {
        observer.value.onNext(value)
    }

    override func receive(error: any Error) {
        observer.value.onError(error)
    }

    override func receivedCompletion() {
        observer.value.onCompleted()
    }

    override func releaseHandlers() {
        observer.clear()
    }
}
