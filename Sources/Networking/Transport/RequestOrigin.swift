/// The endpoint whose requests make calls.
package final class RequestOrigin: Sendable {
    /// `GET /products/{id}`.
    package let endpoint: String
    /// The endpoint's index in its gateway.
    let number: Int
    /// The time from a request to its deadline, in nanoseconds.
    let timeLimit: Int64
    /// Notes, on any thread, that the endpoint with this name uses the main queue.
    let noteMainQueue: @Sendable (_ endpoint: String) -> Void
    /// Logs a fault of the endpoint that perhaps nobody else sees.
    let report: @Sendable (_ requestID: String, _ fault: any Error) -> Void

    package init(
        endpoint: String, number: Int, timeLimit: Duration,
        noteMainQueue: @escaping @Sendable (_ endpoint: String) -> Void,
        report: @escaping @Sendable (_ requestID: String, _ fault: any Error) -> Void = { _, _ in }
    ) {
        self.endpoint = endpoint
        self.number = number
        self.timeLimit = timeLimit.nanoseconds
        self.noteMainQueue = noteMainQueue
        self.report = report
    }
}

/// A call that would have carried fields of a client outside of that client's request. The endpoint has to be
/// changed.
package struct CallOutsideRequest: Error, CustomStringConvertible {
    package let description: String
    /// The request whose endpoint has the fault. Nil if the fault has not been reported.
    package let reportedFor: String?

    enum Cause {
        case ended
        case ownTask
        case shared

        fileprivate var text: String {
            switch self {
            case .ended: "began after the end of the request"
            case .ownTask: "began in a Task of its own, which may outlive the request"
            case .shared: "is shared with other requests"
            }
        }
    }

    /// The fault of a call of `context`. Reports it.
    init(_ cause: Cause, of call: TransportCall, in context: CallContext) {
        description = """
            \(context.endpoint): a call to \(call.upstream.name) \(cause.text), \
            so it must not carry the client's fields that the endpoint forwards. \
            If the call belongs to the request, make it in the handler, an async let, a task group or \
            Single.create(work:). \
            If it needs no client, wrap the Task or the shared call in CallContext.detached { ... }
            """
        reportedFor = context.requestID
        context.origin?.report(context.requestID, self)
    }

    /// The fault of a subscriber that joins a call of another request.
    init(joining context: CallContext) {
        description = """
            a call that was shared within a request of \(context.endpoint) was joined from outside of that request. \
            Share it in CallContext.detached { ... } to make it for all requests
            """
        reportedFor = nil
    }
}
