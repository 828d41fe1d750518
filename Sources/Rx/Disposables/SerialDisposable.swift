import Locking

// Sound: it adds only constants, locks and atomics.
/// Holds one disposable at a time. Replacing it disposes the previous one.
public final class SerialDisposable: DisposeBase, Cancelable, @unchecked Sendable {
    private struct State {
        var current: (any Disposable)?
        var isDisposed = false
    }

    private let state = Lock(State())

    public override init() {
        super.init()
    }

    /// Whether `dispose()` has been called.
    public var isDisposed: Bool {
        state.withLock { $0.isDisposed }
    }

    /// The current disposable. Setting it disposes the previous one, or the new one if this is already
    /// disposed.
    public var disposable: any Disposable {
        get { state.withLock { $0.current } ?? Disposables.create() }
        set {
            let unwanted: (any Disposable)? = state.withLock { state in
                guard !state.isDisposed else { return newValue }
                defer { state.current = newValue }
                return state.current
            }
            unwanted?.dispose()
        }
    }

    /// Disposes of what it holds. Further calls have no effect.
    public func dispose() {
        stop()
    }

    override func stop(_ stops: inout DisposalStack) {
        if let current = takeCurrent() { stops.dispose(current) }
    }

    private func takeCurrent() -> (any Disposable)? {
        state.withLock { state in
            defer { state = State(current: nil, isDisposed: true) }
            return state.current
        }
    }

    override func unlink(_ others: inout [Link]) -> Link? {
        takeCurrent() as? Link
    }

    deinit {
        Link.free(takeCurrent() as? Link)
    }
}
