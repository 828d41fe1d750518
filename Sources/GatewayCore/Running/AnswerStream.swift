import Locking
package import Networking

/// The body of an answer that is sent piece by piece. Iterate once, in one task. Releasing it, or cancelling
/// the task that reads it, cancels the work that makes it.
public final class AnswerStream: AsyncSequence, Sendable {
    /// A piece of bytes.
    public typealias Element = ArraySlice<UInt8>

    /// The number of bytes; nil if it is not known.
    public let length: Int?
    /// How long a piece may take while the client is ready for it. Then the stream is broken off; a stream of
    /// records goes on with a heartbeat.
    package let gap: Duration
    /// Nil if the pieces are not records.
    package let records: RecordFormat?
    private let source: any PieceSource

    init(_ source: any PieceSource, length: Int?, gap: Duration, records: RecordFormat? = nil) {
        self.source = source
        self.length = length
        self.gap = gap
        self.records = records
    }

    deinit { source.cancel() }

    /// Calls `receiver` once with the next piece, nil at the end, or the error that ends the body early. At
    /// most one read at a time.
    package func read(_ receiver: @escaping PieceReceiver) { source.read(receiver) }

    package func cancel() { source.cancel() }

    /// Bytes that have arrived and wait for `read`.
    package var unreadByteCount: Int { source.unreadByteCount }

    /// Sets what is called, on any thread, when a piece begins to wait for `read`.
    package func onUnread(_ report: @escaping @Sendable () -> Void) { source.onUnread(report) }

    /// Sends the pieces of an upstream's response to `sink` as they arrive, instead of waiting for `read`.
    /// Returns what pauses them; nil for any other body, which must be read.
    package func send(to sink: any PieceSink) -> (any FlowControl)? { source.send(to: sink) }

    /// Returns an iterator. The bytes can be read once.
    public func makeAsyncIterator() -> Iterator { Iterator(stream: self) }

    /// Iterates over the pieces.
    public struct Iterator: AsyncIteratorProtocol {
        let stream: AnswerStream

        /// Returns the next piece; nil after the last one. Throws if the stream fails.
        public mutating func next() async throws -> ArraySlice<UInt8>? {
            let stream = stream
            let happensBefore = HappensBeforeEdge()
            defer { happensBefore.acquire() }
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    stream.read { piece in
                        happensBefore.release()
                        continuation.resume(with: piece)
                    }
                }
            } onCancel: {
                stream.cancel()
            }
        }
    }
}

/// Makes the pieces of an answer: a task that sends each and waits until it is taken.
final class StreamSource: Sendable {
    let length: Int?
    /// Nil if the pieces are not records.
    let records: RecordStream?
    let work: @Sendable (PieceChannel) async throws -> Void

    init(
        length: Int?, as records: RecordStream? = nil,
        _ work: @escaping @Sendable (PieceChannel) async throws -> Void
    ) {
        self.length = length.flatMap { $0 < 0 ? nil : $0 }
        self.records = records
        self.work = work
    }
}
