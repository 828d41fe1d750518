import Dispatch
import Locking
import Resilience

/// A small pool of threads for blocking work. It starts a thread when all are busy, and idle threads end
/// after a while.
///
/// The clients for whom work waits take turns. Each may have a fair share of what may wait.
final class HelperThreads: Sendable {
    fileprivate struct Work: Sendable {
        /// Whether nobody wants the work any more; nil if that cannot be.
        let isDropped: (@Sendable () -> Bool)?
        let run: @Sendable () -> Void
    }

    fileprivate struct State {
        /// Work without a client has turns of its own.
        var waiting = RoundRobin<AddressPrefix?, Work>()
        /// When dropped work was looked for last.
        var searched: MonotonicTime?
        var shares: FairShares<AddressPrefix>
        /// Submitted and not finished.
        var unfinished = 0
        var threads = 0
        /// Threads that wait for work and have not been signalled.
        var idle = 0
    }

    private enum Action { case nothing, wake, start }

    private let state: Lock<State>
    private let limit: Int
    private let waitingLimit: Int
    private let name: String
    private let idleTimeout: DispatchTimeInterval
    private let wakes = DispatchSemaphore(value: 0)

    /// An idle thread ends after `idleTimeout`, by default at once. Starting one costs as much as reading a
    /// small file.
    init(name: String, limit: Int, waitingLimit: Int, idleTimeout: DispatchTimeInterval = .never) {
        self.name = name
        self.idleTimeout = idleTimeout
        self.limit = limit
        self.waitingLimit = waitingLimit
        state = Lock(State(shares: FairShares(capacity: waitingLimit)))
    }

    /// How often work that nobody wants any more gives its place back while all places are taken.
    private static let searchInterval = TimeAmount.milliseconds(100)

    /// Queues `work`. Returns false and drops it when too much is queued, at all or for this client, or no
    /// thread can be started.
    ///
    /// - Parameters:
    ///   - client: nil for work that no client causes alone, which has no share.
    ///   - isDropped: whether nobody wants the work any more. Default nil: that cannot be.
    ///   - work: called on a thread of the pool.
    func submit(
        for client: AddressPrefix? = nil, isDropped: (@Sendable () -> Bool)? = nil,
        _ work: @escaping @Sendable () -> Void
    ) -> Bool {
        let action: Action? = state.withLock { state in
            if !state.takePlace(for: client, limit, waitingLimit) {
                guard isDropped != nil, state.removeDropped(every: Self.searchInterval),
                    state.takePlace(for: client, limit, waitingLimit)
                else { return nil }
            }
            state.waiting.append(Work(isDropped: isDropped, run: work), of: client)
            if state.idle > 0 {
                state.idle -= 1
                return .wake
            }
            guard state.threads < limit else { return .nothing }
            state.threads += 1
            return .start
        }
        switch action {
        case nil: return false
        case .nothing: return true
        case .wake:
            wakes.signal()
            return true
        case .start: return startThread()
        }
    }

    /// Returns false when no thread could be started and none is running.
    private func startThread() -> Bool {
        do {
            try NativeThread.start(name: name) { self.work() }
            return true
        } catch {
            return state.withLock { state in
                state.threads -= 1
                guard state.threads == 0 else { return true }
                // Only this call's work is queued, since every earlier call found a thread.
                _ = state.takeNext()
                state.unfinished -= 1
                return false
            }
        }
    }

    private func work() {
        var finished = 0
        var memory = MemoryFollower()
        while let next = next(finished: finished) ?? wait(&memory) {
            next.run()
            finished = 1
        }
    }

    /// Returns the next work, or nil after counting the thread as idle (as ended, if idle threads end at
    /// once).
    private func next(finished: Int) -> Work? {
        state.withLock { state in
            state.unfinished -= finished
            if let work = state.takeNext() { return work }
            if case .never = idleTimeout { state.threads -= 1 } else { state.idle += 1 }
            return nil
        }
    }

    /// Waits for work, and meanwhile returns memory when loops do. Returns nil when no work came and the
    /// thread must end.
    private func wait(_ memory: inout MemoryFollower) -> Work? {
        if case .never = idleTimeout { return nil }
        var end = DispatchTime.now() + idleTimeout
        while true {
            if wakes.wait(timeout: min(end, .now() + MemoryFollower.interval)) == .timedOut {
                memory.follow()
                guard .now() >= end else { continue }
                let isOver = state.withLock { state in
                    // No thread counts as idle, so every waiting thread is about to be signalled, this one
                    // too.
                    guard state.idle > 0 else { return false }
                    state.idle -= 1
                    state.threads -= 1
                    return true
                }
                if isOver { return nil }
                wakes.wait()
            }
            end = .now() + idleTimeout
            let work = state.withLock { state in
                let work = state.takeNext()
                // Another thread took the work.
                if work == nil { state.idle += 1 }
                return work
            }
            if let work { return work }
        }
    }
}

extension HelperThreads.State {
    /// Returns false if the places are taken, all of them or the client's share.
    fileprivate mutating func takePlace(
        for client: AddressPrefix?, _ limit: Int, _ waitingLimit: Int
    ) -> Bool {
        guard unfinished - limit < waitingLimit else { return false }
        if let client, !shares.take(for: client) { return false }
        unfinished += 1
        return true
    }

    /// Returns whether dropped work has given places back.
    fileprivate mutating func removeDropped(every interval: TimeAmount) -> Bool {
        let now = MonotonicTime.clock()
        if let searched, now - searched < interval { return false }
        searched = now
        let holders = waiting.removeAll { $0.isDropped?() == true }
        for case let client? in holders { shares.giveBack(by: client) }
        unfinished -= holders.count
        return !holders.isEmpty
    }

    fileprivate mutating func takeNext() -> HelperThreads.Work? {
        guard let (client, work) = waiting.popFirst() else { return nil }
        if let client { shares.giveBack(by: client) }
        return work
    }
}
