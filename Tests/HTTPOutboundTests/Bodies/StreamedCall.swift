import EventIO
import HTTPModel
import Locking
import Rx
import TestSupport

@testable import HTTPOutbound

/// A call's own limits, nil for the client's, and what else only its class can set.
struct CallSettings: Sendable {
    var connect: Duration?
    var firstByte: Duration?
    var read: Duration?
    var total: Duration?
    var sharedFields = HTTPFields()
    var decodesContent = true
    var isRelay = false
}

/// A call that streams its response under the control of a test.
final class StreamedCall: OutboundCall, @unchecked Sendable {
    struct Record: Sendable {
        var head: HTTPResponseHead?
        var pieces: [Int] = []
        var bytes: [UInt8] = []
        var gathered: [Int] = []
        var sent: [Int64] = []
        var end: Result<OutboundResponse, OutboundError>?
    }

    private let request: OutboundRequest
    private let sharedFields: HTTPFields
    private let delivery: @Sendable (HTTPResponseHead) -> BodyDelivery
    private let onPiece: @Sendable (StreamedCall) -> Void
    private let recording = Lock(Record())
    /// Fires after each piece.
    let pieceReceived = Signal()
    let ended = Signal()

    private init(
        _ request: OutboundRequest, to api: OriginClient, _ settings: CallSettings, mayStream: Bool,
        delivery: @escaping @Sendable (HTTPResponseHead) -> BodyDelivery,
        onPiece: @escaping @Sendable (StreamedCall) -> Void
    ) {
        self.request = request
        sharedFields = settings.sharedFields
        self.delivery = delivery
        self.onPiece = onPiece
        super.init(
            to: api.pool, mayResend: request.method.isIdempotent,
            connectTimeout: settings.connect, firstByteTimeout: settings.firstByte,
            readTimeout: settings.read, total: settings.total.map { TimeAmount($0) }, mayStream: mayStream,
            decodesContent: settings.decodesContent, isRelay: settings.isRelay)
    }

    /// Starts a call.
    ///
    /// - Parameter onPiece: Runs on the loop after each piece is recorded.
    static func begin(
        _ api: OriginClient, _ request: OutboundRequest = OutboundRequest(target: "/"),
        settings: CallSettings = CallSettings(), mayStream: Bool = true,
        delivery: @escaping @Sendable (HTTPResponseHead) -> BodyDelivery = { _ in .streamed() },
        onPiece: @escaping @Sendable (StreamedCall) -> Void = { _ in }
    ) async throws -> StreamedCall {
        try await api.loop.perform {
            let call = StreamedCall(
                request, to: api, settings, mayStream: mayStream, delivery: delivery, onPiece: onPiece)
            api.pool.start(call)
            return call
        }
    }

    var record: Record { recording.withLock { $0 } }

    func end(
        file: String = #fileID, line: Int = #line
    ) async throws -> Result<OutboundResponse, OutboundError> {
        try await ended.wait(file: file, line: line)
        guard let end = record.end else { fatalError("ended without a result") }
        return end
    }

    /// Resumes in a later turn of the loop.
    func resumeSoon() {
        loop.execute { self.resumeBody() }
    }

    func resume(after time: TimeAmount) {
        _ = loop.setTimer(after: time, target: ClosureTimer { self.resumeBody() })
    }

    override func writeRequest(to writer: RequestWriter) {
        writer.write(
            request.method, target: request.target, fields: request.fields,
            sharedFields: sharedFields, body: request.body)
    }

    override func responseBegan(_ head: HTTPResponseHead) -> BodyDelivery {
        recording.withLock { $0.head = head }
        return delivery(head)
    }

    override func bodyReceived(_ piece: UnsafeRawBufferPointer) {
        recording.withLock { recording in
            recording.pieces.append(piece.count)
            recording.bytes += piece
        }
        onPiece(self)
        pieceReceived.fire()
    }

    override func bodyGathered(_ count: Int) { recording.withLock { $0.gathered.append(count) } }
    override func bodySent(_ count: Int64) { recording.withLock { $0.sent.append(count) } }

    override func succeeded(_ head: consuming HTTPResponseHead, _ body: consuming ArraySlice<UInt8>) {
        let response = OutboundResponse(
            head: head, body: body, timings: timings, requestWasCut: requestWasCut)
        recording.withLock { $0.end = .success(response) }
        ended.fire()
    }

    override func failed(_ reason: FailureReason, _ detail: String) {
        let error = OutboundError(
            reason: reason, detail: detail, timings: timings, earlyStatus: earlyStatus)
        recording.withLock { $0.end = .failure(error) }
        ended.fire()
    }
}

extension OriginClient {
    /// Makes a call with its own limits and without streaming.
    func call(
        _ request: OutboundRequest = OutboundRequest(target: "/"), settings: CallSettings
    ) async throws -> Result<OutboundResponse, OutboundError> {
        try await StreamedCall.begin(self, request, settings: settings, mayStream: false).end()
    }
}

/// A timer target that runs a closure.
final class ClosureTimer: TimerTarget {
    private let work: () -> Void
    init(_ work: @escaping () -> Void) { self.work = work }
    func timerFired(_: TimerToken) { work() }
}

extension ClientHarness {
    /// Waits until `time` has passed on the loop.
    func pass(_ time: TimeAmount) async throws {
        let signal = Signal()
        try await loop.perform { [loop] in
            _ = loop.setTimer(after: time, target: ClosureTimer { signal.fire() })
        }
        try await signal.wait()
    }
}

/// A body made of given pieces. It records how it was used.
final class ScriptedBody: OutboundBodySource {
    struct Used: Sendable, Equatable {
        var opened = 0
        var requested = 0
        var closed = 0
        /// The most bytes queued for the socket when a piece was requested.
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
    let pieceRequested = Signal()

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
                used.requested += 1
                used.mostQueued = max(used.mostQueued, writer.queuedByteCount)
            }
            body.pieceRequested.fire()
            if next < body.pieces.count {
                next += 1
                return writer.write(body.pieces[next - 1][...])
            }
            switch body.end {
            case .finish: writer.finish()
            case .fail: writer.fail("the source failed")
            case .never: break
            }
        }

        func close() { body.state.withLock { $0.closed += 1 } }
    }
}

/// A body whose pieces a test gives one by one.
final class GatedBody: OutboundBodySource {
    private struct State {
        /// An empty piece is the end.
        var given: [[UInt8]] = []
        var waiting: LoopBound<OutboundBodyWriter>?
        var closed = 0
    }

    let length: Int64?
    let canRestart = false
    private let state = Lock(State())

    init(length: Int64?) { self.length = length }

    var closed: Int { state.withLock { $0.closed } }

    /// Gives the next piece; an empty one is the end.
    func give(_ text: String) {
        let waiting = state.withLock { state in
            if state.waiting == nil { state.given.append(Array(text.utf8)) }
            return state.waiting.take()
        }
        guard let waiting else { return }
        waiting.loop.execute { Self.write(Array(text.utf8), to: waiting.value) }
    }

    func open(on loop: EventLoop) -> any OutboundBodyStream { Stream(self, loop) }

    private static func write(_ piece: [UInt8], to writer: OutboundBodyWriter) {
        if piece.isEmpty { writer.finish() } else { writer.write(piece[...]) }
    }

    private final class Stream: OutboundBodyStream {
        private let body: GatedBody
        private let loop: EventLoop

        init(_ body: GatedBody, _ loop: EventLoop) {
            self.body = body
            self.loop = loop
        }

        func nextPiece(for writer: OutboundBodyWriter) {
            let bound = LoopBound(writer, loop: loop)
            let piece = body.state.withLock { state -> [UInt8]? in
                guard state.given.isEmpty else { return state.given.removeFirst() }
                state.waiting = bound
                return nil
            }
            if let piece { GatedBody.write(piece, to: writer) }
        }

        func close() {
            body.state.withLock { state in
                state.closed += 1
                state.waiting = nil
            }
        }
    }
}
