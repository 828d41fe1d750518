import EventIO
import HTTPModel

/// Passes the end of a call to a closure. Unchecked, as `OutboundCall` is: it adds only constants.
final class ClosureCall: OutboundCall, @unchecked Sendable {
    typealias End = @Sendable (Result<OutboundResponse, OutboundError>) -> Void

    private let request: OutboundRequest
    private let receiver: (any OutboundStreamReceiver)?
    private let ended: End

    init(
        _ request: OutboundRequest, to pool: borrowing UpstreamPool, within limit: TimeAmount?,
        streamingTo receiver: (any OutboundStreamReceiver)?, _ ended: @escaping End
    ) {
        self.request = request
        self.receiver = receiver
        self.ended = ended
        super.init(
            to: pool, mayResend: request.method.isIdempotent, mayCut: request.method.isIdempotent,
            total: limit, mayStream: receiver != nil)
    }

    override func writeRequest(to writer: RequestWriter) {
        writer.write(
            request.method, target: request.target, fields: request.fields,
            sharedFields: HTTPFields(), body: request.body)
    }

    override func responseBegan(_ head: HTTPResponseHead) -> BodyDelivery {
        receiver?.responseBegan(head) { [weak self, loop] in
            loop.execute { [weak self] in self?.resumeBody() }
        }
        return .streamed()
    }

    override func bodyReceived(_ piece: UnsafeRawBufferPointer) {
        if receiver?.bodyReceived(piece) == false { pauseBody() }
    }

    override func succeeded(_ head: consuming HTTPResponseHead, _ body: consuming ArraySlice<UInt8>) {
        ended(
            .success(
                OutboundResponse(head: head, body: body, timings: timings, requestWasCut: requestWasCut)))
    }

    override func failed(_ reason: FailureReason, _ detail: String) {
        ended(
            .failure(
                OutboundError(reason: reason, detail: detail, timings: timings, earlyStatus: earlyStatus)))
    }
}
