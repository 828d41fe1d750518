/// Runs work inside the call that schedules it, before that returns.
public final class ImmediateScheduler: ImmediateSchedulerType {
    /// The shared scheduler.
    public static let instance = ImmediateScheduler()

    private init() {}

    /// Runs work inside the call.
    @preconcurrency
    public func schedule<StateType: Sendable>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        action(state)
    }
}
