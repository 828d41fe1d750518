import Dispatch

/// Runs the tasks of hooks and jobs. Its threads are neither loops nor the threads of Swift's tasks, so they
/// may block.
final class BackgroundExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "background", attributes: .concurrent)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}
