import Dispatch
import Testing

/// Runs the tests of a suite on a thread of their own.
///
/// Tests that wait for an answer block their thread. If the endpoint under test runs in a Swift task, it needs a thread of
/// Swift's pool, which has one for each core: other tests that block at the same time would leave it none, and the request
/// would miss its deadline.
struct OwnThread: SuiteTrait, TestScoping {
    /// A serial queue, which always gets a thread.
    private final class Executor: TaskExecutor {
        private let queue = DispatchQueue(label: "tests that block")

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }
    }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(Executor()) { try await function() }
    }
}

extension Trait where Self == OwnThread {
    /// The tests of the suite block their thread while an endpoint that they call runs in a Swift task.
    static var ownThread: Self { OwnThread() }
}
