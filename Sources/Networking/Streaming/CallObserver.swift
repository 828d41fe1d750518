/// Observes one call across attempts, redirects and interceptor rounds. Called on the call's loop.
protocol CallObserver: AnyObject, Sendable {
    /// Whether part of the response was delivered. Then the call cannot be repeated.
    var hasBegun: Bool { get }
    func callSent(_ bytes: Int64, of total: Int64?)
    func callStarted(_ head: TransportResponse, flow: any FlowControl) -> BodyForm
    func callReceived(_ piece: UnsafeRawBufferPointer)
    func callReceived(_ bytes: Int64, of total: Int64?)
}

extension CallObserver {
    var hasBegun: Bool { false }
    func callSent(_ bytes: Int64, of total: Int64?) {}
    func callStarted(_ head: TransportResponse, flow: any FlowControl) -> BodyForm { .whole }
    func callReceived(_ piece: UnsafeRawBufferPointer) {}
    func callReceived(_ bytes: Int64, of total: Int64?) {}
}
