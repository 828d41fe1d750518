import Locking

extension ImmediateSchedulerType {
    /// Schedules `action` with `state`, and again with each state it passes on, until the result is disposed.
    @preconcurrency
    public func scheduleRecursive<State: Sendable>(
        _ state: State,
        action: @escaping @Sendable (_ state: State, _ recurse: @escaping @Sendable (State) -> Void) -> Void
    ) -> any Disposable {
        let run = RecursiveRun(self, action)
        run.schedule(state)
        return run
    }
}

private final class RecursiveRun<State: Sendable>: Disposable {
    private let scheduler: any ImmediateSchedulerType
    private let action: @Sendable (State, @escaping @Sendable (State) -> Void) -> Void
    private let group = CompositeDisposable()

    init(
        _ scheduler: any ImmediateSchedulerType,
        _ action: @escaping @Sendable (State, @escaping @Sendable (State) -> Void) -> Void
    ) {
        self.scheduler = scheduler
        self.action = action
    }

    func schedule(_ state: State) {
        let turn = SingleAssignmentDisposable()
        guard let key = group.insert(turn) else { return }
        turn.setDisposable(
            scheduler.schedule(state) { [self] state in
                group.remove(for: key)
                if !group.isDisposed { action(state) { self.schedule($0) } }
                return Disposables.create()
            })
    }

    func dispose() {
        group.dispose()
    }
}
