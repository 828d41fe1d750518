public import Dispatch
public import EventIO
public import FoundationEssentials
import Locking
public import Rx

/// A loop as a scheduler of reactive pipelines, from any thread. Work never runs inside the scheduling call.
extension EventLoop: SchedulerType {
    /// Runs work on the loop, after the call has returned.
    public func schedule<StateType: Sendable>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        let pending = SingleAssignmentDisposable()
        execute {
            if !pending.isDisposed { pending.setDisposable(action(state)) }
        }
        return pending
    }

    /// Runs work on the loop after `dueTime`.
    public func scheduleRelative<StateType: Sendable>(
        _ state: StateType, dueTime: RxTimeInterval, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        let timer = ScheduledAction(loop: self) { action(state) }
        timer.set(at: now + TimeAmount(dueTime))
        return timer
    }

    /// Runs work on the loop again and again, first after `startAfter` and then every `period`.
    public func schedulePeriodic<StateType: Sendable>(
        _ state: StateType, startAfter: RxTimeInterval, period: RxTimeInterval,
        action: @escaping @Sendable (StateType) -> StateType
    ) -> any Disposable {
        let timer = PeriodicAction(loop: self, period: TimeAmount(period), state: state, action)
        timer.set(at: now + TimeAmount(startAfter))
        return timer
    }

    /// Sets a timer from any thread. (Not disfavoured, so that it hides the protocol's own implementation:
    /// `cancelTimer` does not know those tokens.)
    public func setTimer(after dueTime: RxTimeInterval, target: any TimerTarget) -> TimerToken {
        setTimerFromAnyThread(after: TimeAmount(dueTime), target: target)
    }
}

// The clock of `SchedulerType`. Code that has an `EventLoop` gets the loop's own `now`, a `MonotonicTime`.
extension SchedulerType where Self == EventLoop {
    /// The loop's clock as a date, for durations and deadlines. It starts at the time of day and never jumps:
    /// it ignores changes of the system clock and stops while the machine sleeps.
    public var now: RxTime {
        let now: MonotonicTime = now
        return Date(timeIntervalSinceReferenceDate: self.wallOffset + Double(now.nanoseconds) / 1e9)
    }
}

extension TimeAmount {
    /// Converts Dispatch's interval. `.never` is longer than any clock runs.
    public init(_ interval: RxTimeInterval) {
        switch interval {
        case .seconds(let count): self = .seconds(Int64(count))
        case .milliseconds(let count): self = .milliseconds(Int64(count))
        case .microseconds(let count): self = .microseconds(Int64(count))
        case .nanoseconds(let count): self = .nanoseconds(Int64(count))
        case .never: self = TimeAmount(nanoseconds: .max)
        @unknown default: self = TimeAmount(nanoseconds: .max)
        }
    }
}

private final class ScheduledAction: Disposable, TimerTarget, Sendable {
    private let loop: EventLoop
    private let action: @Sendable () -> any Disposable
    private let result = SingleAssignmentDisposable()
    private let token = Lock<TimerToken?>(nil)

    init(loop: EventLoop, action: @escaping @Sendable () -> any Disposable) {
        self.loop = loop
        self.action = action
    }

    func set(at deadline: MonotonicTime) {
        loop.onLoop { [self] in
            guard !result.isDisposed else { return }
            let set = loop.setTimer(at: deadline, target: self)
            token.withLock { $0 = set }
        }
    }

    func timerFired(_: TimerToken) {
        token.withLock { $0 = nil }
        if !result.isDisposed { result.setDisposable(action()) }
    }

    func dispose() {
        result.dispose()
        loop.onLoop { [self] in
            if let token = token.withLock({ $0.take() }) { loop.cancelTimer(token) }
        }
    }
}

private final class PeriodicAction<State: Sendable>: Disposable, TimerTarget, Sendable {
    private struct Run {
        var state: State
        var token: TimerToken?
        var due = MonotonicTime.distantFuture
    }

    private let loop: EventLoop
    private let period: TimeAmount
    private let action: @Sendable (State) -> State
    private let disposable = BooleanDisposable()
    private let run: Lock<Run>

    init(
        loop: EventLoop, period: TimeAmount, state: State, _ action: @escaping @Sendable (State) -> State
    ) {
        self.loop = loop
        self.period = max(period, .milliseconds(1))
        run = Lock(Run(state: state))
        self.action = action
    }

    func set(at deadline: MonotonicTime) {
        loop.onLoop { [self] in
            if !disposable.isDisposed { setTimer(at: deadline) }
        }
    }

    private func setTimer(at deadline: MonotonicTime) {
        let token = loop.setTimer(at: deadline, target: self)
        run.withLock { run in
            run.due = deadline
            run.token = token
        }
    }

    func timerFired(_: TimerToken) {
        let (state, due) = run.withLock { run in
            run.token = nil
            return (run.state, run.due)
        }
        guard !disposable.isDisposed else { return }
        let next = action(state)
        // The old state is released outside the lock.
        _ = run.withLock { run in
            defer { run.state = next }
            return run.state
        }
        // Count from the time this tick was due, so that delays do not add up. Skip missed ticks.
        guard !disposable.isDisposed else { return }
        setTimer(at: due + period < loop.now ? loop.now + period : due + period)
    }

    func dispose() {
        disposable.dispose()
        loop.onLoop { [self] in
            if let token = run.withLock({ $0.token.take() }) { loop.cancelTimer(token) }
        }
    }
}

// `dispose()` is the loop disposable's own.
extension LoopDisposable: Disposable {}
