import EventIO
import Locking

/// Runs blocking work on a thread of its own. On a thread of tasks, or on one of Dispatch, tests that run in
/// parallel would wait for each other.
func onThread<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    let happensBefore = HappensBeforeEdge()
    defer { happensBefore.acquire() }
    return try await withCheckedThrowingContinuation { continuation in
        do {
            try NativeThread.start(name: "gateway test") {
                let result = Result { try work() }
                happensBefore.release()
                continuation.resume(with: result)
            }
        } catch {
            continuation.resume(throwing: error)
        }
    }
}
