import Synchronization

// Sound: it adds only constants, locks and atomics.
/// A disposable that only records whether it was disposed.
public final class BooleanDisposable: DisposeBase, Cancelable, @unchecked Sendable {
    private let disposed: Atomic<Bool>

    /// Creates a disposable that is not disposed yet, unless `isDisposed` is true.
    public init(isDisposed: Bool = false) {
        disposed = Atomic(isDisposed)
        super.init()
    }

    /// Whether `dispose()` has been called.
    public var isDisposed: Bool { disposed.load(ordering: .acquiring) }

    /// Disposes of what it holds. Further calls have no effect.
    public func dispose() {
        disposed.store(true, ordering: .releasing)
    }

    override func stop(_ stops: inout DisposalStack) {
        dispose()
    }
}
