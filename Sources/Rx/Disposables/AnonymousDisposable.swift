import Locking

/// Calls a closure once and then releases it.
final class AnonymousDisposable: Cancelable {
    #if DEBUG || TRACE_RESOURCES
        private let counted = CountedResource()
    #endif
    private let action: Lock<(@Sendable () -> Void)?>

    init(_ action: @escaping @Sendable () -> Void) {
        self.action = Lock(action)
    }

    var isDisposed: Bool {
        action.withLock { $0 == nil }
    }

    func dispose() {
        HeldLocks.assertNone()
        let action = self.action.withLock { action in
            defer { action = nil }
            return action
        }
        action?()
    }
}
