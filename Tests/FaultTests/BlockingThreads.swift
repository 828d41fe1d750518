import Foundation
import Locking

/// Threads for blocking cases, a few at a time, separate from those that other tests' tasks use.
enum BlockingThreads {
    private static let queue: OperationQueue = {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 4
        return queue
    }()

    static func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        let handover = Handover()
        defer { handover.taken() }
        return try await withCheckedThrowingContinuation { continuation in
            queue.addOperation {
                let result = Result { try work() }
                handover.given()
                continuation.resume(with: result)
            }
        }
    }
}
