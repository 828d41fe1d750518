import Locking

/// A few threads for work that blocks. One is started when there is work and all are busy; each ends when the
/// list is empty.
final class HelperThreads: Sendable {
    private struct State {
        var waiting: [@Sendable () -> Void] = []
        var head = 0
        /// Waiting or being done.
        var unfinished = 0
        var threads = 0
    }

    private let state = Lock(State())
    private let limit: Int
    private let waitingLimit: Int
    private let name: String

    init(name: String, limit: Int, waitingLimit: Int) {
        self.name = name
        self.limit = limit
        self.waitingLimit = waitingLimit
    }

    /// False, and the work is dropped, when too much is waiting or no thread can be had.
    func submit(_ work: @escaping @Sendable () -> Void) -> Bool {
        let (accepted, mustStart) = state.withLock { state in
            guard state.unfinished < limit + waitingLimit else { return (false, false) }
            state.unfinished += 1
            state.waiting.append(work)
            guard state.threads < limit else { return (true, false) }
            state.threads += 1
            return (true, true)
        }
        return mustStart ? startThread() : accepted
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
        while let next = next(finished: finished) {
            next()
            finished = 1
        }
    }

    /// The work that waits longest; nil, and the caller's thread ends, when there is none.
    private func next(finished: Int) -> (@Sendable () -> Void)? {
        state.withLock { state in
            state.unfinished -= finished
            guard state.head < state.waiting.count else {
                state.threads -= 1
                return nil
            }
            let work = state.waiting[state.head]
            state.waiting[state.head] = {}
            state.head += 1
            if state.head == state.waiting.count || state.head >= 64 {
                state.waiting.removeSubrange(..<state.head)
                state.head = 0
            }
            return work
        }
    }
}
