/// Runs work on the thread that schedules it: at once when nothing of the kind is running there, else after it.
public final class CurrentThreadScheduler: ImmediateSchedulerType {
    public static let instance = CurrentThreadScheduler()

    /// Whether the caller's thread is not inside scheduled work, so that scheduling would run the work at once.
    public static var isScheduleRequired: Bool {
        !Trampoline.current.isRunning
    }

    public func schedule<StateType: Sendable>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        let trampoline = Trampoline.current
        if trampoline.enter() {
            let disposable = action(state)
            trampoline.drain()
            return disposable
        }
        let pending = SingleAssignmentDisposable()
        trampoline.enqueue {
            if !pending.isDisposed { pending.setDisposable(action(state)) }
        }
        return pending
    }
}

/// Runs work inside the call that schedules it.
public final class ImmediateScheduler: ImmediateSchedulerType {
    public static let instance = ImmediateScheduler()

    public func schedule<StateType: Sendable>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        action(state)
    }
}
