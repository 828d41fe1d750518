import HTTPModel
import Rx

/// The call of `request(_:)`. `@unchecked Sendable` as `CallRun`: adds no state.
final class ResponseRun: CallRun<Response>, @unchecked Sendable {
    override func copy() -> Emitter<Response> {
        let copy = ResponseRun(call, provider)
        copy.bind(to: boundTransport)
        return copy
    }

    override func report(_ response: consuming TransportResponse, attempts: Int) {
        let response = received(response, attempts: attempts)
        inContext { onLast(response) }
    }
}

/// A call that reports its progress to an observer. `@unchecked Sendable` as `CallRun`: adds only a constant.
final class ObservedRun: CallRun<Response>, StreamingAttemptReceiver, @unchecked Sendable {
    private let observer: any CallObserver

    init(_ call: TransportCall, _ provider: ProviderSettings, _ observer: any CallObserver) {
        self.observer = observer
        super.init(call, provider)
    }

    override func copy() -> Emitter<Response> {
        let copy = ObservedRun(call, provider, observer)
        copy.bind(to: boundTransport)
        return copy
    }

    override func report(_ response: consuming TransportResponse, attempts: Int) {
        let response = received(response, attempts: attempts)
        inContext { onLast(response) }
    }

    override var mayBeSentAgain: Bool { !observer.hasBegun }

    override var keepsDeadline: Bool { observer.keepsDeadline }

    override var isStreaming: Bool { call.isUnbounded && observer.hasBegun }

    override var streaming: (any StreamingAttemptReceiver)? { self }

    func attemptSent(_ bytes: Int64, of total: Int64?) { observer.callSent(bytes, of: total) }

    func attemptStarted(_ head: TransportResponse, flow: any FlowControl) -> BodyForm {
        // A status that the target rejects is a failure with its body.
        guard call.validation.accepts(head.status.code) else { return .whole }
        // Interceptors and redirects act on responses that are no success.
        if observer.keepsDeadline, !head.status.isSuccess, head.status != .notModified { return .whole }
        return observer.callStarted(head, flow: flow)
    }

    func attemptReceived(_ piece: UnsafeRawBufferPointer) { observer.callReceived(piece) }

    func attemptReceived(_ bytes: Int64, of total: Int64?) { observer.callReceived(bytes, of: total) }
}
