/// Hears of one call, whatever attempts, redirects and interceptors' rounds it takes. Called on the call's loop.
protocol CallObserver: AnyObject, Sendable {
    /// Whether something of the response has been handed on: then the call cannot begin anew.
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
