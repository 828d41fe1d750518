import Locking
import Synchronization

/// Disposes a resource once this and everything returned by `retain()` have been disposed.
// Sound: it adds only constants, locks and atomics.
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

    public var isDisposed: Bool {
        state.withLock { $0.resource == nil }
    }

    /// Returns a disposable that keeps the resource until it is disposed. Does nothing once the resource is disposed.
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
        let resource = state.withLock { state in
            state.isOver = true
            return RefCountDisposable.resourceToDispose(&state)
        }
        resource?.dispose()
    }

    private func release() {
        let resource = state.withLock { state in
            state.holders -= 1
            return RefCountDisposable.resourceToDispose(&state)
        }
        resource?.dispose()
    }

    private static func resourceToDispose(_ state: inout State) -> (any Disposable)? {
        state.isOver && state.holders == 0 ? state.resource.take() : nil
    }

    private final class Holder: Disposable {
        #if DEBUG || TRACE_RESOURCES
            private let counted = CountedResource()
        #endif
        private let owner: RefCountDisposable
        private let isReleased = Atomic<Bool>(false)

        init(_ owner: RefCountDisposable) {
            self.owner = owner
        }

        func dispose() {
            if !isReleased.exchange(true, ordering: .acquiringAndReleasing) { owner.release() }
        }
    }
}
