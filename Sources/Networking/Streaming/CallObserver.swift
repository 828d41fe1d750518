/// Observes one call across attempts, redirects and interceptor rounds. Called on the call's loop.
package protocol CallObserver: AnyObject, Sendable {
    /// Whether part of the response was delivered. Then the call cannot be repeated.
    var hasBegun: Bool { get }
    /// Whether the observer itself ends the call at the request's deadline, which then does not limit the call. Default false.
    var keepsDeadline: Bool { get }
    func callSent(_ bytes: Int64, of total: Int64?)
    /// An attempt failed. Nothing more of its response comes; another attempt may follow.
    func attemptFailed()
    func callStarted(_ head: TransportResponse, flow: any FlowControl) -> BodyForm
    func callReceived(_ piece: UnsafeRawBufferPointer)
    func callReceived(_ bytes: Int64, of total: Int64?)
}

extension CallObserver {
    package var hasBegun: Bool { false }
    package var keepsDeadline: Bool { false }
    package func callSent(_ bytes: Int64, of total: Int64?) {}
    package func attemptFailed() {}
    package func callStarted(_ head: TransportResponse, flow: any FlowControl) -> BodyForm { .whole }
    package func callReceived(_ piece: UnsafeRawBufferPointer) {}
    package func callReceived(_ bytes: Int64, of total: Int64?) {}
}
