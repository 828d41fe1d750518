import Locking

/// Runs hooks one after another. A hook has ended when its task has, or its limit is over.
final class HookRun: Sendable {
    private struct State {
        /// The hook that runs.
        var task: LimitedTask?
        var isCancelled = false
    }

    private let hooks: [LifecycleHook]
    private let surroundings: GatewayLife.Surroundings
    private let stopsAtFault: Bool
    private let ended: @Sendable (BackgroundFault?) -> Void
    private let state = Lock(State())

    /// - Parameters:
    ///   - hooks: in the order in which they run.
    ///   - surroundings: where they run.
    ///   - stopsAtFault: whether the first fault ends the run. Otherwise faults are reported.
    ///   - ended: called once, with the fault that has ended the run.
    init(
        _ hooks: [LifecycleHook], in surroundings: GatewayLife.Surroundings, stopsAtFault: Bool,
        ended: @escaping @Sendable (BackgroundFault?) -> Void
    ) {
        self.hooks = hooks
        self.surroundings = surroundings
        self.stopsAtFault = stopsAtFault
        self.ended = ended
    }

    func begin() { run(0) }

    /// Cancels the hook that runs, and begins no other one.
    func cancel() {
        let task = state.withLock { state in
            state.isCancelled = true
            return state.task
        }
        task?.cancel()
    }

    private func run(_ index: Int) {
        guard index < hooks.count, !state.withLock({ $0.isCancelled }) else { return ended(nil) }
        let hook = hooks[index]
        let task = LimitedTask(surroundings.site, limit: hook.limit) { [self] event in
            switch event {
            case .overdue: hookEnded(index, BackgroundFault(hook.name, after: hook.limit))
            case .ended(let error): hookEnded(index, error.map { BackgroundFault(hook.name, $0) })
            // The run has gone on.
            case .endedLate: break
            }
        }
        let isCancelled = state.withLock { state in
            state.task = task
            return state.isCancelled
        }
        if isCancelled { task.cancel() }
        task.begin(hook.work)
    }

    private func hookEnded(_ index: Int, _ fault: BackgroundFault?) {
        state.withLock { $0.task = nil }
        if let fault {
            if stopsAtFault { return ended(fault) }
            surroundings.report(fault)
        }
        run(index + 1)
    }
}
