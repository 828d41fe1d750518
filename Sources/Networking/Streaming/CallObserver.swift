/// Observes one call across attempts, redirects and interceptor rounds. Called on the call's loop.
package protocol CallObserver: AnyObject, Sendable {
    /// Whether part of the response was delivered. Then the call cannot be repeated.
    var hasBegun: Bool { get }
    /// Whether nobody wants the call any more, so that nothing more of it is sent. Default false.
    var isCancelled: Bool { get }
    /// Whether the observer itself ends the call at the request's deadline, which then does not limit the
    /// call. Default false.
    var keepsDeadline: Bool { get }
    func callSent(_ bytes: Int64, of total: Int64?)
    /// An attempt failed. Nothing more of its response comes; another attempt may follow.
    func attemptFailed()
    func callStarted(_ head: TransportResponse, flow: any FlowControl) -> BodyForm
    /// As `callStarted(_:flow:)`, for an observer that keeps the deadline. It takes the body of a response
    /// that may be replaced as pieces, and keeps them until `takeBody()`, or begins to deliver them, so that
    /// nothing replaces the response any more.
    func callStarted(_ head: TransportResponse, replacedBy replacement: Replacement?, flow: any FlowControl)
        -> BodyForm
    /// Removes and returns the body that was kept of the response that has just ended.
    func takeBody() -> ArraySlice<UInt8>
    func callReceived(_ piece: UnsafeRawBufferPointer)
    func callReceived(_ bytes: Int64, of total: Int64?)
}

/// What may take the place of a response before some of it is delivered.
package enum Replacement {
    /// Another attempt.
    case retry
    /// An interceptor, a redirect or a plugin, which needs the whole response.
    case stage
}

extension CallObserver {
    package var hasBegun: Bool { false }
    package var isCancelled: Bool { false }
    package var keepsDeadline: Bool { false }
    package func callSent(_ bytes: Int64, of total: Int64?) {}
    package func attemptFailed() {}
    package func callStarted(_ head: TransportResponse, flow: any FlowControl) -> BodyForm { .whole }
    package func callStarted(
        _ head: TransportResponse, replacedBy replacement: Replacement?, flow: any FlowControl
    ) -> BodyForm { callStarted(head, flow: flow) }
    package func takeBody() -> ArraySlice<UInt8> { [] }
    package func callReceived(_ piece: UnsafeRawBufferPointer) {}
    package func callReceived(_ bytes: Int64, of total: Int64?) {}
}
