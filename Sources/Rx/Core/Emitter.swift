import Locking
import Synchronization

/// The most attempts that an emitter makes itself: attempts that fail at once nest on the stack.
let maximumFusedAttempts = 16

/// A source that does its own work. In one allocation, a client's call can be the observable it returns, the
/// receiver of the response and the object to cancel. Override `begin()`, `copy()` and `cancel()`. Report
/// with `onNext`, `onLast`, `onError` and `onCompleted` from any thread, one call at a time. Reports after
/// the end or disposal are ignored.
// Sound: `down`, `attempts`, `receiver`, its context and `number` are written before it runs; the rest is one
// atomic word.
open class Emitter<Element: Sendable>: Observable<Element>, ObserverType, @unchecked Sendable {
    private let state = Atomic<UInt32>(0)

    /// The attempts left, including this one.
    // Unchecked, both, for the row "charts pipeline, built for each request" of RxBench.
    @exclusivity(unchecked)
    private final var attempts: UInt32 = 1

    /// Receives the result instead of the next step.
    // Unchecked for the row "charts pipeline, built for each request" of RxBench.
    @exclusivity(unchecked)
    private final var receiver: (any SingleReceiver<Element>)?
    private final var number = 0

    private static var begun: UInt32 { 1 }
    private static var stopped: UInt32 { 2 }
    private static var cancelled: UInt32 { 4 }
    /// The emitter has failed, and a fresh one replaces it once `begin()` has returned.
    private static var isRetried: UInt32 { 8 }

    public override init() {
        super.init()
    }

    /// Whether `copy()` may be called while it runs, for another attempt.
    package final var isCopied: Bool { attempts > 1 }

    /// Whether it reports to a receiver of singles instead of a step, so that no operator's closure runs.
    package final var hasReceiver: Bool { receiver != nil }

    /// Identifies the context of its receiver; nil if that does not know it, and without a receiver.
    // Read when it is subscribed to, because a call through `receiver` counts references.
    package private(set) final var receiverContext: ObjectIdentifier?

    /// Whether the receiver keeps this emitter's link for its record.
    package private(set) final var isKept = false

    /// Its number among the receiver's singles; nil if it reports to a step.
    package final var receiverNumber: Int? { receiver == nil ? nil : number }

    /// Whether it has reported its end. If not, a call of `cancel()` comes from the subscriber.
    package final var hasEnded: Bool { state.load(ordering: .relaxed) & Emitter.stopped != 0 }

    /// Starts the work. Called once, when this object is subscribed to. It may report before it returns.
    open func begin() {}

    /// Returns a fresh emitter for a further subscription or attempt. Every subclass overrides it, because
    /// each object runs once.
    open func copy() -> Emitter<Element> {
        preconditionFailure("\(type(of: self)) does not override copy(), which a further subscription needs")
    }

    /// Stops the work and frees its resources, after disposal or the delivery of the last event. Called once,
    /// after `begin()` has returned and before another attempt starts.
    open func cancel() {}

    /// The same after a stop from downstream, for an emitter that stops or disposes something, which it
    /// leaves to `stops`.
    func cancel(_ stops: inout DisposalStack) {
        cancel()
    }

    /// Whether further reports are ignored.
    public final var isStopped: Bool {
        state.load(ordering: .relaxed) & (Emitter.stopped | Emitter.cancelled) != 0
    }

    /// Passes an event on.
    public func on(_ event: Event<Element>) {
        switch event {
        case .next(let element): onNext(element)
        case .error(let error): onError(error)
        case .completed: onCompleted()
        }
    }

    /// Passes a value on.
    public func onNext(_ element: Element) {
        // A receiver expects one value, which is the last.
        guard !hasReceiver else { return onLast(element) }
        if !isStopped { down.next(element) }
    }

    /// Reports the last value with the completion.
    public func onLast(_ element: consuming Element) {
        guard close() else { return }
        if let receiver { receiver.succeeded(element, number: number) } else { down.last(element) }
        release()
    }

    /// Ends the stream with an error.
    public func onError(_ error: any Error) {
        guard close() else { return }
        guard attempts == 1 else { return retryOnceBegun() }
        if let receiver { receiver.failed(error, number: number) } else { down.error(error) }
        release()
    }

    /// Ends the stream without an error.
    public func onCompleted() {
        guard close() else { return }
        if let receiver { receiver.failed(RxError.noElements, number: number) } else { down.completed() }
        release()
    }

    /// Retries now, or leaves that to `start()` until `begin()` has returned: a failed attempt ends before
    /// the next one starts.
    private func retryOnceBegun() {
        let old = state.bitwiseOr(Emitter.isRetried, ordering: .acquiringAndReleasing).oldValue
        if old & Emitter.begun != 0 { retry() }
    }

    /// Replaces this emitter with a fresh one and ignores its late events.
    private func retry() {
        let next = copy()
        next.attempts = attempts - 1
        release()
        startStream(next, down.share())
    }

    override final func fuseRetry(attempts: Int) -> Bool {
        guard self.attempts == 1 else { return false }
        self.attempts = UInt32(attempts)
        return true
    }

    /// Returns whether the caller may send the terminal event.
    final func close() -> Bool {
        let old = state.bitwiseOr(Emitter.stopped, ordering: .acquiringAndReleasing).oldValue
        return old & (Emitter.stopped | Emitter.cancelled) == 0
    }

    /// Calls `cancel()` once, after `begin()` has returned.
    private func release() {
        if mustCancel() { cancel() }
    }

    private func mustCancel() -> Bool {
        HeldLocks.assertNone()
        let old = state.bitwiseOr(Emitter.cancelled, ordering: .acquiringAndReleasing).oldValue
        return old & (Emitter.cancelled | Emitter.begun) == Emitter.begun
    }

    override final func stop(_ stops: inout DisposalStack) {
        guard mustCancel() else { return }
        // If it is sending its end, the events of a chain of emitters are nested as deep as their disposals
        // would be.
        if hasEnded { cancel() } else { cancel(&stops) }
    }

    override final func endReceived() {
        if !hasEnded { release() }
    }

    private func freshCopy() -> Emitter<Element> {
        let emitter = copy()
        emitter.attempts = attempts
        return emitter
    }

    override final consuming func run(_ port: consuming Downstream<Element>) {
        let emitter = runnable()
        emitter.down.takeStep(of: consume port)
        emitter.down.attach(emitter)
        emitter.start()
    }

    override final consuming func run(for receiver: any SingleReceiver<Element>, number: Int) -> Link {
        guard attempts == 1 else { return super.run(for: receiver, number: number) }
        let emitter = runnable()
        emitter.receiver = receiver
        emitter.number = number
        emitter.receiverContext = receiver.subscriberContext
        emitter.isKept = type(of: receiver).keepsLinks
        emitter.start()
        return emitter
    }

    /// Returns this emitter if it has no other owner, else a fresh one.
    private consuming func runnable() -> Emitter<Element> {
        var link: Link = consume self
        let isAlone = isKnownUniquelyReferenced(&link)
        // Sound: it is this object.
        // Unchecked for the row "charts pipeline, built for each request" of RxBench.
        let emitter = unsafeDowncast(consume link, to: Emitter<Element>.self)
        return isAlone ? emitter : emitter.freshCopy()
    }

    private func start() {
        guard !isStopped else { return }
        HeldLocks.assertNone()
        begin()
        let old = state.bitwiseOr(Emitter.begun, ordering: .acquiringAndReleasing).oldValue
        if old & Emitter.cancelled != 0 { cancel() } else if old & Emitter.isRetried != 0 { retry() }
    }
}
