import Locking
import Synchronization

/// The most attempts an emitter takes over; each that fails at once nests in the one before.
let mostAbsorbedAttempts = 16

/// A source that is the object doing the work: a client's call can be the observable it returns, the receiver of
/// the answer and the thing to cancel, in one allocation.
///
/// Subclass it, override `begin()` to start the work, `copy()` to make a fresh one for a further subscription,
/// and `cancel()` to stop. Then report with `onNext`, `onLast`, `onError`, `onCompleted` from any thread, one
/// call at a time; what comes after the end or after disposal is ignored.
// Sound: `down`, `attempts`, `receiver` and `number` are written before it runs; the rest is one atomic word.
open class Emitter<Element: Sendable>: Observable<Element>, ObserverType, @unchecked Sendable {
    private let state = Atomic<UInt32>(0)

    /// Subscribed to this many times in all while it fails; written before it runs.
    private final var attempts: UInt32 = 1

    /// Who is told instead of the step below; written before it runs.
    private final var receiver: (any SingleReceiver<Element>)?
    private final var number = 0

    private static var begun: UInt32 { 1 }
    private static var stopped: UInt32 { 2 }
    private static var cancelled: UInt32 { 4 }
    /// It has failed, and a fresh emitter takes its place once `begin()` has returned.
    private static var isRetried: UInt32 { 8 }

    public override init() {
        super.init()
    }

    /// Whether `copy()` may be called of this one once it runs: when it fails, for another attempt.
    package final var isCopied: Bool { attempts > 1 }

    /// Whether it reports to a receiver of singles and to no step, so that no operator's closure runs when it does.
    package final var hasReceiver: Bool { receiver != nil }

    /// The number that its receiver knows it by; nil where it reports to a step.
    package final var receiverNumber: Int? { receiver == nil ? nil : number }

    /// Whether it has reported its end. A `cancel()` without an end is the subscriber's.
    package final var hasEnded: Bool { state.load(ordering: .relaxed) & Emitter.stopped != 0 }

    /// Starts the work. Called once, when this object is subscribed to; it may report before it returns.
    open func begin() {}

    /// A fresh emitter that does the same work, for a further subscription or a further attempt. Every subclass overrides it:
    /// one object runs once.
    open func copy() -> Emitter<Element> {
        preconditionFailure("\(type(of: self)) does not override copy(), which a further subscription needs")
    }

    /// The end: the subscription was disposed, or this emitter has reported its last event. Called once, after `begin()` has
    /// returned, and at its own end after that was delivered, or before another attempt starts; frees what the work holds.
    open func cancel() {}

    /// Whether nothing that is reported from now on will be delivered.
    public final var isStopped: Bool {
        state.load(ordering: .relaxed) & (Emitter.stopped | Emitter.cancelled) != 0
    }

    public func on(_ event: Event<Element>) {
        switch event {
        case .next(let element): onNext(element)
        case .error(let error): onError(error)
        case .completed: onCompleted()
        }
    }

    public func onNext(_ element: Element) {
        // A receiver awaits one value: it is the last.
        guard !hasReceiver else { return onLast(element) }
        if !isStopped { down.next(element) }
    }

    /// The last value and the completion in one.
    public func onLast(_ element: consuming Element) {
        guard close() else { return }
        if let receiver { receiver.succeeded(element, number: number) } else { down.last(element) }
        release()
    }

    public func onError(_ error: any Error) {
        guard close() else { return }
        guard attempts == 1 else { return retryOnceBegun() }
        if let receiver { receiver.failed(error, number: number) } else { down.error(error) }
        release()
    }

    public func onCompleted() {
        guard close() else { return }
        if let receiver { receiver.failed(RxError.noElements, number: number) } else { down.completed() }
        release()
    }

    /// A failed attempt is over before the next one starts, so `start()` goes on where it failed within `begin()`.
    private func retryOnceBegun() {
        let old = state.bitwiseOr(Emitter.isRetried, ordering: .acquiringAndReleasing).oldValue
        if old & Emitter.begun != 0 { retry() }
    }

    /// Leaves the place to a fresh emitter; late events of this one are nobody's.
    private func retry() {
        let next = copy()
        next.attempts = attempts - 1
        release()
        startStream(next, down.share())
    }

    override final func absorb(attempts: Int) -> Bool {
        guard self.attempts == 1 else { return false }
        self.attempts = UInt32(attempts)
        return true
    }

    /// Takes the right to send the terminal event.
    private func close() -> Bool {
        let old = state.bitwiseOr(Emitter.stopped, ordering: .acquiringAndReleasing).oldValue
        return old & (Emitter.stopped | Emitter.cancelled) == 0
    }

    /// Calls `cancel()` once, after `begin()` has returned.
    private func release() {
        HeldLocks.assertNone()
        let old = state.bitwiseOr(Emitter.cancelled, ordering: .acquiringAndReleasing).oldValue
        if old & (Emitter.cancelled | Emitter.begun) == Emitter.begun { cancel() }
    }

    package override final func stop() {
        release()
    }

    override final func endReceived() {
        if !hasEnded { release() }
    }

    private func fresh() -> Emitter<Element> {
        let emitter = copy()
        emitter.attempts = attempts
        return emitter
    }

    override final consuming func run(_ port: consuming Downstream<Element>) {
        let emitter = runnable()
        emitter.down.lead(consume port)
        emitter.down.attach(emitter)
        emitter.start()
    }

    override final consuming func run(for receiver: any SingleReceiver<Element>, number: Int) -> Link {
        guard attempts == 1 else { return super.run(for: receiver, number: number) }
        let emitter = runnable()
        emitter.receiver = receiver
        emitter.number = number
        emitter.start()
        return emitter
    }

    /// The emitter itself where nobody else holds it, else a fresh one.
    private consuming func runnable() -> Emitter<Element> {
        var link: Link = consume self
        let isAlone = isKnownUniquelyReferenced(&link)
        let emitter = unsafeDowncast(consume link, to: Emitter<Element>.self)
        return isAlone ? emitter : emitter.fresh()
    }

    private func start() {
        guard !isStopped else { return }
        HeldLocks.assertNone()
        begin()
        let old = state.bitwiseOr(Emitter.begun, ordering: .acquiringAndReleasing).oldValue
        if old & Emitter.cancelled != 0 { cancel() } else if old & Emitter.isRetried != 0 { retry() }
    }
}
