import Networking
import Rx

/// What the making of a part uses of its request and its loop: the memory for what is composed, the clock,
/// and other threads for what takes long.
struct PartEnvironment: Sendable {
    /// Carries the calls, and counts the memory of composed values.
    let transport: any Transport
    /// Nil: all work is done at once.
    let workApart: WorkApart?
    /// The context of the request, also for work on other threads; nil for the current one.
    let context: CallContext?

    /// Does on another thread what takes long with a large value, and then calls `done` on this loop. The
    /// work fails if too much waits for that thread. Without one, the work is done at once.
    ///
    /// - Parameter keep: gets what drops the work as long as it waits.
    func apart<Value: Sendable>(
        _ work: @escaping @Sendable () throws -> Value, keptBy keep: (any Disposable) -> Void,
        then done: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) {
        guard let workApart else { return done(Result(catching: work)) }
        let scheduler = transport.scheduler
        let current = CallContext.current
        let kept = context?.keptResources
        let waiting = WaitingWork {
            let result = Result(catching: work)
            withExtendedLifetime(kept) {}
            _ = scheduler.schedule(result) { result in
                CallContext.$current.withValue(current) { done(result) }
                return Disposables.create()
            }
        }
        keep(waiting)
        if !workApart({ waiting.run() }) { done(.failure(PlannedFailure.tooMuchWork())) }
    }

    /// Counts bytes that the request composes and keeps until its answer is handed over.
    func keep(_ bytes: Int) throws(PlannedFailure) {
        guard bytes > 0, let context = context ?? CallContext.current else { return }
        let due = context.keep(bytes)
        guard due > 0, let transport = transport as? any ProtectingTransport else { return }
        guard transport.charge(due, composedIn: context) else { throw .outOfMemory("values") }
    }
}
