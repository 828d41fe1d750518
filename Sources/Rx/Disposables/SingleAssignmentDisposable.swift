import Locking

// Sound: it adds only constants, locks and atomics.
/// Holds a disposable that is set once. If this is already disposed, setting the disposable disposes it.
public final class SingleAssignmentDisposable: DisposeBase, Cancelable, @unchecked Sendable {
    private struct State {
        var current: (any Disposable)?
        var isSet = false
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

    /// Sets the disposable. A second call stops the program.
    public func setDisposable(_ disposable: any Disposable) {
        let (wasSet, isDisposed) = state.withLock { state in
            defer {
                state.isSet = true
                if !state.isDisposed { state.current = disposable }
            }
            return (state.isSet, state.isDisposed)
        }
        precondition(!wasSet, "setDisposable(_:) was called twice")
        if isDisposed { disposable.dispose() }
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
            defer {
                state.current = nil
                state.isDisposed = true
            }
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
