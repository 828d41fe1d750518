import Dispatch
import Locking
import Networking
import Rx

/// Where tasks run, and whose clock limits them.
struct TaskSite: Sendable {
    let scheduler: any SchedulerType
    let executor: any TaskExecutor

    /// Sets a timer.
    func setTimer(after time: Duration, _ target: any BackgroundTimer) -> TimerToken {
        scheduler.setTimer(after: .nanoseconds(Int(time.nanoseconds)), target: target)
    }
}

/// A task that belongs to no request, and is cancelled once it has taken too long.
final class LimitedTask: BackgroundTimer, Sendable {
    enum Event: Sendable {
        /// It has exceeded its limit, and is cancelled.
        case overdue
        /// It has ended within its limit, with the error that it threw. The last event.
        case ended((any Error)?)
        /// It has ended after `overdue`. The last event.
        case endedLate
    }

    private struct State {
        var task: Task<Void, Never>?
        var timer: TimerToken?
        var isCancelled = false
        var isOverdue = false
        var isOver = false
    }

    private let site: TaskSite
    private let limit: Duration
    private let report: @Sendable (Event) -> Void
    private let state = Lock(State())

    /// - Parameters:
    ///   - site: where the task runs.
    ///   - limit: the time after which the task is cancelled.
    ///   - report: called for each event, on any thread.
    init(_ site: TaskSite, limit: Duration, report: @escaping @Sendable (Event) -> Void) {
        self.site = site
        self.limit = limit
        self.report = report
    }

    /// Called once. The task inherits no task-local value: neither the request nor any other value of the
    /// code that happens to begin it.
    func begin(_ work: @escaping @Sendable () async throws -> Void) {
        let timer = site.setTimer(after: limit, self)
        state.withLock { $0.timer = timer }
        let task: Task<Void, Never> = Task.detached(executorPreference: site.executor) { [self] in
            do {
                try await work()
                end(nil)
            } catch {
                end(error)
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
            if !state.isOver { state.isOverdue = true }
            return state.isOver
        }
        guard !isOver else { return }
        cancel()
        report(.overdue)
    }

    private func end(_ error: (any Error)?) {
        let (timer, isOverdue) = state.withLock { state in
            state.isOver = true
            state.task = nil
            return (state.timer.take(), state.isOverdue)
        }
        if let timer { site.scheduler.cancelTimer(timer) }
        report(isOverdue ? .endedLate : .ended(error))
    }
}
