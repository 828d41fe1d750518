internal import EventIO
internal import HTTPModel
internal import Rx

struct CallWork: LoopWork {
    typealias Output = OutboundResponse

    let request: OutboundRequest
    let origin: OriginClient
    /// Receives the response as it arrives; nil to gather it.
    var receiver: (any OutboundStreamReceiver)?

    var loop: EventLoop { origin.loop }

    var loopEnded: any Error {
        OutboundError(
            reason: .destinationUnavailable, detail: "the event loop has ended",
            timings: OutboundTimings(started: MonotonicTime.clock()))
    }

    func start(for source: LoopSource<CallWork>) -> OutboundCall {
        let call = SubscribedCall(source, work: self)
        origin.pool.start(call)
        return call
    }

    func end(_ call: OutboundCall) { call.cancel() }
}

/// Emits the end of a call to its subscriber. Unchecked, as `OutboundCall` is: it adds only constants.
private final class SubscribedCall: OutboundCall, @unchecked Sendable {
    private let source: LoopSource<CallWork>

    init(_ source: LoopSource<CallWork>, work: CallWork) {
        self.source = source
        super.init(
            to: work.origin.pool, mayResend: work.request.method.isIdempotent,
            mayCut: work.request.method.isIdempotent, mayStream: work.receiver != nil)
    }

    override func writeRequest(to writer: RequestWriter) {
        let request = source.work.request
        writer.write(
            request.method, target: request.target, fields: request.fields,
            sharedFields: HTTPFields(), body: request.body)
    }

    override func responseBegan(_ head: HTTPResponseHead) -> BodyDelivery {
        source.work.receiver?.responseBegan(head) { [weak self, loop] in
            loop.execute { [weak self] in self?.resumeBody() }
        }
        return .streamed()
    }

    override func bodyReceived(_ piece: UnsafeRawBufferPointer) {
        if source.work.receiver?.bodyReceived(piece) == false { pauseBody() }
    }

    override func succeeded(_ head: consuming HTTPResponseHead, _ body: consuming ArraySlice<UInt8>) {
        source.onLast(
            OutboundResponse(head: head, body: body, timings: timings, requestWasCut: requestWasCut))
    }

    override func failed(_ reason: FailureReason, _ detail: String) {
        source.onError(
            OutboundError(reason: reason, detail: detail, timings: timings, earlyStatus: earlyStatus))
    }
}
