public import Dispatch
public import FoundationEssentials

/// A length of time, such as `.milliseconds(250)`.
public typealias RxTimeInterval = DispatchTimeInterval
/// A point in time.
public typealias RxTime = Date

/// Runs work as soon as possible, on a queue or thread of its choice.
public protocol ImmediateSchedulerType: AnyObject, Sendable {
    /// Schedules `action` with `state`. Disposing the result before it has run cancels it.
    @preconcurrency
    func schedule<StateType: Sendable>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable
}

/// Runs work at a given time.
public protocol SchedulerType: ImmediateSchedulerType {
    var now: RxTime { get }

    /// Schedules `action` to run once, `dueTime` from now.
    @preconcurrency
    func scheduleRelative<StateType: Sendable>(
        _ state: StateType, dueTime: RxTimeInterval,
        action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable

    /// Schedules `action` to run after `startAfter` and then every `period`, each time with the state it
    /// returned last. Negative times count as 0.
    @preconcurrency
    func schedulePeriodic<StateType: Sendable>(
        _ state: StateType, startAfter: RxTimeInterval, period: RxTimeInterval,
        action: @escaping @Sendable (StateType) -> StateType
    ) -> any Disposable

    /// Calls `target.timerFired(_:)` once, `dueTime` from now. Allocates no closure, since most timeouts are
    /// cancelled. The scheduler retains `target` until the timer fires or is cancelled.
    func setTimer(after dueTime: RxTimeInterval, target: any TimerTarget) -> TimerToken

    /// Cancels a timer, unless it has fired already.
    func cancelTimer(_ token: TimerToken)
}
