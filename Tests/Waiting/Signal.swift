import Dispatch
import Locking

/// Counts events, for tests and script threads that wait for them.
package final class Signal: Sendable {
    private struct State {
        var fired = 0
        var waiters: [(count: Int, continuation: DeadlineContinuation<Void>)] = []
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
        for waiter in ready { waiter.continuation.resume() }
    }

    /// Suspends until it has been fired this many times in total.
    ///
    /// - Throws: `WaitedTooLong`.
    package func wait(
        count: Int = 1, within limit: Duration = Patience.limit, file: String = #fileID, line: Int = #line
    ) async throws {
        defer { happensBefore.acquire() }
        try await withDeadline(
            "fired \(self.count) of \(count) times", within: limit, file: file, line: line
        ) { continuation in
            let isThere = state.withLock { state in
                if state.fired >= count { return true }
                state.waiters.append((count, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    /// Blocks the thread until the next firing. Each firing ends one such wait.
    ///
    /// - Throws: `WaitedTooLong`.
    package func waitBlocking(
        within limit: Duration = Patience.limit, file: String = #fileID, line: Int = #line
    ) throws {
        let limit = Patience.limit(limit, file: file, line: line)
        let nanoseconds = Int(limit / .nanoseconds(1))
        guard semaphore.wait(timeout: .now() + .nanoseconds(nanoseconds)) == .success else {
            throw WaitedTooLong(
                limit, file: file, line: line, state: "fired \(count) times, and not once more")
        }
        happensBefore.acquire()
    }
}
