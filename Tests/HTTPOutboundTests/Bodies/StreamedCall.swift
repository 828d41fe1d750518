import EventIO
import HTTPModel
import Locking
import Rx
import TestSupport

@testable import HTTPOutbound

/// A call that takes its response in pieces, as a test tells it to.
final class StreamedCall: OutboundCall, @unchecked Sendable {
    struct Told: Sendable {
        var head: HTTPResponseHead?
        var pieces: [Int] = []
        var bytes: [UInt8] = []
        var gathered: [Int] = []
        var sent: [Int64] = []
        var end: Result<OutboundResponse, OutboundError>?
    }

    private let request: OutboundRequest
    private let delivery: @Sendable (HTTPResponseHead) -> BodyDelivery
    private let onPiece: @Sendable (StreamedCall) -> Void
    private let told = Lock(Told())
    /// Fired for each piece.
    let cameOn = Signal()
    let ended = Signal()

    private init(
        _ request: OutboundRequest, to api: Upstream,
        delivery: @escaping @Sendable (HTTPResponseHead) -> BodyDelivery,
        onPiece: @escaping @Sendable (StreamedCall) -> Void
    ) {
        self.request = request
        self.delivery = delivery
        self.onPiece = onPiece
        super.init(
            to: api.local, mayResend: request.method.isIdempotent,
            firstByteTimeout: request.firstByteTimeout, readTimeout: request.readTimeout,
            total: request.totalTimeout.map { TimeAmount($0) }, mayStream: true)
    }

    /// - Parameter onPiece: on the loop, when a piece was taken notice of.
    static func begin(
        _ api: Upstream, _ request: OutboundRequest = OutboundRequest(target: "/"),
        delivery: @escaping @Sendable (HTTPResponseHead) -> BodyDelivery = { _ in .streamed() },
        onPiece: @escaping @Sendable (StreamedCall) -> Void = { _ in }
    ) async throws -> StreamedCall {
        try await api.loop.perform {
            let call = StreamedCall(request, to: api, delivery: delivery, onPiece: onPiece)
            call.start(at: api.local)
            return call
        }
    }

    var record: Told { told.withLock { $0 } }

    func end() async -> Result<OutboundResponse, OutboundError> {
        await ended.wait()
        guard let end = record.end else { fatalError("ended without a result") }
        return end
    }

    /// Resumes from a turn of the loop to come.
    func resumeSoon() {
        loop.execute { self.resume() }
    }

    func resume(after time: TimeAmount) {
        _ = loop.setTimer(after: time, target: Later { self.resume() })
    }

    override func sendRequest(to sink: any RequestSink) {
        sink.send(
            request.method, target: request.target, fields: request.fields,
            sharedFields: request.sharedFields, body: request.body)
    }

    override func responseBegan(_ head: HTTPResponseHead) -> BodyDelivery {
        told.withLock { $0.head = head }
        return delivery(head)
    }

    override func bodyReceived(_ piece: UnsafeRawBufferPointer) {
        told.withLock { told in
            told.pieces.append(piece.count)
            told.bytes += piece
        }
        onPiece(self)
        cameOn.fire()
    }

    override func bodyGathered(_ count: Int) { told.withLock { $0.gathered.append(count) } }
    override func bodySent(_ count: Int64) { told.withLock { $0.sent.append(count) } }

    override func succeeded(_ head: consuming HTTPResponseHead, _ body: consuming ArraySlice<UInt8>) {
        let response = OutboundResponse(head: head, body: body, timings: timings)
        told.withLock { $0.end = .success(response) }
        ended.fire()
    }

    override func failed(_ reason: FailureReason, _ detail: String) {
        told.withLock { $0.end = .failure(error(reason, detail)) }
        ended.fire()
    }
}

/// What a timer does.
final class Later: TimerTarget {
    private let work: () -> Void
    init(_ work: @escaping () -> Void) { self.work = work }
    func timerFired(_: TimerToken) { work() }
}

extension ClientHarness {
    /// When so much time of the loop has passed.
    func pass(_ time: TimeAmount) async throws {
        let signal = Signal()
        try await loop.perform { [loop] in
            _ = loop.setTimer(after: time, target: Later { signal.fire() })
        }
        await signal.wait()
    }
}

/// A body whose pieces a test gives, and which tells how it was used.
final class ScriptedBody: OutboundBodySource {
    struct Used: Sendable, Equatable {
        var opened = 0
        var asked = 0
        var closed = 0
        /// The most that waited for the socket when a piece was asked for.
        var mostQueued = 0
    }

    enum End: Sendable { case finish, fail, never }

    struct Refused: Error, CustomStringConvertible { let description = "no such body" }

    let length: Int64?
    let canRestart: Bool
    let expectsContinue: Bool
    private let pieces: [[UInt8]]
    private let end: End
    private let opens: Bool
    private let state = Lock(Used())
    let wasAsked = Signal()

    init(
        _ pieces: [[UInt8]], length: Int64?, end: End = .finish, opens: Bool = true, canRestart: Bool = false,
        expectsContinue: Bool = false
    ) {
        self.pieces = pieces
        self.length = length
        self.end = end
        self.opens = opens
        self.canRestart = canRestart
        self.expectsContinue = expectsContinue
    }

    var used: Used { state.withLock { $0 } }

    func open(on loop: EventLoop) throws -> any OutboundBodyStream {
        state.withLock { $0.opened += 1 }
        guard opens else { throw Refused() }
        return Stream(self)
    }

    private final class Stream: OutboundBodyStream {
        private let body: ScriptedBody
        private var next = 0

        init(_ body: ScriptedBody) { self.body = body }

        func nextPiece(for writer: OutboundBodyWriter) {
            body.state.withLock { used in
                used.asked += 1
                used.mostQueued = max(used.mostQueued, writer.queuedByteCount)
            }
            body.wasAsked.fire()
            if next < body.pieces.count {
                next += 1
                return writer.write(body.pieces[next - 1][...])
            }
            switch body.end {
            case .finish: writer.finish()
            case .fail: writer.fail("the well is dry")
            case .never: break
            }
        }

        func close() { body.state.withLock { $0.closed += 1 } }
    }
}
