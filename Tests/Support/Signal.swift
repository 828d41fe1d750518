import Dispatch
import Locking

/// Counts events, for tests and script threads that wait for them.
package final class Signal: Sendable {
    private struct State {
        var fired = 0
        var waiters: [(count: Int, resume: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Lock(State())
    private let happensBefore = HappensBeforeEdge()
    private let semaphore = DispatchSemaphore(value: 0)

    package init() {}

    package var count: Int { state.withLock { $0.fired } }

    package func fire() {
        happensBefore.release()
        semaphore.signal()
        let ready = state.withLock { state in
            state.fired += 1
            let ready = state.waiters.filter { $0.count <= state.fired }
            state.waiters.removeAll { $0.count <= state.fired }
            return ready
        }
        for waiter in ready { waiter.resume.resume() }
    }

    /// Suspends until it has been fired this many times in total.
    package func wait(count: Int = 1) async {
        defer { happensBefore.acquire() }
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.fired >= count { return true }
                state.waiters.append((count, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    /// Blocks a script thread until the next firing; false after 30 s without one.
    package func waitBlocking() -> Bool {
        semaphore.wait(timeout: .now() + .seconds(30)) == .success
    }
}
