import Dispatch
import Locking

/// A dispatch queue's timer as a disposable.
final class QueueTimer: Cancelable {
    private let source: Lock<any DispatchSourceTimer>
    private let result = SingleAssignmentDisposable()

    init(on queue: DispatchQueue) {
        source = Lock(DispatchSource.makeTimerSource(queue: queue))
    }

    /// Starts the timer, which calls `handler` until it is disposed.
    func start(
        after dueTime: RxTimeInterval, repeating period: RxTimeInterval, leeway: RxTimeInterval,
        _ handler: @escaping @Sendable () -> Void
    ) {
        source.withLock { source in
            source.setEventHandler { [self] in
                if !isDisposed { handler() }
            }
            source.schedule(deadline: .now() + dueTime, repeating: period, leeway: leeway)
            source.resume()
        }
    }

    var isDisposed: Bool { result.isDisposed }

    /// Ends the timer after its work has run. `disposable` is the result of the work.
    func fired(_ disposable: any Disposable) {
        cancel()
        result.setDisposable(disposable)
    }

    func dispose() {
        cancel()
        result.dispose()
    }

    private func cancel() {
        source.withLock { $0.cancel() }
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
