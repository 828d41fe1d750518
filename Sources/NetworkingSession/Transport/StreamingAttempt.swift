import EventIO
import HTTPModel
import HTTPOutbound
import Networking
import Resilience
import Rx
import Synchronization

/// One attempt of a call over HTTP for a receiver that follows its progress and may stream its body.
///
/// Unchecked like `OutboundCall`: all state is used only on the loop.
final class StreamingAttempt: LoopAttempt, @unchecked Sendable {
    private let limit: TimeAmount
    /// The receiver; nil after the end.
    private var follower: (any StreamingAttemptReceiver)?
    /// Receives the body if the receiver wants it in a file.
    private var file: FileSink?
    private var received: Int64 = 0
    private var hasReportedBody = false
    private var expected: Int64?
    /// The latest request for a pause. One from another thread may reach the loop after a later one made on
    /// the loop.
    private let isHeld = Atomic(false)

    init(
        _ call: TransportCall, to upstream: borrowing UpstreamPool, within limit: TimeAmount,
        decodesContent: Bool, _ permit: consuming AttemptPermit, _ counts: UpstreamCounts,
        for receiver: any StreamingAttemptReceiver
    ) {
        self.limit = limit
        follower = receiver
        super.init(
            call, to: upstream, within: limit, decodesContent: decodesContent, permit, counts,
            for: receiver, streaming: receiver)
    }

    /// Stops the attempt, even if only the last bytes of its file are left. Nothing is reported any more.
    override func cancel() {
        super.cancel()
        (receiver, follower) = (nil, nil)
        dropFile()
    }

    // MARK: Request

    /// Reports a body in memory as sent, if its end was not reported.
    private func reportBody() { bodyWaits(0) }

    override func bodyWaits(_ count: Int) {
        guard !hasReportedBody, case .bytes(let bytes) = call.body else { return }
        // Before the first byte of the body, the head waits too.
        guard count == 0 || count < bytes.count else { return }
        hasReportedBody = count == 0
        tell { $0.attemptSent(Int64(bytes.count - count), of: Int64(bytes.count)) }
    }

    override func bodySent(_ count: Int64) { tell { $0.attemptSent(count, of: call.body.length) } }

    private func tell(_ event: (any StreamingAttemptReceiver) -> Void) {
        guard let follower else { return }
        tellReceiver { event(follower) }
    }

    // MARK: Response

    override func responseBegan(_ head: HTTPResponseHead) -> BodyDelivery {
        guard let follower else { return .gathered }
        if !owesRequest { reportBody() }
        received = 0
        expected = head.fields[.contentLength].flatMap { Int64($0) }
        let response = TransportResponse(status: head.status, fields: head.fields)
        switch tellReceiver({ follower.attemptStarted(response, flow: self) }) {
        case .whole: return .gathered
        case .pieces: break
        case .file(let path): open(path)
        }
        permit.streamBegan(head.status, call, at: loop.wakeTime)
        // Once a response streams, only the limits on gaps hold, unless the call has a time limit of its own.
        return .streamed(total: call.isUnbounded ? nil : limit)
    }

    override func bodyReceived(_ piece: UnsafeRawBufferPointer) {
        if let file {
            if !file.write(piece) { pauseBody() }
        }
        received += Int64(piece.count)
        tell { follower in
            if file == nil { follower.attemptReceived(piece) }
            // The first call may have cancelled this attempt.
            self.follower?.attemptReceived(received, of: expected)
        }
    }

    override func bodyGathered(_ count: Int) { tell { $0.attemptReceived(Int64(count), of: expected) } }

    // MARK: File

    private func open(_ path: String) {
        let file = FileSink(path: path, on: loop)
        // The file releases both closures when it ends, at the latest with this attempt.
        file.hasRoom = { self.resumeBody() }
        file.failed = { self.fileFailed($0) }
        self.file = file
    }

    private func fileFailed(_ error: SocketError) {
        // Taken first, because `cancel` drops it.
        let receiver = receiver.take()
        cancel()
        let summary = "the file cannot be written"
        receiver?.attemptFailed(
            TransportError(.internalError, "\(summary): \(error)", summary: summary, underlying: error))
    }

    private func dropFile() { file.take()?.cancel() }

    // MARK: End

    override func succeeded(_ head: consuming HTTPResponseHead, _ body: consuming ArraySlice<UInt8>) {
        permit.attemptSucceeded(head.status, lacksBody: lacksBody, call, at: loop.wakeTime)
        // A success that came before the end of the request waited for that.
        if head.status.isSuccess { reportBody() }
        follower = nil
        guard let file else { return super.succeeded(head, body) }
        countEnd(head.status)
        if let receiver { reportConnection(to: receiver) }
        if hasRareParts, let receiver { reportRareParts(to: receiver) }
        let response = TransportResponse(status: head.status, fields: head.fields, body: body)
        // The disk may be silent for longer than the call's own time.
        let rest = call.isUnbounded ? TimeAmount.never : max(.zero, timings.started + limit - loop.now)
        file.finish(within: rest) { error in
            self.file = nil
            if let error { return self.fileFailed(error) }
            self.receiver.take()?.attemptSucceeded(response)
        }
    }

    override func failed(_ reason: FailureReason, _ detail: String) {
        follower = nil
        dropFile()
        super.failed(reason, detail)
    }
}

extension StreamingAttempt: FlowControl {
    func pause() { set(isHeld: true) }
    func resume() { set(isHeld: false) }

    private func set(isHeld: Bool) {
        self.isHeld.store(isHeld, ordering: .relaxed)
        guard !loop.isCurrent else { return apply() }
        loop.execute { self.apply() }
    }

    private func apply() {
        if isHeld.load(ordering: .relaxed) { pauseBody() } else { resumeBody() }
    }
}
