import ContentCoding
import EventIO
import HTTPInbound

/// Sends the body of a streamed answer piece by piece, compressed or not. Confined to the exchange's loop.
///
/// Compressed pieces are flushed once for all that arrive in one turn of the loop: the client can decode them at once, and many
/// small ones do not make the body larger.
final class PieceWriter: DeferredWork {
    private let writer: BodyWriter
    /// Nil to send the pieces as they are.
    private let encoder: AnswerEncoder?
    private let loop: EventLoop
    /// Called if the pieces cannot be compressed.
    private var failed: ((any Error) -> Void)?
    private var isFlushDue = false
    private var isOver = false

    init(_ writer: BodyWriter, by encoder: AnswerEncoder?, on loop: EventLoop) {
        self.writer = writer
        self.encoder = encoder
        self.loop = loop
    }

    /// - Parameters:
    ///   - drained: called when the client has room again.
    ///   - failed: called once if the pieces cannot be compressed.
    func start(drained: @escaping () -> Void, failed: @escaping (any Error) -> Void) {
        self.failed = failed
        writer.onDrain = drained
    }

    var isOverHighWatermark: Bool { writer.isOverHighWatermark }

    func write(_ piece: UnsafeRawBufferPointer) {
        guard let encoder else { return writer.write(piece) }
        guard !isOver else { return }
        encode(piece, .none, by: encoder)
        guard !isFlushDue, !isOver else { return }
        isFlushDue = true
        loop.defer(self)
    }

    func runDeferred() {
        isFlushDue = false
        guard !isOver, let encoder else { return }
        encode(UnsafeRawBufferPointer(start: nil, count: 0), .flush, by: encoder)
    }

    private func encode(
        _ piece: UnsafeRawBufferPointer, _ flush: ContentEncoder.Flush, by encoder: AnswerEncoder
    ) {
        do {
            try encoder.encode(piece, flush) { writer.write($0) }
        } catch {
            isOver = true
            failed.take()?(error)
        }
    }

    /// Ends the body.
    func finish() {
        if let encoder { encode(UnsafeRawBufferPointer(start: nil, count: 0), .finish, by: encoder) }
        if isOver { return }
        stop()
        writer.finish()
    }

    /// Resets the connection, so that the client does not take a part for the whole.
    func fail() {
        stop()
        writer.fail()
    }

    /// Nothing more is sent.
    func stop() {
        isOver = true
        failed = nil
    }
}
