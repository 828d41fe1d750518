import ContentCoding
import EventIO
import GatewayConfig
import GatewayCore
import HTTPInbound
import HTTPModel
import Networking
import Rx

/// Sends the body of an answer piece by piece, compressed or not. Confined to the exchange's loop.
///
/// A stream is read no faster than the client receives. The response of an upstream arrives by itself, and
/// pauses while the client is slow. A body in memory does not wait for the client: once compressed, it waits
/// in the connection, which may move it to a file.
///
/// What is in memory is compressed in slices of `AnswerCompressor.slice`, each in its turn, so that other
/// requests go on. The server counts the rest. The pieces of a stream are flushed once for all that arrive in
/// one turn: the client can decode them at once, and many small ones do not make the body larger.
final class AnswerPump: DeferredWork, TurnWork {
    private let writer: BodyWriter
    /// Nil to send the pieces as they are, and at the end.
    private var encoder: AnswerEncoder?
    private let loop: EventLoop
    private let requestID: String
    private let log: Log
    /// Nil if the body is in memory.
    private let stream: AnswerStream?
    /// Pauses pieces that arrive by themselves; nil if they are read.
    private let flow: (any FlowControl)?
    /// Bounds the time for the next piece.
    private var timer: TimerToken?
    private var held = HeldPieces()
    /// Bytes that wait in the stream, as the server counts them.
    private var unread = 0
    private var isReading = false
    private var isPumping = false
    private var isPaused = false
    private var isDue = false
    private var awaitsTurn = false
    private var isOver = false
    /// Whether the stream ends after the record in progress.
    private var isLeaving = false
    /// The loop's streams that end at a drain; nil if this one is not among them.
    private var following: LoopStreams?

    private init(
        _ writer: BodyWriter, by encoder: AnswerEncoder?, on loop: EventLoop, requestID: String, _ log: Log,
        _ stream: AnswerStream?, _ flow: (any FlowControl)? = nil
    ) {
        self.writer = writer
        self.encoder = encoder
        self.loop = loop
        self.requestID = requestID
        self.log = log
        self.stream = stream
        self.flow = flow
    }

    /// Compresses and sends a body, after `start`.
    convenience init(
        _ body: [ArraySlice<UInt8>], to writer: BodyWriter, by encoder: AnswerEncoder, on loop: EventLoop,
        requestID: String, _ log: Log
    ) {
        self.init(writer, by: encoder, on: loop, requestID: requestID, log, nil)
        held = HeldPieces(body)
    }

    /// Sends a head, and returns what sends the stream behind it, after `start`. Returns nil if there is
    /// nothing to send behind it.
    ///
    /// - Parameters:
    ///   - compressor: nil to send the body as it is.
    ///   - sink: receives the pieces that arrive by themselves, and passes them to `received` and `ended`.
    ///     Nil to read them.
    static func begin(
        _ stream: AnswerStream, _ head: HTTPResponseHead, on exchange: InboundExchange, requestID: String,
        _ log: Log, compressor: AnswerCompressor? = nil, sink: (any PieceSink)? = nil
    ) -> AnswerPump? {
        var head = head
        if let length = stream.length { head.fields.append(.contentLength, "\(length)") }
        let isHead = exchange.method == .head
        let encoder = compressor?.encoder(for: &head, isHead: isHead, on: exchange)
        let flow = sink.flatMap { stream.send(to: $0) }
        let writer = exchange.startStreaming(head)
        // HEAD has no body, and the client may have left. A response that arrives ends by itself, which keeps
        // its connection.
        guard !exchange.isOver, flow != nil || !isHead else {
            stream.cancel()
            writer.finish()
            return nil
        }
        let pump = AnswerPump(
            writer, by: encoder, on: exchange.loop, requestID: requestID, log, stream, flow)
        writer.onDrain = { [weak pump] in pump?.resume() }
        if flow == nil { pump.watchUnread() }
        return pump
    }

    /// Call it once the exchange keeps the pump, because the exchange may end within.
    func start() {
        if held.isEmpty {
            if flow == nil { pump() }
        } else if loop.isTurnOver {
            writer.hold(held.byteCount)
            awaitTurn()
        } else {
            encodeHeld()
        }
    }

    /// Cancels the work that makes the body. The exchange is over.
    func stop() {
        guard !isOver else { return }
        end()
        stream?.cancel()
    }

    /// Lets the stream end when the server stops accepting connections.
    func follow(_ streams: LoopStreams) {
        guard !isOver else { return }
        following = streams
        streams.add(self)
    }

    /// Ends a stream of records early, after the record in progress. Its client connects again, elsewhere.
    func leave() {
        isLeaving = true
        // A record is compressed as a whole.
        if held.isEmpty { finishEarly() }
    }

    private func finishEarly() {
        guard !isOver, let stream else { return }
        if let farewell = stream.records?.farewell { farewell.withUnsafeBytes(write) }
        guard !isOver else { return }
        finish()
        stream.cancel()
    }

    private func end() {
        isOver = true
        following.take()?.remove(self)
        if let timer { loop.cancelTimer(timer) }
        timer = nil
        guard encoder != nil else { return }
        encoder = nil
        held = HeldPieces()
        // More than the connection knows of.
        loop.largeMemoryWasFreed()
    }

    private func finish() {
        if let encoder { encode(UnsafeRawBufferPointer(start: nil, count: 0), .finish, by: encoder) }
        // A failure to end the compressed body is reported at once.
        guard !isOver else { return }
        end()
        writer.finish()
    }

    /// Resets the connection, so that the client does not take a part for the whole.
    private func breakOff(_ reason: String) {
        guard !isOver else { return }
        log.write(.warning, "streamed answer broken off", ["requestId": requestID, "reason": reason])
        end()
        stream?.cancel()
        writer.fail()
    }

    /// The client has room again.
    private func resume() {
        guard let flow else { return pump() }
        guard isPaused else { return }
        isPaused = false
        flow.resume()
    }

    // MARK: Pieces that are read

    private func watchUnread() {
        let watch = LoopBound(UnreadWatch(self), loop: loop)
        stream?.onUnread {
            guard !watch.loop.isCurrent else { return watch.value.count() }
            watch.loop.execute { watch.value.count() }
        }
    }

    /// May end the exchange, because too many bytes wait.
    fileprivate func countUnread() {
        guard !isOver, let stream else { return }
        let count = stream.unreadByteCount
        guard count != unread else { return }
        unread = count
        writer.countUnread(count)
    }

    /// Reads until no piece is ready or the client has enough to receive. A loop, because pieces may arrive
    /// within `read`.
    private func pump() {
        guard let stream, !isPumping else { return }
        isPumping = true
        defer { isPumping = false }
        while !isOver, !isReading, held.isEmpty, !writer.isOverHighWatermark {
            if encoder != nil, loop.isTurnOver { return awaitTurn() }
            isReading = true
            timer = loop.setTimer(after: stream.gap, target: self)
            let pump = LoopBound(self, loop: loop)
            stream.read { piece in
                guard !pump.loop.isCurrent else { return pump.value.received(piece) }
                pump.loop.execute { pump.value.received(piece) }
            }
        }
    }

    private func received(_ piece: Result<ArraySlice<UInt8>?, any Error>) {
        isReading = false
        if let timer { loop.cancelTimer(timer) }
        timer = nil
        guard !isOver else { return }
        switch piece {
        case .success(let bytes?):
            if unread > 0 { countUnread() }
            guard !isOver else { return }
            if encoder == nil || bytes.count <= AnswerCompressor.slice {
                bytes.withUnsafeBytes(write)
                pump()
            } else {
                held = HeldPieces([bytes])
                encodeHeld()
            }
        case .success(nil): finish()
        case .failure(let error): breakOff("\(error)")
        }
    }

    // MARK: Pieces that arrive

    func received(_ piece: UnsafeRawBufferPointer) {
        guard !isOver else { return }
        write(piece)
        guard !isOver, writer.isOverHighWatermark, !isPaused else { return }
        isPaused = true
        flow?.pause()
    }

    func ended(_ error: (any Error)?) {
        guard !isOver else { return }
        if let error { breakOff("\(error)") } else { finish() }
    }

    // MARK: Writing

    private func write(_ piece: UnsafeRawBufferPointer) {
        guard let encoder else { return writer.write(piece) }
        encode(piece, .none, by: encoder)
        if !isOver { runLater() }
    }

    private func encode(
        _ piece: UnsafeRawBufferPointer, _ flush: ContentEncoder.Flush, by encoder: AnswerEncoder
    ) {
        do {
            try encoder.encode(piece, flush) { writer.write($0) }
        } catch {
            breakOff("\(error)")
        }
        loop.checkTurn()
    }

    private func awaitTurn() {
        guard !isOver, !awaitsTurn, let encoder else { return }
        awaitsTurn = true
        loop.awaitTurn(self, for: encoder.client)
    }

    func turnBegins() {
        awaitsTurn = false
        guard !isOver else { return }
        if held.isEmpty { pump() } else { encodeHeld() }
    }

    private func runLater() {
        guard !isDue else { return }
        isDue = true
        loop.defer(self)
    }

    /// Flushes what was compressed in this turn.
    func runDeferred() {
        isDue = false
        guard !isOver, held.isEmpty, let encoder else { return }
        encode(UnsafeRawBufferPointer(start: nil, count: 0), .flush, by: encoder)
    }

    // MARK: Pieces in memory

    /// Compresses a slice of what is held. The exchange may end with each write and each count, because too
    /// many bytes wait.
    private func encodeHeld() {
        guard let encoder else { return }
        writer.hold(held.byteCount)
        var left = AnswerCompressor.slice
        while !isOver, left > 0, let part = held.first(left) {
            part.withUnsafeBytes { encode($0, .none, by: encoder) }
            left -= part.count
            if !isOver { held.drop(part.count) }
        }
        if !isOver { writer.hold(held.byteCount) }
        guard !isOver else { return }
        guard held.isEmpty else { return awaitTurn() }
        guard stream != nil else { return finish() }
        guard !isLeaving else { return finishEarly() }
        runLater()
        pump()
    }
}

extension AnswerPump: TimerTarget {
    /// The next piece took too long.
    func timerFired(_ token: TimerToken) {
        timer = nil
        guard let stream, !isOver else { return }
        guard let records = stream.records else { return breakOff("no piece within \(stream.gap)") }
        // The read goes on.
        if !writer.isOverHighWatermark { records.heartbeat.withUnsafeBytes(write) }
        if !isOver { timer = loop.setTimer(after: stream.gap, target: self) }
    }
}

/// Refers to a pump from its stream, which the pump keeps.
private final class UnreadWatch {
    private weak var pump: AnswerPump?

    init(_ pump: AnswerPump) { self.pump = pump }

    func count() { pump?.countUnread() }
}

/// Pieces in memory that are yet to be compressed.
private struct HeldPieces {
    private var pieces: [ArraySlice<UInt8>] = []
    /// The first piece that is not taken completely, and how many of its bytes are taken.
    private var next = 0
    private var taken = 0
    /// Bytes of all pieces that are in memory. One that is taken in part is in memory as a whole.
    private(set) var byteCount = 0

    init() {}

    init(_ pieces: [ArraySlice<UInt8>]) {
        self.pieces = pieces.filter { !$0.isEmpty }
        byteCount = pieces.reduce(0) { $0 + $1.count }
    }

    var isEmpty: Bool { next == pieces.count }

    /// Returns the next bytes of one piece, at most `count`, if any.
    func first(_ count: Int) -> ArraySlice<UInt8>? {
        isEmpty ? nil : pieces[next].dropFirst(taken).prefix(count)
    }

    /// Drops the next bytes of one piece. Gives up the piece with the last of them.
    mutating func drop(_ count: Int) {
        taken += count
        guard taken == pieces[next].count else { return }
        byteCount -= taken
        pieces[next] = []
        next += 1
        taken = 0
    }
}
