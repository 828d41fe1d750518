package import EventIO
import Locking

extension EventLoop {
    /// Runs `body` on the loop and returns its result.
    ///
    /// - Throws: what `body` throws, or `SocketError` of kind `.loopEnded`.
    package func perform<Value: Sendable>(
        _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        let happensBefore = HappensBeforeEdge()
        defer { happensBefore.acquire() }
        return try await withUnsafeThrowingContinuation { continuation in
            let accepted = execute {
                let result = Result(catching: body)
                happensBefore.release()
                continuation.resume(with: result)
            }
            if !accepted { continuation.resume(throwing: SocketError(.loopEnded, .eventBase)) }
        }
    }
}
