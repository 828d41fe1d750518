import Dispatch

/// Runs tasks on a thread of their own. Swift's pool has a thread for each core, and tests that wait for an
/// answer may block all of them.
final class OtherThread: TaskExecutor {
    private let queue = DispatchQueue(label: "other")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
