import HTTPModel
import Rx
import Synchronization

/// The call of `request(_:)`. `@unchecked Sendable` as `CallRun`: it adds only constants.
final class ResponseRun: CallRun<Response>, @unchecked Sendable {
    override func copy() -> Emitter<Response> {
        let copy = ResponseRun(call, provider)
        copy.bind(to: boundTransport)
        return copy
    }

    override func report(_ response: consuming TransportResponse, attempts: Int) {
        emit(received(response, attempts: attempts))
    }
}

/// What an `ObservedRun` emits.
protocol ObservedOutput: Sendable {
    static func make(
        of response: consuming TransportResponse, attempts: Int, by run: CallRun<Self>
    ) throws(NetworkError) -> Self
}

extension Response: ObservedOutput {
    static func make(
        of response: consuming TransportResponse, attempts: Int, by run: CallRun<Response>
    ) -> Response { run.received(response, attempts: attempts) }
}

/// A response that is passed on needs nothing more, unless it is for nobody but the caller.
extension TransportResponse: ObservedOutput {
    static func make(
        of response: consuming TransportResponse, attempts: Int, by run: CallRun<TransportResponse>
    ) throws(NetworkError) -> TransportResponse {
        guard response.isForNextHop else { return response }
        let received = run.received(response, attempts: attempts)
        throw received.reported(
            NetworkError(
                received, kind: .requestErr, reason: .upstreamStatus,
                message: "the upstream, or a proxy before it, asked for a proxy's credentials"))
    }

    /// Whether it asks this program to authenticate itself to a proxy (RFC 9110 11.7.1, 15.5.8). A client
    /// further away uses another proxy, if any, and would show its credentials to the wrong one.
    fileprivate var isForNextHop: Bool { status == .proxyAuthenticationRequired }
}

/// A call that reports its progress to an observer. `@unchecked Sendable` as `CallRun`: it adds only
/// constants.
final class ObservedRun<Output: ObservedOutput>: CallRun<Output>, StreamingAttemptReceiver,
    @unchecked Sendable
{
    private let observer: any CallObserver
    /// Bytes of the response in progress that were delivered in pieces or to a file; negative for a response
    /// in memory.
    private let streamed = Atomic<Int64>(-1)

    init(_ call: TransportCall, _ provider: ProviderSettings, _ observer: any CallObserver) {
        self.observer = observer
        super.init(call, provider)
    }

    override func copy() -> Emitter<Output> {
        let copy = ObservedRun(call, provider, observer)
        copy.bind(to: boundTransport)
        return copy
    }

    override func report(_ response: consuming TransportResponse, attempts: Int) {
        do {
            emit(try Output.make(of: response, attempts: attempts, by: self))
        } catch {
            inContext { onError(error) }
        }
    }

    override var isCancelled: Bool { super.isCancelled || observer.isCancelled }

    override var mayBeSentAgain: Bool { !observer.hasBegun }

    override var keepsDeadline: Bool { observer.keepsDeadline }

    /// A head that has arrived in time may wait for its body.
    override var isStreaming: Bool { call.isUnbounded && (observer.hasBegun || isDivided) }

    private var isDivided: Bool { streamed.load(ordering: .relaxed) >= 0 }

    override var streamedByteCount: Int { max(0, Int(clamping: streamed.load(ordering: .relaxed))) }

    override var streaming: (any StreamingAttemptReceiver)? { self }

    /// Only what passes on responses keeps the deadline. Without a body, the length of a response to HEAD
    /// would be lost.
    var takesWhole: Bool { observer.keepsDeadline && !call.method.isHead }

    override func attemptSucceeded(_ response: consuming TransportResponse) {
        if observer.keepsDeadline {
            let body = observer.takeBody()
            if !body.isEmpty { response.body = body }
        }
        super.attemptSucceeded(response)
    }

    override func attemptFailed(_ error: TransportError) {
        observer.attemptFailed()
        super.attemptFailed(error)
        streamed.store(-1, ordering: .relaxed)
    }

    func attemptSent(_ bytes: Int64, of total: Int64?) { observer.callSent(bytes, of: total) }

    func attemptStarted(_ head: TransportResponse, flow: any FlowControl) -> BodyForm {
        let form = form(of: head, flow)
        streamed.store(form == .whole ? -1 : 0, ordering: .relaxed)
        return form
    }

    private func form(of head: TransportResponse, _ flow: any FlowControl) -> BodyForm {
        // A status that the target rejects is a failure with its body.
        guard call.validation.accepts(head.status.code) else { return .whole }
        guard observer.keepsDeadline else { return observer.callStarted(head, flow: flow) }
        if head.isForNextHop { return .whole }
        return observer.callStarted(head, replacedBy: replacement(of: head), flow: flow)
    }

    /// What may replace a response that is passed on. Stages act only on responses that are not a success.
    private func replacement(of head: TransportResponse) -> Replacement? {
        if provider.stages != nil, !head.status.isSuccess, head.status != .notModified { return .stage }
        return mayRetry(after: head) ? .retry : nil
    }

    func attemptReceived(_ piece: UnsafeRawBufferPointer) { observer.callReceived(piece) }

    func attemptReceived(_ bytes: Int64, of total: Int64?) {
        if isDivided { streamed.store(bytes, ordering: .relaxed) }
        observer.callReceived(bytes, of: total)
    }
}
