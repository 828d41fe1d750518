import Dispatch
import FoundationEssentials
import GatewayCore
import Locking
import Networking
import Rx
import RxVirtualTime
import Synchronization

/// The scheduler of a gateway in virtual time, whose clock jumps from event to event, and the executor of its
/// tasks. Any thread may add work; one thread runs it.
final class VirtualClock: JumpingClock, TaskExecutor {
    /// What a clock without due work waits for.
    enum Next: Sendable {
        /// An event in virtual time.
        case event
        /// Work of requests on the main queue.
        case turns
        /// Other threads: the only events left, if any, are deadlines of what they should end.
        case otherThreads(deadlinesAreLeft: Bool)
    }

    private let time = ManualScheduler()
    /// Timers that answers do not wait for. They end something late, such as a request, a piece of a stream,
    /// a foreign wait or a hook, or begin a job.
    private let deadlines = Lock<Set<TimerToken>>([])
    /// The waits for a turn on the main queue. The clock stands still until they have ended, so that an
    /// answer does not depend on how fast that queue is.
    private let turns = Lock<[ObjectIdentifier: ForeignWait]>([:])
    private let foreignWaitEnded = Lock<(@Sendable (ForeignWait) -> Void)?>(nil)
    /// Whether anything was added since the last wait, which then does not wait.
    private let isChanged = Atomic(false)
    private let changes = DispatchSemaphore(value: 0)

    /// The time since the start.
    var elapsed: Duration { .nanoseconds(time.clock) }

    /// Counts from 2001, because dates near that are exact to less than a nanosecond.
    var now: RxTime { RxTime(timeIntervalSinceReferenceDate: Double(time.clock) / 1e9) }

    /// The same in whole seconds since 1970.
    var unixTime: Int { Int(now.timeIntervalSince1970) }

    // MARK: - Adding work

    func schedule<StateType: Sendable>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        defer { wake() }
        return time.schedule(state, action: action)
    }

    func scheduleRelative<StateType: Sendable>(
        _ state: StateType, dueTime: RxTimeInterval,
        action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        defer { wake() }
        return time.scheduleRelative(state, dueTime: dueTime, action: action)
    }

    /// A request's own timer is its deadline.
    func setTimer(after dueTime: RxTimeInterval, target: any TimerTarget) -> TimerToken {
        guard target is any OngoingRequest || target is any BackgroundTimer else {
            defer { wake() }
            return time.setTimer(after: dueTime, target: target)
        }
        return setDeadline(after: dueTime, target)
    }

    private func setDeadline(after dueTime: RxTimeInterval, _ target: any TimerTarget) -> TimerToken {
        defer { wake() }
        return deadlines.withLock { deadlines in
            let token = time.setTimer(after: dueTime, target: Deadline(self, target))
            deadlines.insert(token)
            return token
        }
    }

    /// Does `work` after `delay`, unless disposed earlier. The clock does not jump there before it has waited
    /// for other threads.
    func setDeadline(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> any Disposable {
        let token = setDeadline(after: .nanoseconds(Int(delay.nanoseconds)), DeadlineWork(work))
        return Disposables.create { [self] in cancelTimer(token) }
    }

    func cancelTimer(_ token: TimerToken) {
        time.cancelTimer(token)
        _ = deadlines.withLock { $0.remove(token) }
        wake()
    }

    private final class Deadline: TimerTarget {
        private let clock: VirtualClock
        private let target: any TimerTarget

        init(_ clock: VirtualClock, _ target: any TimerTarget) {
            self.clock = clock
            self.target = target
        }

        func timerFired(_ token: TimerToken) {
            _ = clock.deadlines.withLock { $0.remove(token) }
            target.timerFired(token)
        }
    }

    private final class DeadlineWork: TimerTarget {
        private let work: @Sendable () -> Void

        init(_ work: @escaping @Sendable () -> Void) { self.work = work }

        func timerFired(_: TimerToken) { work() }
    }

    // MARK: - Other clocks

    /// Sets what is called, on any thread, when a foreign wait has ended, or would have ended on a real
    /// clock.
    func onForeignWait(_ ended: @escaping @Sendable (ForeignWait) -> Void) {
        foreignWaitEnded.withLock { $0 = ended }
    }

    func began(_ wait: ForeignWait) {
        guard wait.nanoseconds > 0 else { return beganTurn(wait) }
        let deadline = setDeadline(after: .nanoseconds(wait.nanoseconds)) { [self, wait] in ended(wait) }
        wait.onEnd { [self, unowned wait] hasElapsed in
            deadline.dispose()
            if hasElapsed { ended(wait) }
        }
    }

    private func beganTurn(_ turn: ForeignWait) {
        let id = ObjectIdentifier(turn)
        turns.withLock { $0[id] = turn }
        turn.onEnd { [self] _ in
            _ = turns.withLock { $0.removeValue(forKey: id) }
            wake()
        }
    }

    /// Returns the waits for a turn that have not ended. The clock no longer stands still for them.
    func takeTurns() -> [ForeignWait] {
        turns.withLock { turns in
            defer { turns = [:] }
            return Array(turns.values)
        }
    }

    private func ended(_ wait: ForeignWait) {
        let report = foreignWaitEnded.withLock { $0 }
        report?(wait)
    }

    /// Runs `work` after `delay`, at the earliest in the clock's next turn.
    func schedule(after delay: Duration = .zero, _ work: @escaping @Sendable () -> Void) -> any Disposable {
        scheduleRelative((), dueTime: .nanoseconds(Int(delay.nanoseconds))) { _ in
            work()
            return Disposables.create()
        }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        _ = schedule { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
    }

    // MARK: - Running, on one thread

    /// Runs all work that is due now, and what it adds.
    func runDue() { time.advance(by: .nanoseconds(0)) }

    var next: Next {
        guard turns.withLock({ $0.isEmpty }) else { return .turns }
        let (events, deadlines) = deadlines.withLock { (time.pendingCount, $0.count) }
        return events > deadlines ? .event : .otherThreads(deadlinesAreLeft: deadlines > 0)
    }

    /// Moves the clock to its first event, and runs that.
    func advance() { time.runNext() }

    /// Waits in real time until another thread adds work or calls `wake()`. Returns false after `limit`.
    func waitForWork(_ limit: Duration? = nil) -> Bool {
        let end = limit.map { DispatchTime.now() + .nanoseconds(Int($0.nanoseconds)) }
        guard changes.wait(timeout: end ?? .distantFuture) == .success else { return false }
        isChanged.store(false, ordering: .sequentiallyConsistent)
        return true
    }

    func wake() {
        if !isChanged.exchange(true, ordering: .sequentiallyConsistent) { changes.signal() }
    }
}

/// The executor of a test in virtual time. Apart from its gateway's executor, because only requests may
/// stall.
final class VirtualTestExecutor: TaskExecutor {
    private let clock: VirtualClock

    init(_ clock: VirtualClock) { self.clock = clock }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        _ = clock.schedule { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}
