internal import EventIO
internal import HTTPModel
internal import Rx

/// A call as a reactive source makes it, anew for each subscription.
struct CallWork: LoopWork {
    typealias Output = OutboundResponse

    let request: OutboundRequest
    let upstream: Upstream

    var loop: EventLoop { upstream.loop }

    var loopEnded: any Error { OutboundError.loopEnded }

    func start(for source: LoopSource<CallWork>) -> OutboundCall {
        let call = SourceCall(source, work: self)
        call.start(at: upstream.local)
        return call
    }

    func end(_ call: OutboundCall) { call.cancel() }
}

/// Tells a source how its call ended.
private final class SourceCall: OutboundCall, @unchecked Sendable {
    private let source: LoopSource<CallWork>

    init(_ source: LoopSource<CallWork>, work: CallWork) {
        self.source = source
        let request = work.request
        super.init(
            to: work.upstream.local, mayResend: request.method.isIdempotent,
            connectTimeout: request.connectTimeout, writeTimeout: request.writeTimeout,
            firstByteTimeout: request.firstByteTimeout, readTimeout: request.readTimeout,
            total: request.totalTimeout.map { TimeAmount($0) }, decodesContent: request.decodesContent)
    }

    override func sendRequest(to sink: any RequestSink) {
        let request = source.work.request
        sink.send(
            request.method, target: request.target, fields: request.fields,
            sharedFields: request.sharedFields, body: request.body)
    }

    override func succeeded(_ head: consuming HTTPResponseHead, _ body: consuming ArraySlice<UInt8>) {
        source.onLast(OutboundResponse(head: head, body: body, timings: timings))
    }

    override func failed(_ reason: FailureReason, _ detail: String) {
        source.onError(error(reason, detail))
    }
}

extension OutboundError {
    /// Nothing can be called any more from where the call was to be made.
    static var loopEnded: OutboundError {
        OutboundError(
            reason: .destinationUnavailable, detail: "the event loop has ended", requestWasSent: false,
            timings: OutboundTimings(started: MonotonicTime.clock()))
    }
}
