public import Dispatch
public import FoundationEssentials

// Sound: it adds only constants.
/// The base class of schedulers that run work on a dispatch queue.
public class DispatchQueueScheduler: SchedulerType, @unchecked Sendable {
    private let queue: DispatchQueue
    private let leeway: DispatchTimeInterval
    /// Whether its work runs on the main queue.
    private let isMain: Bool

    /// - Parameter target: the queue whose threads run the work of `queue`; nil for its own.
    init(
        on queue: DispatchQueue, target: DispatchQueue? = nil,
        leeway: DispatchTimeInterval = .nanoseconds(0)
    ) {
        self.queue = queue
        isMain = MainQueue.isSame(as: target ?? queue)
        // Dispatch traps if it or a period is negative.
        self.leeway = .nanoseconds(leeway.saturatedNanoseconds)
    }

    /// The time of day.
    public final var now: RxTime { Date() }

    /// Runs work on the queue. Disposing of the result cancels it.
    @preconcurrency
    public func schedule<StateType: Sendable>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        let pending = SingleAssignmentDisposable()
        let turn = isMain ? SubscriberContexts.beginTurn(on: self) : nil
        queue.async {
            if !pending.isDisposed { pending.setDisposable(action(state)) }
            turn?.elapsed()
        }
        guard let turn else { return pending }
        return Disposables.create(pending, turn)
    }

    /// Runs work on the queue after `dueTime`.
    @preconcurrency
    public final func scheduleRelative<StateType: Sendable>(
        _ state: StateType, dueTime: RxTimeInterval,
        action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        if isMain { SubscriberContexts.noteMainQueue() }
        let timer = QueueTimer(on: queue)
        let wait = SubscriberContexts.beginWait(dueTime, on: self)
        timer.start(after: dueTime, repeating: .never, leeway: leeway) {
            wait?.elapsed()
            timer.fired(action(state))
        }
        guard let wait else { return timer }
        return Disposables.create(timer, wait)
    }

    /// Runs work on the queue again and again, first after `startAfter` and then every `period`.
    @preconcurrency
    public final func schedulePeriodic<StateType: Sendable>(
        _ state: StateType, startAfter: RxTimeInterval, period: RxTimeInterval,
        action: @escaping @Sendable (StateType) -> StateType
    ) -> any Disposable {
        if isMain { SubscriberContexts.noteMainQueue() }
        let timer = QueueTimer(on: queue)
        let run = PeriodicState(state, action)
        let interval = RxTimeInterval.nanoseconds(period.saturatedNanoseconds)
        let wait = SubscriberContexts.beginWait(startAfter, on: self)
        timer.start(after: startAfter, repeating: interval, leeway: leeway) {
            wait?.elapsed()
            run.step()
        }
        guard let wait else { return timer }
        return Disposables.create(timer, wait)
    }
}
