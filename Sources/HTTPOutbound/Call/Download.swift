public import EventIO
internal import HTTPModel
public import Rx

extension Upstream {
    /// The call, cold, with the body of a successful response (2xx) in a file: written as it comes, no faster than the disk
    /// takes it, under a temporary name in the same folder until it is whole. The response then has no body. Any other
    /// response is gathered as ever, and no file is touched.
    ///
    /// It fails as `send` does, with `http_request_error` before anything is sent if the path has a NUL, and with
    /// `proxy_internal_error` if the file cannot be written. A failed or disposed one leaves no file behind.
    ///
    /// - Parameters:
    ///   - path: a file there is replaced.
    ///   - limit: bytes of the file beyond which the call fails with `http_response_body_size`; nil for none.
    ///   - total: time for all of it; nil for as long as something comes.
    ///   - synchronizes: have the disk hold it before it takes its name.
    public func download(
        _ request: consuming OutboundRequest, to path: String, limit: Int? = nil, total: TimeAmount? = nil,
        synchronizes: Bool = false
    ) -> Single<OutboundResponse> {
        do {
            try SocketError.checkPath(path)
        } catch {
            return .error(
                OutboundError(
                    reason: .requestError, detail: error.description, requestWasSent: false,
                    timings: OutboundTimings(started: MonotonicTime.clock())))
        }
        let target = DownloadTarget(path: path, limit: limit, total: total, synchronizes: synchronizes)
        return .emitting(LoopSource(DownloadWork(request: request, target: target, upstream: self)))
    }
}

struct DownloadTarget: Sendable {
    let path: String
    let limit: Int?
    let total: TimeAmount?
    let synchronizes: Bool
}

private struct DownloadWork: LoopWork {
    typealias Output = OutboundResponse

    let request: OutboundRequest
    let target: DownloadTarget
    let upstream: Upstream

    var loop: EventLoop { upstream.loop }
    var loopEnded: any Error { OutboundError.loopEnded }

    func start(for source: LoopSource<DownloadWork>) -> DownloadCall {
        let call = DownloadCall(source, work: self)
        call.start(at: upstream.local)
        return call
    }

    func end(_ call: DownloadCall) { call.give() }
}

/// A call whose response goes to a file. Its end is told when the file is whole.
private final class DownloadCall: OutboundCall, @unchecked Sendable {
    private let source: LoopSource<DownloadWork>
    // The loop's alone.
    private var sink: FileSink?

    init(_ source: LoopSource<DownloadWork>, work: DownloadWork) {
        self.source = source
        let request = work.request
        super.init(
            to: work.upstream.local, mayResend: request.method.isIdempotent,
            connectTimeout: request.connectTimeout, writeTimeout: request.writeTimeout,
            firstByteTimeout: request.firstByteTimeout, readTimeout: request.readTimeout,
            total: request.totalTimeout.map { TimeAmount($0) }, mayStream: true,
            decodesContent: request.decodesContent)
    }

    override func sendRequest(to sink: any RequestSink) {
        let request = source.work.request
        sink.send(
            request.method, target: request.target, fields: request.fields,
            sharedFields: request.sharedFields, body: request.body)
    }

    override func responseBegan(_ head: HTTPResponseHead) -> BodyDelivery {
        guard head.status.isSuccess else { return .gathered }
        let target = source.work.target
        let sink = FileSink(path: target.path, on: loop, synchronizes: target.synchronizes)
        // The sink lets go of both with its end, which this call's end makes sure of.
        sink.hasRoom = { self.resume() }
        sink.failed = { self.fileFailed($0) }
        self.sink = sink
        return .streamed(limit: target.limit, total: target.total)
    }

    override func bodyReceived(_ piece: UnsafeRawBufferPointer) {
        if sink?.write(piece) == false { pause() }
    }

    override func succeeded(_ head: consuming HTTPResponseHead, _ body: consuming ArraySlice<UInt8>) {
        let response = OutboundResponse(head: head, body: body, timings: timings)
        guard let sink else { return source.onLast(response) }
        sink.finish { error in
            self.sink = nil
            if let error { self.fileFailed(error) } else { self.source.onLast(response) }
        }
    }

    override func failed(_ reason: FailureReason, _ detail: String) {
        dropFile()
        source.onError(error(reason, detail))
    }

    /// Nobody wants it any more, be it on its way or only the file's last bytes.
    func give() {
        cancel()
        dropFile()
    }

    private func fileFailed(_ error: SocketError) {
        cancel()
        dropFile()
        source.onError(
            OutboundError(
                reason: .internalError, detail: error.description, requestWasSent: true, timings: timings))
    }

    private func dropFile() {
        sink?.cancel()
        sink = nil
    }
}
