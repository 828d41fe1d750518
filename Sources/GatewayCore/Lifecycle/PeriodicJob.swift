import FoundationEssentials
import Locking
import Networking
import Rx

/// A job that runs at intervals until it is cancelled.
final class PeriodicJob: BackgroundTimer, Sendable {
    struct Declaration: Sendable {
        let name: String
        let interval: Duration
        let limit: Duration
        let work: @Sendable () async throws -> Void
    }

    private struct State {
        var declaration: Declaration
        var timer: TimerToken?
        var run: LimitedTask?
        var isCancelled = false
    }

    /// The part of an interval by which a run may come earlier.
    private static let jitter = 0.1

    private let surroundings: GatewayLife.Surroundings
    /// Counts the runs in progress.
    private let running: Countdown
    private let state: Lock<State>

    init(_ declaration: Declaration, in surroundings: GatewayLife.Surroundings, counting running: Countdown) {
        self.surroundings = surroundings
        self.running = running
        state = Lock(State(declaration: declaration))
    }

    private var site: TaskSite { surroundings.site }

    /// Sets the time of the first run.
    func begin() { setTimer(after: wait(after: 0)) }

    /// Runs another closure from the next run on, and uses another interval after that.
    func use(_ declaration: Declaration) {
        // The old closure is released outside the lock.
        let old = state.withLock { state in
            defer { state.declaration = declaration }
            return state.declaration
        }
        withExtendedLifetime(old) {}
    }

    /// Begins no other run, and cancels the run in progress.
    func cancel() {
        let (timer, run) = state.withLock { state in
            state.isCancelled = true
            return (state.timer.take(), state.run)
        }
        if let timer { site.scheduler.cancelTimer(timer) }
        run?.cancel()
    }

    /// Begins a run.
    func timerFired(_: TimerToken) {
        let declaration = state.withLock { state in
            state.timer = nil
            return state.declaration
        }
        let began = site.scheduler.now
        let run = LimitedTask(site, limit: declaration.limit) { [self] event in
            switch event {
            case .overdue:
                surroundings.report(
                    BackgroundFault("the job \(declaration.name)", after: declaration.limit))
            case .ended(let error): ended(declaration, began: began, error)
            case .endedLate: ended(declaration, began: began, nil)
            }
        }
        // Before it looks whether it is cancelled, so that the stop waits for it.
        running.begin()
        let isCancelled = state.withLock { state in
            if !state.isCancelled { state.run = run }
            return state.isCancelled
        }
        if isCancelled { return running.end() }
        run.begin(declaration.work)
    }

    private func ended(_ declaration: Declaration, began: RxTime, _ error: (any Error)?) {
        let isCancelled = state.withLock { state in
            state.run = nil
            return state.isCancelled
        }
        // A cancelled run may throw anything.
        if let error, !isCancelled {
            surroundings.report(BackgroundFault("the job \(declaration.name)", error))
        }
        if !isCancelled {
            let taken = site.scheduler.now.timeIntervalSince(began)
            setTimer(after: wait(after: Int64(saturating: (taken * 1e9).rounded())))
        }
        running.end()
    }

    /// Returns the time to the next run. A run that takes longer than the interval has missed the times that
    /// have passed meanwhile.
    ///
    /// - Parameter taken: nanoseconds since the beginning of the last run.
    private func wait(after taken: Int64) -> Duration {
        let interval = max(1, state.withLock { $0.declaration.interval.nanoseconds })
        let first = Int64(saturating: Double(interval) * (1 - Self.jitter * surroundings.random()))
        guard taken > first else { return .nanoseconds(first - max(0, taken)) }
        return .nanoseconds(interval - 1 - (taken - first - 1) % interval)
    }

    private func setTimer(after time: Duration) {
        let timer = site.setTimer(after: time, self)
        let isCancelled = state.withLock { state in
            if !state.isCancelled { state.timer = timer }
            return state.isCancelled
        }
        if isCancelled { site.scheduler.cancelTimer(timer) }
    }
}
