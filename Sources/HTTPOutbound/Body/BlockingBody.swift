public import EventIO

/// A body from a source that blocks, read on helper threads at most two pieces of 64 KiB ahead of the
/// upstream.
public struct BlockingBody: OutboundBodySource {
    /// The size in bytes; nil sends the body in chunks.
    public let length: Int64?
    /// Whether the reader can be made again for another attempt.
    public let canRestart: Bool
    /// Whether to send `Expect: 100-continue`.
    public let expectsContinue: Bool
    private let mayWait: Bool
    private let reader: @Sendable () throws -> any BlockingReader

    /// - Parameters:
    ///   - length: the body's size in bytes; nil sends it in chunks.
    ///   - canRestart: whether `reader` may be called again.
    ///   - expectsContinue: whether to send `Expect: 100-continue`.
    ///   - mayWait: whether a read may wait for anything but a disk, such as another program. It then happens
    ///     on other threads than those for files.
    ///   - reader: returns a reader; called on a helper thread at the first byte.
    public init(
        length: Int64?, canRestart: Bool = true, expectsContinue: Bool = false, mayWait: Bool = false,
        reader: @escaping @Sendable () throws -> any BlockingReader
    ) {
        self.length = length
        self.canRestart = canRestart
        self.expectsContinue = expectsContinue
        self.mayWait = mayWait
        self.reader = reader
    }

    /// Returns a stream that reads on helper threads.
    public func open(on loop: EventLoop) -> any OutboundBodyStream {
        ReadAheadStream(ReadAhead(on: loop, mayWait: mayWait, open: reader))
    }
}

private final class ReadAheadStream: OutboundBodyStream {
    private let pieces: ReadAhead

    init(_ pieces: ReadAhead) { self.pieces = pieces }

    func nextPiece(for writer: OutboundBodyWriter) {
        pieces.next { piece in
            switch piece {
            case .success(let bytes) where bytes.isEmpty: writer.finish()
            case .success(let bytes): writer.write(bytes)
            case .failure(let error): writer.fail("\(error)")
            }
        }
    }

    func close() { pieces.close() }
}
