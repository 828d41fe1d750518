import Rx

extension CallContext {
    /// Does work that belongs to no request: its calls carry no field, id, trace or deadline of one.
    ///
    /// Wrap it around a `Task` or a shared call that serves several requests or outlives the one that began
    /// it:
    ///
    ///     let task = CallContext.detached { Task { try await rates.request(.today) } }
    ///     let shared = CallContext.detached { rates.rx.request(.today).share() }
    public static func detached<Result>(_ work: () throws -> Result) rethrows -> Result {
        try $current.withValue(nil, operation: work)
    }

    /// Does asynchronous work that belongs to no request, in the current task.
    public static func detached<Result>(
        isolation: isolated (any Actor)? = #isolation, _ work: () async throws -> Result
    ) async rethrows -> Result {
        try await $current.withValue(nil, operation: work)
    }

    /// Logs a fault of the endpoint's code that its answer does not show.
    package func reportFault(_ fault: any Error) { origin?.report(requestID, fault) }

    /// The name of the endpoint in messages.
    var endpoint: String { origin?.endpoint ?? "request \(requestID)" }

    /// Identifies the task that runs; 0 for none.
    package static var currentTask: Int { withUnsafeCurrentTask { $0?.hashValue ?? 0 } }

    /// Whether a task runs that the request does not own. It has no executor, as the handler's task and its
    /// child tasks have: a `Task` inherits the context, but not the executor (SE-0417).
    private var isInOwnTask: Bool {
        guard origin != nil else { return false }
        return withUnsafeCurrentTask { task in
            guard let task else { return false }
            return task.unownedTaskExecutor == nil && task.hashValue != outerTask
        }
    }

    /// Why calls of the context carry nothing of it in the running code; nil if they may.
    ///
    /// - Parameter current: the context of the subscriber.
    func obstacle(in current: CallContext?) -> CallOutsideRequest.Cause? {
        if hasEnded { return .ended }
        if isInOwnTask { return .ownTask }
        let shared = current.flatMap { $0.owner === owner ? $0.work : nil } ?? work
        return shared?.use() == false ? .shared : nil
    }
}

extension TransportCall {
    /// Returns the call for its subscriber: in the subscriber's request, or in the one in which it was made
    /// if the subscriber's is unknown. A call that may outlive that request carries nothing of it.
    ///
    /// - Parameter current: the subscriber's context.
    func entering(_ current: CallContext?) throws(CallOutsideRequest) -> TransportCall {
        guard var chosen = context ?? current else { return self }
        if let current, current.owner !== chosen.owner { chosen = current }
        guard let obstacle = chosen.obstacle(in: current) else {
            return chosen === context ? self : with(chosen)
        }
        if chosen.forwardsFields(to: upstream) {
            throw CallOutsideRequest(obstacle, of: self, in: chosen)
        }
        return context == nil ? self : with(nil)
    }
}
