import Locking

extension ObservableType {
    /// Creates a stream from a closure that runs once for each subscription. It sends events to the observer
    /// and returns a disposable that cancels the work, disposed once when the stream ends or the subscription
    /// is disposed. Events are delivered on the sending thread. Events after the end or disposal are ignored.
    @inlinable
    @preconcurrency
    public static func create(
        _ subscribe: @escaping @Sendable (AnyObserver<Element>) -> any Disposable
    ) -> Observable<Element> {
        Create(subscribe)
    }
}

// Sound: the emitter's state word orders `begin()` before `cancel()`.
@usableFromInline
final class Create<Element: Sendable>: Emitter<Element>, @unchecked Sendable {
    // Sound: cleared only by `begin()`. `copy()` reads it earlier, or later only if `begin()` kept it for
    // another attempt. Unchecked, both, for the row "charts pipeline, built for each request" of RxBench.
    @exclusivity(unchecked)
    private var body: (@Sendable (AnyObserver<Element>) -> any Disposable)?
    @exclusivity(unchecked)
    private var resource: (any Disposable)?

    @usableFromInline
    init(_ body: (@Sendable (AnyObserver<Element>) -> any Disposable)?) {
        self.body = body
        super.init()
    }

    override func copy() -> Emitter<Element> {
        type(of: self).init(body)
    }

    override func begin() {
        // The observer retains this emitter. Drop the closure, because its captures may include the
        // observer's owner.
        let body = isCopied ? self.body : self.body.take()
        resource = body?(AnyObserver(emitter: self))
    }

    override func cancel() {
        resource.take()?.dispose()
    }

    override func cancel(_ stops: inout DisposalStack) {
        if let resource = resource.take() { stops.dispose(resource) }
    }
}
