import Dispatch
import FoundationEssentials
import Locking
import Networking
import Rx

/// A clock in whole nanoseconds that jumps from event to event, and the work that is due. Any thread may add work; one
/// thread runs it.
///
/// Its time is an integer, so that 0.8 s is 0.8 s at any time of day and after any number of events.
final class VirtualClock: Sendable {
    fileprivate struct Event: Sendable {
        let time: Int64
        let id: UInt64
        /// Whether it only ends a request that is not answered in time.
        let isDeadline: Bool
        let action: @Sendable () -> Void
    }

    fileprivate struct State: Sendable {
        var now: Int64 = 0
        /// Sorted by time and then by the order of scheduling.
        var events: [Event] = []
        var lastID: UInt64 = 0
        /// Work that is due at once, and the index of the next.
        var ready: [@Sendable () -> Void] = []
        var nextReady = 0
        var hasTasks = false
        /// Whether anything was added since the last wait, which then does not wait.
        var isChanged = false
        var isWaiting = false
    }

    /// What a clock without due work waits for.
    enum Next: Sendable {
        /// An event in virtual time.
        case event
        /// At most the deadlines of requests; `hasTasks` if a task has run since the last `forgetTasks()`.
        case deadlines(areLeft: Bool, hasTasks: Bool)
    }

    private let state = Lock(State())
    private let added = DispatchSemaphore(value: 0)

    /// Nanoseconds since the start.
    var now: Int64 { state.withLock { $0.now } }

    /// The time as a date. Dates near this one are exact to less than a nanosecond.
    var date: RxTime { RxTime(timeIntervalSinceReferenceDate: Double(now) / 1e9) }

    // MARK: - Adding work

    /// Runs `work` as soon as possible, `isTask` if a task of a request continues with it.
    func execute(isTask: Bool = false, _ work: @escaping @Sendable () -> Void) {
        let isAwaited = state.withLock { state in
            state.ready.append(work)
            if isTask { state.hasTasks = true }
            return state.change()
        }
        if isAwaited { added.signal() }
    }

    /// Runs `work` after `delay` nanoseconds.
    func schedule(
        after delay: Int64, isDeadline: Bool = false, _ work: @escaping @Sendable () -> any Disposable
    ) -> any Disposable {
        let result = SingleAssignmentDisposable()
        let (id, isAwaited) = state.withLock { state in
            let (time, overflow) = state.now.addingReportingOverflow(max(delay, 0))
            state.lastID += 1
            let event = Event(time: overflow ? .max : time, id: state.lastID, isDeadline: isDeadline) {
                if !result.isDisposed { result.setDisposable(work()) }
            }
            state.events.insert(event, at: state.firstIndex(after: event.time))
            return (event.id, state.change())
        }
        if isAwaited { added.signal() }
        return Disposables.create { [weak self] in
            result.dispose()
            self?.cancel(id)
        }
    }

    private func cancel(_ id: UInt64) {
        // Released outside the lock, because that may run foreign code.
        let event = state.withLock { state in
            state.events.firstIndex { $0.id == id }.map { state.events.remove(at: $0) }
        }
        withExtendedLifetime(event) {}
    }

    // MARK: - Running, on one thread

    /// Runs all work that is due now, and what it adds.
    func runDue() {
        while let work = state.withLock({ $0.takeDue() }) { work() }
    }

    var next: Next {
        state.withLock { state in
            if state.events.contains(where: { !$0.isDeadline }) { return .event }
            return .deadlines(areLeft: !state.events.isEmpty, hasTasks: state.hasTasks)
        }
    }

    func forgetTasks() { state.withLock { $0.hasTasks = false } }

    /// Moves the clock to its first event, unless another thread has just added work that is due now.
    func advance() {
        state.withLock { state in
            guard state.nextReady == state.ready.count, let first = state.events.first else { return }
            state.now = max(state.now, first.time)
        }
    }

    /// Waits in real time until another thread adds work or calls `wake()`. Returns false after `limit`.
    func waitForWork(_ limit: Duration? = nil) -> Bool {
        let isWaiting = state.withLock { state in
            state.isWaiting = !state.isChanged
            state.isChanged = false
            return state.isWaiting
        }
        guard isWaiting else { return true }
        guard let limit else {
            added.wait()
            return true
        }
        if added.wait(timeout: .now() + .nanoseconds(Int(limit.nanoseconds))) == .success { return true }
        let isLate = state.withLock { state in
            defer { state.isWaiting = false }
            return state.isWaiting
        }
        // Another thread has just ended the wait, and its signal belongs to this one.
        if !isLate { added.wait() }
        return !isLate
    }

    func wake() {
        if state.withLock({ $0.change() }) { added.signal() }
    }
}

extension VirtualClock.State {
    /// Notes that something was added. Returns whether a thread waits for that, which the caller has to wake.
    fileprivate mutating func change() -> Bool {
        defer { isWaiting = false }
        isChanged = !isWaiting
        return isWaiting
    }

    /// Returns the index of the first event later than `time`.
    fileprivate func firstIndex(after time: Int64) -> Int {
        var (low, high) = (0, events.count)
        while low < high {
            let middle = (low + high) / 2
            if events[middle].time <= time { low = middle + 1 } else { high = middle }
        }
        return low
    }

    fileprivate mutating func takeDue() -> (@Sendable () -> Void)? {
        if nextReady < ready.count {
            defer {
                nextReady += 1
                if nextReady == ready.count { (ready, nextReady) = ([], 0) }
            }
            return ready[nextReady]
        }
        guard let first = events.first, first.time <= now else { return nil }
        events.removeFirst()
        return first.action
    }
}
