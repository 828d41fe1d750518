import Rx

extension SchedulerType {
    /// Runs a request's tasks: on their loop, if the scheduler is one. Never nil: by their executor, the
    /// request's own tasks differ from those that only inherit its context.
    var taskExecutor: any TaskExecutor { self as? any TaskExecutor ?? globalConcurrentExecutor }
}
