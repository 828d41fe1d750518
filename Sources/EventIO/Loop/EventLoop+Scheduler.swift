public import Dispatch
public import FoundationEssentials
public import Rx

/// A loop as a scheduler of reactive pipelines, from any thread. Work never runs inside the scheduling call.
extension EventLoop: SchedulerType {
    public func schedule<StateType: Sendable>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        let pending = SingleAssignmentDisposable()
        execute {
            if !pending.isDisposed { pending.setDisposable(action(state)) }
        }
        return pending
    }

    public func scheduleRelative<StateType: Sendable>(
        _ state: StateType, dueTime: RxTimeInterval, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        let timer = ScheduledAction(loop: self) { action(state) }
        timer.set(at: now + TimeAmount(dueTime))
        return timer
    }

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
        guard isCurrent else { return remoteTimers.set(at: .clock() + TimeAmount(dueTime), target, on: self) }
        return setTimer(at: now + TimeAmount(dueTime), target: target)
    }
}

// The scheduler's clock. On a concrete `EventLoop`, `now` is the loop's own.
extension SchedulerType where Self == EventLoop {
    /// The loop's clock as a date, for durations and deadlines. It starts at the time of day and never jumps: it
    /// ignores changes of the system clock and stops while the machine sleeps.
    public var now: RxTime {
        let now: MonotonicTime = now
        return Date(timeIntervalSinceReferenceDate: self.wallOffset + Double(now.nanoseconds) / 1e9)
    }
}

extension EventLoop {
    /// Seconds from the monotonic clock to the time of day, the same for all loops.
    static let wallOffset =
        Date().timeIntervalSinceReferenceDate - Double(MonotonicTime.clock().nanoseconds) / 1e9
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

/// `@unchecked Sendable`: `token` is used on the loop only.
private final class ScheduledAction: Disposable, TimerTarget, @unchecked Sendable {
    private let loop: EventLoop
    private let action: @Sendable () -> any Disposable
    private let result = SingleAssignmentDisposable()
    private var token: TimerToken?

    init(loop: EventLoop, action: @escaping @Sendable () -> any Disposable) {
        self.loop = loop
        self.action = action
    }

    func set(at deadline: MonotonicTime) {
        loop.onLoop { [self] in
            if !result.isDisposed { token = loop.setTimer(at: deadline, target: self) }
        }
    }

    func timerFired(_: TimerToken) {
        token = nil
        if !result.isDisposed { result.setDisposable(action()) }
    }

    func dispose() {
        result.dispose()
        loop.onLoop { [self] in
            if let token { loop.cancelTimer(token) }
            token = nil
        }
    }
}

/// `@unchecked Sendable`: `state`, `token` and `due` are used on the loop only.
private final class PeriodicAction<State: Sendable>: Disposable, TimerTarget, @unchecked Sendable {
    private let loop: EventLoop
    private let period: TimeAmount
    private let action: @Sendable (State) -> State
    private let disposable = BooleanDisposable()
    private var state: State
    private var token: TimerToken?
    private var due = MonotonicTime.distantFuture

    init(
        loop: EventLoop, period: TimeAmount, state: State, _ action: @escaping @Sendable (State) -> State
    ) {
        self.loop = loop
        self.period = max(period, .milliseconds(1))
        self.state = state
        self.action = action
    }

    func set(at deadline: MonotonicTime) {
        loop.onLoop { [self] in
            guard !disposable.isDisposed else { return }
            due = deadline
            token = loop.setTimer(at: deadline, target: self)
        }
    }

    func timerFired(_: TimerToken) {
        token = nil
        guard !disposable.isDisposed else { return }
        state = action(state)
        // Count from the time this tick was due, so that delays do not add up. Skip missed ticks.
        due = due + period
        if due < loop.now { due = loop.now + period }
        if !disposable.isDisposed { token = loop.setTimer(at: due, target: self) }
    }

    func dispose() {
        disposable.dispose()
        loop.onLoop { [self] in
            if let token { loop.cancelTimer(token) }
            token = nil
        }
    }
}

extension EventLoop {
    /// Runs `work` now when called on the loop, else soon.
    func onLoop(_ work: @escaping @Sendable () -> Void) {
        if isCurrent { work() } else { execute(work) }
    }
}
