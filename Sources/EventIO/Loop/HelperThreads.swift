import Dispatch
import Locking

/// A few threads for work that blocks. One is started when there is work and all are busy; each ends when there was none
/// for a while.
final class HelperThreads: Sendable {
    fileprivate struct State {
        var waiting: [@Sendable () -> Void] = []
        var head = 0
        /// Waiting or being done.
        var unfinished = 0
        var threads = 0
        /// Of those the ones that wait for work, and that nobody has woken yet.
        var idle = 0
    }

    private enum Need { case nothing, wake, start }

    private let state = Lock(State())
    private let limit: Int
    private let waitingLimit: Int
    private let name: String
    private let patience: DispatchTimeInterval
    /// Signalled once for each thread that is to be woken.
    private let wakes = DispatchSemaphore(value: 0)

    /// - Parameter patience: how long a thread waits for more work before it ends: to start one costs as much as a small
    ///   file. Default: it does not.
    init(name: String, limit: Int, waitingLimit: Int, patience: DispatchTimeInterval = .never) {
        self.name = name
        self.patience = patience
        self.limit = limit
        self.waitingLimit = waitingLimit
    }

    /// False, and the work is dropped, when too much is waiting or no thread can be had.
    func submit(_ work: @escaping @Sendable () -> Void) -> Bool {
        let need: Need? = state.withLock { state in
            guard state.unfinished - limit < waitingLimit else { return nil }
            state.unfinished += 1
            state.waiting.append(work)
            if state.idle > 0 {
                state.idle -= 1
                return .wake
            }
            guard state.threads < limit else { return .nothing }
            state.threads += 1
            return .start
        }
        switch need {
        case nil: return false
        case .nothing: return true
        case .wake:
            wakes.signal()
            return true
        case .start: return startThread()
        }
    }

    /// False where no thread could be started and there is none that would do the work.
    private func startThread() -> Bool {
        do {
            try NativeThread.start(name: name) { self.work() }
            return true
        } catch {
            return state.withLock { state in
                state.threads -= 1
                guard state.threads == 0 else { return true }
                // Nobody is left who would take what waits: only this call's work, as the others found a thread.
                state.waiting.removeLast()
                state.unfinished -= 1
                return false
            }
        }
    }

    private func work() {
        var finished = 0
        while let next = next(finished: finished) ?? wait() {
            next()
            finished = 1
        }
    }

    /// The work that waits longest. Nil when there is none: the caller's thread counts as idle then, or, without patience,
    /// ends.
    private func next(finished: Int) -> (@Sendable () -> Void)? {
        state.withLock { state in
            state.unfinished -= finished
            if let work = state.takeFirst() { return work }
            if case .never = patience { state.threads -= 1 } else { state.idle += 1 }
            return nil
        }
    }

    /// Waits for work. Nil, and the thread ends, where none came.
    private func wait() -> (@Sendable () -> Void)? {
        if case .never = patience { return nil }
        while true {
            if wakes.wait(timeout: .now() + patience) == .timedOut {
                let isOver = state.withLock { state in
                    // None is idle: each that waits is being woken, this one too.
                    guard state.idle > 0 else { return false }
                    state.idle -= 1
                    state.threads -= 1
                    return true
                }
                if isOver { return nil }
                wakes.wait()
            }
            let work = state.withLock { state in
                let work = state.takeFirst()
                // Another thread, on its way to wait, was quicker.
                if work == nil { state.idle += 1 }
                return work
            }
            if let work { return work }
        }
    }
}

extension HelperThreads.State {
    fileprivate mutating func takeFirst() -> (@Sendable () -> Void)? {
        guard head < waiting.count else { return nil }
        let work = waiting[head]
        waiting[head] = {}
        head += 1
        if head == waiting.count || head >= 64 {
            waiting.removeSubrange(..<head)
            head = 0
        }
        return work
    }
}
