import ContentCoding
import EventIO
import HTTPInbound

/// Compresses and sends a large answer, one slice for each turn of the loop, so that other requests go on. Confined to the loop.
final class SlicedAnswer: DeferredWork {
    private var pieces: [ArraySlice<UInt8>]
    /// The piece that comes next.
    private var index = 0
    private let encoder: AnswerEncoder
    private let writer: BodyWriter
    private let loop: EventLoop
    private var isDue = false
    private var isOver = false

    init(
        _ pieces: [ArraySlice<UInt8>], by encoder: AnswerEncoder, to writer: BodyWriter, on loop: EventLoop
    ) {
        self.pieces = pieces
        self.encoder = encoder
        self.writer = writer
        self.loop = loop
    }

    func start() {
        writer.onDrain = { [weak self] in self?.schedule() }
        runDeferred()
    }

    /// The exchange is over.
    func stop() {
        isOver = true
        pieces = []
        // Pieces, coded bytes and encoder: far more than the connection knows of.
        loop.largeMemoryWasFreed()
    }

    private func schedule() {
        guard !isDue, !isOver else { return }
        isDue = true
        loop.defer(self)
    }

    func runDeferred() {
        isDue = false
        guard !isOver else { return }
        do {
            try sendSlice()
        } catch {
            isOver = true
            return writer.fail()
        }
        if isOver { return writer.finish() }
        if !writer.isOverHighWatermark { schedule() }
    }

    private func sendSlice() throws {
        var left = AnswerCompressor.slice
        while left > 0, index < pieces.count {
            let part = pieces[index].prefix(left)
            left -= part.count
            pieces[index] = pieces[index].dropFirst(part.count)
            if pieces[index].isEmpty { index += 1 }
            isOver = index == pieces.count
            let flush: ContentEncoder.Flush = isOver ? .finish : .none
            try part.withUnsafeBytes { try encoder.encode($0, flush) { writer.write($0) } }
        }
    }
}
