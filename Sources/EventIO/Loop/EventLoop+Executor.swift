import Locking

extension EventLoop: SerialExecutor, TaskExecutor {
    public func enqueue(_ job: consuming ExecutorJob) {
        enqueue(.job(UnownedJob(job)))
    }

    public func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        UnownedSerialExecutor(ordinary: self)
    }

    public func asUnownedTaskExecutor() -> UnownedTaskExecutor {
        UnownedTaskExecutor(ordinary: self)
    }

    public func isSameExclusiveExecutionContext(other: EventLoop) -> Bool {
        other === self
    }

    /// Makes `assumeIsolated` work in a C callback, which runs on the loop but in no task.
    public func checkIsolated() {
        preconditionCurrent("not isolated: the calling thread is not the event loop's")
    }

    public func isIsolatingCurrentContext() -> Bool? {
        isCurrent
    }

    func runJob(_ job: UnownedJob) {
        job.runSynchronously(isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
    }

    /// Runs `body` on the loop and returns its result.
    ///
    /// - Throws: what `body` throws, or `SocketError` of kind `.loopEnded`.
    public func perform<Value: Sendable>(
        _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        let handover = Handover()
        defer { handover.taken() }
        return try await withUnsafeThrowingContinuation { continuation in
            let accepted = execute {
                let result = Result(catching: body)
                handover.given()
                continuation.resume(with: result)
            }
            if !accepted { continuation.resume(throwing: SocketError(.loopEnded, .eventBase)) }
        }
    }
}
