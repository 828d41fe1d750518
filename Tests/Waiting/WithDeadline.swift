import Dispatch
import Locking

/// Suspends until `body`'s continuation is resumed, like `withCheckedContinuation`, but for a limited time.
///
/// - Parameters:
///   - state: describes the state for the error: what has happened until then.
///   - limit: how long it waits at most.
///   - body: starts the work that resumes the continuation.
/// - Throws: `WaitedTooLong`.
package func withDeadline<Value>(
    _ state: @autoclosure @escaping @Sendable () -> String, within limit: Duration = Patience.limit,
    isolation: isolated (any Actor)? = #isolation, file: String = #fileID, line: Int = #line,
    _ body: (DeadlineContinuation<Value>) -> Void
) async throws -> sending Value {
    let limit = Patience.limit(limit, file: file, line: line)
    let happensBefore = HappensBeforeEdge()
    defer { happensBefore.acquire() }
    return try await withCheckedThrowingContinuation { continuation in
        let waiting = DeadlineContinuation(
            continuation, happensBefore,
            error: { WaitedTooLong(limit, file: file, line: line, state: state()) })
        let nanoseconds = Int(limit / .nanoseconds(1))
        DispatchQueue.global().asyncAfter(deadline: .now() + .nanoseconds(nanoseconds)) { waiting.expire() }
        body(waiting)
    }
}

/// The continuation of a wait with a deadline. Only the first resumption counts, and none after the deadline.
///
/// The timer keeps it until the deadline, so it releases everything else when it is resumed.
package final class DeadlineContinuation<Value>: Sendable {
    private struct Waiting {
        let continuation: CheckedContinuation<Value, any Error>
        let error: @Sendable () -> any Error
    }

    private let waiting: Lock<Waiting?>
    private let happensBefore: HappensBeforeEdge

    fileprivate init(
        _ continuation: CheckedContinuation<Value, any Error>, _ happensBefore: HappensBeforeEdge,
        error: @escaping @Sendable () -> any Error
    ) {
        waiting = Lock(Waiting(continuation: continuation, error: error))
        self.happensBefore = happensBefore
    }

    package func resume(returning value: sending Value) {
        guard let waiting = take() else { return }
        happensBefore.release()
        waiting.continuation.resume(returning: value)
    }

    fileprivate func expire() {
        guard let waiting = take() else { return }
        waiting.continuation.resume(throwing: waiting.error())
    }

    private func take() -> Waiting? {
        waiting.withLock { waiting in
            defer { waiting = nil }
            return waiting
        }
    }
}

extension DeadlineContinuation where Value == Void {
    package func resume() { resume(returning: ()) }
}
