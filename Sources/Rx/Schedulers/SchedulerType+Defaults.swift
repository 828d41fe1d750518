import Locking

extension SchedulerType {
    /// Runs periodic work as a chain of relative work.
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

private final class PeriodicRun<StateType: Sendable>: Disposable {
    private let scheduler: any SchedulerType
    private let period: RxTimeInterval
    private let action: @Sendable (StateType) -> StateType
    private let state: Lock<StateType>
    /// Unhandled ticks, including the running one.
    private let ticks = Lock(0)
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
            // Schedule the next tick first, so that it precedes what the action schedules for the same time.
            if !pending.isDisposed { schedule(after: period) }
            tick()
            return Disposables.create()
        }
    }

    /// Runs one step at a time. A tick that arrives during a step is handled by the thread that runs it.
    private func tick() {
        let isFirst = ticks.withLock { ticks in
            ticks += 1
            return ticks == 1
        }
        guard isFirst else { return }
        repeat {
            if !pending.isDisposed { step() }
        } while ticks.withLock { ticks in
            ticks -= 1
            return ticks > 0
        }
    }

    private func step() {
        let value = state.withLock { $0 }
        let next = action(value)
        state.withLock { $0 = next }
        // The old value is released outside the lock.
        withExtendedLifetime(value) {}
    }

    func dispose() {
        pending.dispose()
    }
}
