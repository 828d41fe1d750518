import Dispatch
import Locking
import Networking
import Rx

/// Where tasks run, and whose clock limits them.
struct TaskSite: Sendable {
    let scheduler: any SchedulerType
    let executor: any TaskExecutor

    /// Sets a timer.
    func setTimer(after time: Duration, _ target: any TimerTarget) -> TimerToken {
        scheduler.setTimer(after: .nanoseconds(Int(time.nanoseconds)), target: target)
    }
}

/// A task that belongs to no request, and is cancelled once it has taken too long.
final class LimitedTask: TimerTarget, Sendable {
    private struct State {
        var task: Task<Void, Never>?
        var timer: TimerToken?
        var isCancelled = false
        var isOver = false
    }

    private let site: TaskSite
    private let limit: Duration
    private let overdue: @Sendable () -> Void
    private let ended: @Sendable ((any Error)?) -> Void
    private let state = Lock(State())

    /// - Parameters:
    ///   - site: where the task runs.
    ///   - limit: the time after which the task is cancelled.
    ///   - overdue: called if the task has not ended by then.
    ///   - ended: called once, when the task ends.
    init(
        _ site: TaskSite, limit: Duration, overdue: @escaping @Sendable () -> Void,
        ended: @escaping @Sendable ((any Error)?) -> Void
    ) {
        self.site = site
        self.limit = limit
        self.overdue = overdue
        self.ended = ended
    }

    /// Called once.
    func begin(_ work: @escaping @Sendable () async throws -> Void) {
        let timer = site.setTimer(after: limit, self)
        state.withLock { $0.timer = timer }
        let task: Task<Void, Never> = CallContext.detached {
            Task(executorPreference: site.executor) { [self] in
                do {
                    try await work()
                    end(nil)
                } catch {
                    end(error)
                }
            }
        }
        let isCancelled = state.withLock { state in
            if !state.isOver { state.task = task }
            return state.isCancelled
        }
        if isCancelled { task.cancel() }
    }

    /// Cancels the task, which may go on for a while. Before `begin`, the task begins as cancelled.
    func cancel() {
        let task = state.withLock { state in
            state.isCancelled = true
            return state.task
        }
        task?.cancel()
    }

    /// The limit is over.
    func timerFired(_: TimerToken) {
        let isOver = state.withLock { state in
            state.timer = nil
            return state.isOver
        }
        guard !isOver else { return }
        cancel()
        overdue()
    }

    private func end(_ error: (any Error)?) {
        let timer = state.withLock { state in
            state.isOver = true
            state.task = nil
            return state.timer.take()
        }
        if let timer { site.scheduler.cancelTimer(timer) }
        ended(error)
    }
}
