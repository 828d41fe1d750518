import Synchronization

/// A source that is the object doing the work: a client's call can be the observable it returns, the receiver of
/// the answer and the thing to cancel, in one allocation.
///
/// Subclass it, override `begin()` to start the work, `copy()` to make a fresh one for a further subscription,
/// and `cancel()` to stop. Then report with `onNext`, `onLast`, `onError`, `onCompleted` from any thread, one
/// call at a time; what comes after the end or after disposal is ignored.
open class Emitter<Element: Sendable>: Observable<Element>, ObserverType, @unchecked Sendable {
    // Sound: `down` is written before `begin()`; the rest is one atomic word.
    private let state = Atomic<UInt32>(0)

    private static var begun: UInt32 { 1 }
    private static var stopped: UInt32 { 2 }
    private static var cancelled: UInt32 { 4 }

    public override init() {
        super.init()
    }

    /// Starts the work. Called once, when this object is subscribed to; it may report before it returns.
    open func begin() {}

    /// A fresh emitter that does the same work, for a further subscription.
    open func copy() -> Emitter<Element> {
        self
    }

    /// The end: the subscription was disposed or this emitter has reported its last event. Called once, after
    /// that event was delivered and `begin()` has returned; frees what the work holds.
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
        guard !isStopped else { return }
        down.next(element)
    }

    /// The last value and the completion in one.
    public func onLast(_ element: Element) {
        guard close() else { return }
        down.last(element)
        release()
    }

    public func onError(_ error: any Error) {
        guard close() else { return }
        down.error(error)
        release()
    }

    public func onCompleted() {
        guard close() else { return }
        down.completed()
        release()
    }

    /// Takes the right to send the terminal event.
    private func close() -> Bool {
        let old = state.bitwiseOr(Emitter.stopped, ordering: .acquiringAndReleasing).oldValue
        return old & (Emitter.stopped | Emitter.cancelled) == 0
    }

    /// Calls `cancel()` once, after `begin()` has returned.
    private func release() {
        let old = state.bitwiseOr(Emitter.cancelled, ordering: .acquiringAndReleasing).oldValue
        if old & (Emitter.cancelled | Emitter.begun) == Emitter.begun { cancel() }
    }

    override final func stop() {
        release()
    }

    override final class func run(_ source: consuming Observable<Element>, _ port: consuming Port<Element>) {
        var link: Link = source
        let unique = isKnownUniquelyReferenced(&link)
        let original = unsafeDowncast(link, to: Emitter<Element>.self)
        let emitter = unique ? original : original.copy()
        emitter.down = port
        emitter.down.attach(emitter)
        guard !emitter.isStopped else { return }
        emitter.begin()
        let old = emitter.state.bitwiseOr(Emitter.begun, ordering: .acquiringAndReleasing).oldValue
        if old & Emitter.cancelled != 0 { emitter.cancel() }
    }
}
