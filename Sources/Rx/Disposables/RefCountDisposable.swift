import Locking
import Synchronization

// Sound: it adds only constants, locks and atomics.
/// Disposes a resource once this and everything returned by `retain()` have been disposed.
public final class RefCountDisposable: DisposeBase, Cancelable, @unchecked Sendable {
    private struct State {
        var resource: (any Disposable)?
        var holders = 0
        var isOver = false
    }

    private let state: Lock<State>

    /// Creates a disposable that owns the resource `disposable`.
    public init(disposable: any Disposable) {
        state = Lock(State(resource: disposable))
        super.init()
    }

    /// Whether `dispose()` has been called.
    public var isDisposed: Bool {
        state.withLock { $0.resource == nil }
    }

    /// Returns a disposable that keeps the resource until it is disposed. Does nothing once the resource is
    /// disposed.
    public func retain() -> any Disposable {
        let isRetained = state.withLock { state in
            guard state.resource != nil else { return false }
            state.holders += 1
            return true
        }
        return isRetained ? Holder(self) : Disposables.create()
    }

    /// Disposes the resource, now or when the last disposable from `retain()` is disposed.
    public func dispose() {
        stop()
    }

    override func stop(_ stops: inout DisposalStack) {
        let resource = state.withLock { state in
            state.isOver = true
            return RefCountDisposable.resourceToDispose(&state)
        }
        if let resource { stops.dispose(resource) }
    }

    private func release(_ stops: inout DisposalStack) {
        let resource = state.withLock { state in
            state.holders -= 1
            return RefCountDisposable.resourceToDispose(&state)
        }
        if let resource { stops.dispose(resource) }
    }

    override func unlink(_ others: inout [Link]) -> Link? {
        state.withLock({ $0.resource.take() }) as? Link
    }

    deinit {
        Link.free(state.withLock({ $0.resource.take() }) as? Link)
    }

    private static func resourceToDispose(_ state: inout State) -> (any Disposable)? {
        state.isOver && state.holders == 0 ? state.resource.take() : nil
    }

    // Sound: it adds only constants, locks and atomics.
    private final class Holder: DisposeBase, Disposable, @unchecked Sendable {
        /// Nil once the object is about to be freed.
        private let owner: Lock<RefCountDisposable?>
        private let isReleased = Atomic<Bool>(false)

        init(_ owner: RefCountDisposable) {
            self.owner = Lock(owner)
            super.init()
        }

        func dispose() {
            stop()
        }

        override func stop(_ stops: inout DisposalStack) {
            guard !isReleased.exchange(true, ordering: .acquiringAndReleasing) else { return }
            owner.withLock { $0 }?.release(&stops)
        }

        override func unlink(_ others: inout [Link]) -> Link? {
            owner.withLock { $0.take() }
        }

        deinit {
            Link.free(owner.withLock { $0.take() })
        }
    }
}
