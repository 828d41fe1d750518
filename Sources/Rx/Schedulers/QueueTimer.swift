import Dispatch
import Locking

/// A timer of a dispatch queue as a disposable.
///
/// Sound as Sendable: dispatch sources may be cancelled from any thread, and nothing else is done with this one.
final class QueueTimer: Cancelable, @unchecked Sendable {
    private let source: any DispatchSourceTimer
    private let result = SingleAssignmentDisposable()

    init(_ source: any DispatchSourceTimer) {
        self.source = source
    }

    var isDisposed: Bool { result.isDisposed }

    /// The timer's work was done and left `disposable` to dispose.
    func fired(_ disposable: any Disposable) {
        source.cancel()
        result.setDisposable(disposable)
    }

    func dispose() {
        source.cancel()
        result.dispose()
    }
}

/// The state that periodic work hands from one time to the next. A time that comes while the one before still runs is
/// left out.
final class PeriodicState<StateType: Sendable>: Sendable {
    private let action: @Sendable (StateType) -> StateType
    private let state: Lock<(value: StateType, isRunning: Bool)>

    init(_ state: StateType, _ action: @escaping @Sendable (StateType) -> StateType) {
        self.action = action
        self.state = Lock((state, false))
    }

    func step() {
        let value: StateType? = state.withLock { state in
            guard !state.isRunning else { return nil }
            state.isRunning = true
            return state.value
        }
        guard let value else { return }
        let next = action(value)
        // The old value is let go outside of the lock.
        _ = state.withLock { state in
            defer { state = (next, false) }
            return state.value
        }
    }
}
