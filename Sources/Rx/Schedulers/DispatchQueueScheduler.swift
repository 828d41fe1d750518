public import Dispatch
public import FoundationEssentials

/// The base class of schedulers that run work on a dispatch queue.
// Sound: it and its subclasses store only constants and atomics.
public class DispatchQueueScheduler: SchedulerType, @unchecked Sendable {
    private let queue: DispatchQueue
    private let leeway: DispatchTimeInterval

    init(on queue: DispatchQueue, leeway: DispatchTimeInterval = .nanoseconds(0)) {
        self.queue = queue
        // Dispatch traps if it or a period is negative.
        self.leeway = .nanoseconds(leeway.saturatedNanoseconds)
    }

    public final var now: RxTime { Date() }

    @preconcurrency
    public func schedule<StateType: Sendable>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        let pending = SingleAssignmentDisposable()
        queue.async {
            if !pending.isDisposed { pending.setDisposable(action(state)) }
        }
        return pending
    }

    @preconcurrency
    public final func scheduleRelative<StateType: Sendable>(
        _ state: StateType, dueTime: RxTimeInterval,
        action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        let source = DispatchSource.makeTimerSource(queue: queue)
        let timer = QueueTimer(source)
        source.setEventHandler {
            guard !timer.isDisposed else { return }
            timer.fired(action(state))
        }
        source.schedule(deadline: .now() + dueTime, leeway: leeway)
        source.resume()
        return timer
    }

    @preconcurrency
    public final func schedulePeriodic<StateType: Sendable>(
        _ state: StateType, startAfter: RxTimeInterval, period: RxTimeInterval,
        action: @escaping @Sendable (StateType) -> StateType
    ) -> any Disposable {
        let source = DispatchSource.makeTimerSource(queue: queue)
        let timer = QueueTimer(source)
        let run = PeriodicState(state, action)
        source.setEventHandler {
            if !timer.isDisposed { run.step() }
        }
        let interval = RxTimeInterval.nanoseconds(period.saturatedNanoseconds)
        source.schedule(deadline: .now() + startAfter, repeating: interval, leeway: leeway)
        source.resume()
        return timer
    }
}
