import Dispatch
import FoundationEssentials

/// What the schedulers on a dispatch queue share.
struct DispatchQueueConfiguration: Sendable {
    let queue: DispatchQueue
    let leeway: DispatchTimeInterval

    func schedule<StateType: Sendable>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        let pending = SingleAssignmentDisposable()
        queue.async {
            if !pending.isDisposed { pending.setDisposable(action(state)) }
        }
        return pending
    }

    func scheduleRelative<StateType: Sendable>(
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

    func schedulePeriodic<StateType: Sendable>(
        _ state: StateType, startAfter: RxTimeInterval, period: RxTimeInterval,
        action: @escaping @Sendable (StateType) -> StateType
    ) -> any Disposable {
        let source = DispatchSource.makeTimerSource(queue: queue)
        let timer = QueueTimer(source)
        let run = PeriodicState(state, action)
        source.setEventHandler {
            if !timer.isDisposed { run.step() }
        }
        source.schedule(deadline: .now() + startAfter, repeating: period, leeway: leeway)
        source.resume()
        return timer
    }
}
