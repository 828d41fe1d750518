import Locking
package import Rx

/// Runs the hooks and jobs of a gateway: `start`, `beginJobs`, `drain`, `stop`, each from any thread.
package final class GatewayLife: Sendable {
    /// Where hooks and jobs run.
    package struct Surroundings: Sendable {
        let site: TaskSite
        let loads: SharedLoads
        /// Returns a number from 0 to 1, for the jitter of jobs.
        let random: @Sendable () -> Double
        let report: @Sendable (BackgroundFault) -> Void

        /// - Parameters:
        ///   - scheduler: the clock.
        ///   - executor: runs the tasks, which may block.
        ///   - loads: the loads of all generations, which end before the hooks of the stop.
        ///   - random: for the jitter of jobs. Default: random numbers.
        ///   - report: called on any thread. Must not block.
        package init(
            scheduler: any SchedulerType, executor: any TaskExecutor, loads: SharedLoads,
            random: @escaping @Sendable () -> Double = { .random(in: 0..<1) },
            report: @escaping @Sendable (BackgroundFault) -> Void
        ) {
            site = TaskSite(scheduler: scheduler, executor: executor)
            self.loads = loads
            self.random = random
            self.report = report
        }
    }

    private struct State {
        /// The jobs of the current generation.
        var declarations: [PeriodicJob.Declaration]
        /// Empty unless the gateway serves.
        var jobs: [String: PeriodicJob] = [:]
        var start: HookRun?
        var isServing = false
        var isDraining = false
        /// Called once the gateway has stopped.
        var waiting: [@Sendable () -> Void] = []
        var stop = Stop.notAsked
        /// Limits how long the hooks of the stop wait for what has been cancelled.
        var timer: TimerToken?
    }

    private enum Stop {
        case notAsked
        /// For the ends of jobs, loads and other hooks.
        case waits
        case runs
        case over
    }

    private struct JobChange: Sendable {
        var dropped: [String: PeriodicJob] = [:]
        var kept: [(job: PeriodicJob, declaration: PeriodicJob.Declaration)] = []
        var begun: [PeriodicJob] = []
    }

    /// The hooks of the first generation.
    private let lifecycle: GatewayLifecycle
    private let surroundings: Surroundings
    /// The runs of jobs and the hooks of the start in progress, which the drain cancels.
    private let cancelled = Countdown()
    /// The hooks of the drain in progress, each of which has its own limit.
    private let drainHooks = Countdown()
    private let state: Lock<State>

    package init(_ lifecycle: GatewayLifecycle, in surroundings: Surroundings) {
        var hooks = lifecycle
        hooks.jobs = []
        self.lifecycle = hooks
        self.surroundings = surroundings
        state = Lock(State(declarations: lifecycle.jobs))
    }

    /// Whether hooks of the drain or the stop may call upstreams.
    package var hasEndHooks: Bool { lifecycle.hooks.contains { $0.moment != .start } }

    /// The number of hooks of the start, the drain and the stop.
    package var hookCounts: (start: Int, drain: Int, stop: Int) {
        func count(_ moment: LifecycleHook.Moment) -> Int { lifecycle.hooks(at: moment).count }
        return (count(.start), count(.drain), count(.stop))
    }

    /// Returns the longest time from the beginning of the drain to the end of the gateway, if each hook takes
    /// all of its time, and a job or a load does not end although it was cancelled.
    ///
    /// - Parameter drain: the longest time until the last request has ended.
    package func longestStop(after drain: Duration) -> Duration { lifecycle.longestStop(after: drain) }

    /// Runs the hooks of the start.
    ///
    /// - Parameter ended: called once, with the fault that forbids the start. Nil if the gateway drains.
    package func start(_ ended: @escaping @Sendable (BackgroundFault?) -> Void) {
        cancelled.begin()
        let run = HookRun(lifecycle.hooks(at: .start), in: surroundings, stopsAtFault: true) { [self] fault in
            let isDraining = state.withLock { state in
                state.start = nil
                return state.isDraining
            }
            cancelled.end()
            ended(isDraining ? nil : fault)
        }
        let isDraining = state.withLock { state in
            state.start = run
            return state.isDraining
        }
        if isDraining { run.cancel() }
        run.begin()
    }

    /// The gateway is ready.
    package func beginJobs() {
        state.withLock { $0.isServing = true }
        update()
    }

    /// Replaces the jobs by the jobs of another generation.
    package func use(_ next: GatewayLifecycle) {
        // The old closures are released outside the lock.
        let old = state.withLock { state in
            defer { state.declarations = next.jobs }
            return state.declarations
        }
        withExtendedLifetime(old) {}
        update()
    }

    /// Begins, changes and cancels jobs as they are declared now.
    private func update() {
        let change = state.withLock { state -> JobChange in
            var change = JobChange()
            guard state.isServing, !state.isDraining else { return change }
            change.dropped = state.jobs
            for declaration in state.declarations {
                if let job = change.dropped.removeValue(forKey: declaration.name) {
                    change.kept.append((job: job, declaration: declaration))
                } else {
                    let job = PeriodicJob(declaration, in: surroundings, counting: cancelled)
                    state.jobs[declaration.name] = job
                    change.begun.append(job)
                }
            }
            for name in change.dropped.keys { state.jobs[name] = nil }
            return change
        }
        for job in change.dropped.values { job.cancel() }
        for (job, declaration) in change.kept { job.use(declaration) }
        for job in change.begun { job.begin() }
    }

    /// Cancels the jobs and the start. Later calls do nothing.
    ///
    /// - Parameter runsHooks: whether to run the hooks of the drain: whether the gateway was ready.
    package func drain(runsHooks: Bool) {
        let (isFirst, start, jobs) = state.withLock { state in
            let isFirst = !state.isDraining
            // Counted at once, so that no stop overlooks them.
            if isFirst, runsHooks { drainHooks.begin() }
            defer {
                state.isDraining = true
                state.jobs = [:]
            }
            return (isFirst, state.start, Array(state.jobs.values))
        }
        guard isFirst else { return }
        start?.cancel()
        for job in jobs { job.cancel() }
        guard runsHooks else { return }
        HookRun(lifecycle.hooks(at: .drain), in: surroundings, stopsAtFault: false) { [drainHooks] _ in
            drainHooks.end()
        }.begin()
    }

    /// Runs the hooks of the stop, once the hooks of the drain have ended, and the jobs and loads, which are
    /// cancelled. Later calls only wait.
    ///
    /// - Parameter ended: called once the hooks have ended.
    package func stop(_ ended: @escaping @Sendable () -> Void) {
        drain(runsHooks: false)
        let old = state.withLock { state in
            defer { if state.stop == .notAsked { state.stop = .waits } }
            if state.stop != .over { state.waiting.append(ended) }
            return state.stop
        }
        if old == .over { return ended() }
        guard old == .notAsked else { return }
        drainHooks.whenNone { [self] in awaitCancelled() }
    }

    /// Waits at most `GatewayLifecycle.endLimit` for what has been cancelled.
    private func awaitCancelled() {
        let loads = surroundings.loads
        loads.cancel()
        cancelled.whenNone { [self] in
            // A job may have begun some.
            loads.cancel()
            loads.whenNone { [self] in runStops() }
        }
        guard state.withLock({ $0.stop == .waits }) else { return }
        let timer = surroundings.site.setTimer(after: GatewayLifecycle.endLimit, self)
        let isLate = state.withLock { state in
            if state.stop == .waits { state.timer = timer }
            return state.stop != .waits
        }
        if isLate { surroundings.site.scheduler.cancelTimer(timer) }
    }

    private func runStops() {
        let (isFirst, timer) = state.withLock { state -> (Bool, TimerToken?) in
            guard state.stop == .waits else { return (false, nil) }
            state.stop = .runs
            return (true, state.timer.take())
        }
        guard isFirst else { return }
        if let timer { surroundings.site.scheduler.cancelTimer(timer) }
        HookRun(lifecycle.hooks(at: .stop), in: surroundings, stopsAtFault: false) { [self] _ in
            surroundings.loads.close()
            let waiting = state.withLock { state in
                defer { state.waiting = [] }
                state.stop = .over
                return state.waiting
            }
            for ended in waiting { ended() }
        }.begin()
    }
}

extension GatewayLife: BackgroundTimer {
    /// What was cancelled has not ended.
    package func timerFired(_: TimerToken) {
        state.withLock { $0.timer = nil }
        surroundings.report(
            BackgroundFault("a cancelled job, load or hook of onStart", after: GatewayLifecycle.endLimit))
        runStops()
    }
}
