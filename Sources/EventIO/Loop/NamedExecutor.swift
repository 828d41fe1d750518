/// Runs tasks on a loop that learns whose they are, so that it can name those that hold it up.
public protocol NamedExecutor: TaskExecutor {
    /// `GET /products/{id}`.
    var codeName: String { get }
}

extension EventLoop {
    /// Runs a job of a task that prefers `executor`. May be called on any thread.
    public func enqueue(_ job: UnownedJob, of executor: any NamedExecutor) {
        enqueue(.named(job, executor))
    }

    func perform(_ work: Work) {
        switch work {
        case .closure(let closure):
            closure()
            blocks.otherCodeRan()
        case .job(let job):
            runJob(job)
            blocks.otherCodeRan()
        case .named(let job, let executor): runJob(job, of: executor)
        }
    }

    private func runJob(_ job: UnownedJob, of executor: any NamedExecutor) {
        let began = codeBegins()
        job.runSynchronously(on: executor.asUnownedTaskExecutor())
        codeEnded(began, of: executor.codeName)
    }
}
