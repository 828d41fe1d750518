import Dispatch
import EventIO

/// Runs the tasks of hooks and jobs. Its threads are neither loops nor the threads of Swift's tasks and
/// timers, so they may block.
final class BackgroundExecutor: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let isAccepted = WorkThreads.submit(.background) { [self] in
            job.runSynchronously(on: asUnownedTaskExecutor())
        }
        if isAccepted { return }
        // A job must run. No thread can be started, or more than 1024 jobs wait.
        DispatchQueue.global().async { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}
