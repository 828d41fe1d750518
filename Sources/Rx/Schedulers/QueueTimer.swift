import Dispatch
import Locking

/// A dispatch queue's timer as a disposable.
// Sound: the dispatch source is only cancelled, which any thread may do.
final class QueueTimer: Cancelable, @unchecked Sendable {
    private let source: any DispatchSourceTimer
    private let result = SingleAssignmentDisposable()

    init(_ source: any DispatchSourceTimer) {
        self.source = source
    }

    var isDisposed: Bool { result.isDisposed }

    /// Ends the timer after its work has run. `disposable` is the result of the work.
    func fired(_ disposable: any Disposable) {
        source.cancel()
        result.setDisposable(disposable)
    }

    func dispose() {
        source.cancel()
        result.dispose()
    }
}

/// The state that periodic work passes from one run to the next. A tick that arrives during a run is skipped.
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
        // The old value is released outside the lock.
        _ = state.withLock { state in
            defer { state = (next, false) }
            return state.value
        }
    }
}
