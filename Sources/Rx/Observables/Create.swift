import Locking

extension ObservableType {
    /// A stream made by hand. `subscribe` is called for each subscription with its observer, and returns what ends the
    /// work. Events after the stop event or after disposal are ignored.
    @inlinable
    public static func create(
        _ subscribe: @escaping @Sendable (AnyObserver<Element>) -> any Disposable
    ) -> Observable<Element> {
        Create(subscribe)
    }
}

@usableFromInline
final class Create<Element: Sendable>: Emitter<Element>, @unchecked Sendable {
    private let body: @Sendable (AnyObserver<Element>) -> any Disposable
    // Sound: written by `begin()`, read by `cancel()`, which the emitter's state word orders after it.
    @exclusivity(unchecked)
    private var resource: (any Disposable)?

    @usableFromInline
    init(_ body: @escaping @Sendable (AnyObserver<Element>) -> any Disposable) {
        self.body = body
        super.init()
    }

    override func copy() -> Emitter<Element> {
        type(of: self).init(body)
    }

    override func begin() {
        resource = body(AnyObserver(emitter: self))
    }

    override func cancel() {
        resource.take()?.dispose()
    }
}
