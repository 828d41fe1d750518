import Dispatch
import GatewayCore
import Networking
import Rx

/// The scheduler of a gateway in virtual time, and the executor of its tasks.
final class VirtualScheduler: SchedulerType, TaskExecutor {
    private let clock: VirtualClock
    private let events: ClockScheduler
    private let deadlines: ClockScheduler

    init(_ clock: VirtualClock) {
        self.clock = clock
        events = ClockScheduler(clock, isForDeadlines: false)
        deadlines = ClockScheduler(clock, isForDeadlines: true)
    }

    var now: RxTime { clock.date }

    func schedule<StateType: Sendable>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        events.schedule(state, action: action)
    }

    func scheduleRelative<StateType: Sendable>(
        _ state: StateType, dueTime: RxTimeInterval,
        action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        events.scheduleRelative(state, dueTime: dueTime, action: action)
    }

    /// A request's own timer is its deadline.
    func setTimer(after dueTime: RxTimeInterval, target: any TimerTarget) -> TimerToken {
        (target is any OngoingRequest ? deadlines : events).setTimer(after: dueTime, target: target)
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        clock.execute(isTask: true) { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}

/// The executor of a test in virtual time. Apart from that of its gateway, because only requests may stall.
final class VirtualTestExecutor: TaskExecutor {
    private let clock: VirtualClock

    init(_ clock: VirtualClock) { self.clock = clock }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        clock.execute { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}

/// Schedules events of a clock.
private final class ClockScheduler: SchedulerType {
    private let clock: VirtualClock
    private let isForDeadlines: Bool

    init(_ clock: VirtualClock, isForDeadlines: Bool) {
        self.clock = clock
        self.isForDeadlines = isForDeadlines
    }

    var now: RxTime { clock.date }

    func schedule<StateType: Sendable>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        clock.schedule(after: 0) { action(state) }
    }

    func scheduleRelative<StateType: Sendable>(
        _ state: StateType, dueTime: RxTimeInterval,
        action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        clock.schedule(after: dueTime.nanoseconds, isDeadline: isForDeadlines) { action(state) }
    }
}
