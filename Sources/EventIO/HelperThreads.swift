import Foundation
import Locking

/// A few threads for work that blocks. One is started when there is work and all are busy; each ends when the
/// list is empty.
final class HelperThreads: Sendable {
    private struct State {
        var waiting: [@Sendable () -> Void] = []
        var head = 0
        var running = 0
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

    /// False, and the work is dropped, when too much is waiting.
    func submit(_ work: @escaping @Sendable () -> Void) -> Bool {
        let (accepted, mustStart) = state.withLock { state in
            guard state.running == limit else {
                state.running += 1
                state.waiting.append(work)
                return (true, true)
            }
            guard state.waiting.count - state.head < waitingLimit else { return (false, false) }
            state.waiting.append(work)
            return (true, false)
        }
        if mustStart {
            let thread = Thread { self.work() }
            thread.name = name
            thread.start()
        }
        return accepted
    }

    private func work() {
        while let next = next() { next() }
    }

    private func next() -> (@Sendable () -> Void)? {
        state.withLock { state in
            guard state.head < state.waiting.count else {
                state.waiting = []
                state.head = 0
                state.running -= 1
                return nil
            }
            defer { state.head += 1 }
            return state.waiting[state.head]
        }
    }
}
