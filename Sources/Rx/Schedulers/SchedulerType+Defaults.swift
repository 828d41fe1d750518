import Locking

extension SchedulerType {
    /// Periodic work as a chain of relative work.
    @preconcurrency
    public func schedulePeriodic<StateType: Sendable>(
        _ state: StateType, startAfter: RxTimeInterval, period: RxTimeInterval,
        action: @escaping @Sendable (StateType) -> StateType
    ) -> any Disposable {
        let run = PeriodicRun(self, state, period, action)
        run.schedule(after: startAfter)
        return run
    }
}

/// The chain of relative work that makes periodic work.
private final class PeriodicRun<StateType: Sendable>: Disposable {
    private let scheduler: any SchedulerType
    private let period: RxTimeInterval
    private let action: @Sendable (StateType) -> StateType
    private let state: Lock<StateType>
    private let pending = SerialDisposable()

    init(
        _ scheduler: any SchedulerType, _ state: StateType, _ period: RxTimeInterval,
        _ action: @escaping @Sendable (StateType) -> StateType
    ) {
        self.scheduler = scheduler
        self.period = period
        self.action = action
        self.state = Lock(state)
    }

    func schedule(after dueTime: RxTimeInterval) {
        pending.disposable = scheduler.scheduleRelative((), dueTime: dueTime) { [self] in
            // One step at a time: the next one is scheduled after this one.
            let value = state.withLock { $0 }
            let next = action(value)
            state.withLock { $0 = next }
            // The old value is let go outside of the lock.
            withExtendedLifetime(value) {}
            if !pending.isDisposed { schedule(after: period) }
            return Disposables.create()
        }
    }

    func dispose() {
        pending.dispose()
    }
}
