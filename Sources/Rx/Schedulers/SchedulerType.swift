public import Dispatch
public import FoundationEssentials

/// A span of scheduler time.
public typealias RxTimeInterval = DispatchTimeInterval
/// A point of scheduler time.
public typealias RxTime = Date

/// Runs work as soon as its rules allow.
public protocol ImmediateSchedulerType: AnyObject, Sendable {
    /// Runs `action` with `state`. Disposing before it ran means it will not run.
    @preconcurrency
    func schedule<StateType: Sendable>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable
}

/// Runs work at a time.
public protocol SchedulerType: ImmediateSchedulerType {
    /// The scheduler's clock.
    var now: RxTime { get }

    /// Runs `action` once, `dueTime` from now.
    @preconcurrency
    func scheduleRelative<StateType: Sendable>(
        _ state: StateType, dueTime: RxTimeInterval,
        action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable

    /// Runs `action` after `startAfter` and then every `period`, with the state it returned before.
    @preconcurrency
    func schedulePeriodic<StateType: Sendable>(
        _ state: StateType, startAfter: RxTimeInterval, period: RxTimeInterval,
        action: @escaping @Sendable (StateType) -> StateType
    ) -> any Disposable

    /// Calls `target.timerFired` once, `dueTime` from now: the form without a closure, for times that nearly always are
    /// cancelled. The scheduler keeps `target` alive until then.
    func setTimer(after dueTime: RxTimeInterval, target: any TimerTarget) -> TimerToken

    /// Forgets a timer. One that fired or was cancelled before is left alone.
    func cancelTimer(_ token: TimerToken)
}
