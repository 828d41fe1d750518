/// What a `WorkSource` does for each of its subscriptions. Kept as it is, and the same for all of them.
public protocol SourceWork: Sendable {
    associatedtype Output: Sendable

    /// Starts the work for one subscription. It reports to `emitter`, at once or later; what it returns is disposed after
    /// its last report, or when nobody wants it any more.
    func start(for emitter: Emitter<Output>) -> any Disposable
}

/// A cold source whose work is an object: what `create` is for closures, with fewer allocations. Its work reports through the
/// emitter, that is with `onLast` where a value is the last one.
public final class WorkSource<Work: SourceWork>: Emitter<Work.Output>, @unchecked Sendable {
    private let work: Work
    // Sound: written by `begin()`, read by `cancel()`, which the emitter's state word orders after it.
    @exclusivity(unchecked)
    private var running: (any Disposable)?

    public init(_ work: consuming Work) {
        self.work = work
        super.init()
    }

    public override func copy() -> Emitter<Work.Output> {
        WorkSource(work)
    }

    public override func begin() {
        running = work.start(for: self)
    }

    public override func cancel() {
        let running = self.running
        self.running = nil
        running?.dispose()
    }
}
