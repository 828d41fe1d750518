import Locking

extension ObservableType {
    /// A stream made by hand. `subscribe` is called for each subscription with its observer, and returns what ends the
    /// work. Events after the stop event or after disposal are ignored.
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
    // Sound: let go by `begin()`, before which alone others read it; an emitter that is copied for another attempt keeps it.
    // Unchecked for the row "charts pipeline, built for each request" of RxBench.
    @exclusivity(unchecked)
    private var body: (@Sendable (AnyObserver<Element>) -> any Disposable)?
    // Sound: written by `begin()`, read by `cancel()`, which the emitter's state word orders after it.
    // Unchecked for the row "charts pipeline, built for each request" of RxBench.
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
        // Whoever keeps the observer keeps this, and not what the closure has, which may be that very keeper.
        let body = isCopied ? self.body : self.body.take()
        resource = body?(AnyObserver(emitter: self))
    }

    override func cancel() {
        resource.take()?.dispose()
    }
}
