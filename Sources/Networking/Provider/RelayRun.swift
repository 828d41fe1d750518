import Rx

/// A call whose response is passed on to an observer as it arrives. Only a response that another attempt might have replaced comes as a
/// whole. `@unchecked Sendable` as `CallRun`: adds only a constant.
final class RelayRun: CallRun<TransportResponse>, StreamingAttemptReceiver, @unchecked Sendable {
    private let observer: any CallObserver

    init(_ call: TransportCall, _ provider: ProviderSettings, _ observer: any CallObserver) {
        self.observer = observer
        super.init(call, provider)
    }

    override func copy() -> Emitter<TransportResponse> {
        let copy = RelayRun(call, provider, observer)
        copy.bind(to: boundTransport)
        return copy
    }

    override func report(_ response: consuming TransportResponse, attempts: Int) { onLast(response) }

    override var mayBeSentAgain: Bool { !observer.hasBegun }

    override var keepsDeadline: Bool { observer.keepsDeadline }

    override var isStreaming: Bool { observer.hasBegun }

    override var streaming: (any StreamingAttemptReceiver)? { self }

    /// Without a body, the length of a response to HEAD would be lost.
    var takesWhole: Bool { !call.method.isHead }

    func attemptSent(_ bytes: Int64, of total: Int64?) {}

    func attemptStarted(_ head: TransportResponse, flow: any FlowControl) -> BodyForm {
        mayRetry(after: head.status) ? .whole : observer.callStarted(head, flow: flow)
    }

    func attemptReceived(_ piece: UnsafeRawBufferPointer) { observer.callReceived(piece) }

    func attemptReceived(_ bytes: Int64, of total: Int64?) {}
}
