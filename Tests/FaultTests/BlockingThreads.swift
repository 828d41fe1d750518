import Foundation
import Locking

/// Runs blocking cases a few at a time on threads of their own, so that they do not hold up the tasks of
/// other tests.
enum BlockingThreads {
    private static let queue: OperationQueue = {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 4
        return queue
    }()

    static func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        let happensBefore = HappensBeforeEdge()
        defer { happensBefore.acquire() }
        return try await withCheckedThrowingContinuation { continuation in
            queue.addOperation {
                let result = Result { try work() }
                happensBefore.release()
                continuation.resume(with: result)
            }
        }
    }
}
