import Queues
import Rx

/// Receives the next piece, which is not empty, nil at the end, or the error that ends the bytes early.
package typealias PieceReceiver = @Sendable (Result<ArraySlice<UInt8>?, any Error>) -> Void

/// Bytes that are read piece by piece, at the pace of their reader. Used from any thread, by one reader.
package protocol PieceSource: AnyObject, Sendable {
    /// Requests the next piece; one request at a time. `receive` is called once, unless `cancel` comes first:
    /// on any thread, possibly inside this call.
    func read(_ receive: @escaping PieceReceiver)

    /// Ends the reading. A pending request fails with a `CancellationError`, or is forgotten.
    func cancel()

    /// Bytes that have arrived and wait for `read`.
    var unreadByteCount: Int { get }

    /// Sets what is called, on any thread, when a piece begins to wait for `read`.
    func onUnread(_ report: @escaping @Sendable () -> Void)

    /// Sends the pieces to `sink` as they arrive, instead of waiting for `read`. Returns what pauses them;
    /// nil if they must be read.
    func send(to sink: any PieceSink) -> (any FlowControl)?
}

extension PieceSource {
    package var unreadByteCount: Int { 0 }

    package func onUnread(_ report: @escaping @Sendable () -> Void) {}

    package func send(to sink: any PieceSink) -> (any FlowControl)? { nil }
}

/// Receives bytes as they arrive, on any thread. `FlowControl` pauses them.
package protocol PieceSink: AnyObject, Sendable {
    /// Receives a piece, which is valid during the call only.
    func received(_ piece: UnsafeRawBufferPointer)

    /// The bytes are complete, or this error ended them early. Called once.
    func ended(_ error: (any Error)?)
}

/// Keeps pieces that arrive until they are read. Its owner guards it by a lock, and calls the receivers
/// outside of the lock.
package struct PieceBuffer: Sendable {
    private var pieces = Queue<ArraySlice<UInt8>>()
    private var end: Result<Void, any Error>?
    private var receiver: PieceReceiver?
    /// Bytes that wait to be read.
    package private(set) var byteCount = 0

    package init() {}

    /// Whether no piece waits to be read.
    package var isEmpty: Bool { pieces.isEmpty }
    package var hasEnded: Bool { end != nil }

    /// Keeps a piece, although a read may be pending. Drops it after the end.
    package mutating func append(_ piece: ArraySlice<UInt8>) {
        guard end == nil else { return }
        pieces.append(piece)
        byteCount += piece.count
    }

    /// Returns the pending receiver, which gets the piece now. Without one, keeps the piece and returns nil.
    package mutating func received(_ piece: ArraySlice<UInt8>) -> PieceReceiver? {
        if let receiver = receiver.take() { return receiver }
        append(piece)
        return nil
    }

    /// Ends the bytes after the pieces that wait. Returns the pending receiver, which gets the end now.
    package mutating func finish(_ end: Result<Void, any Error>) -> PieceReceiver? {
        if self.end == nil { self.end = end }
        return receiver.take()
    }

    /// Returns the next piece or the end. If there is neither, keeps `receiver` and returns nil. Fails with
    /// `ConcurrentReadError` while another receiver waits.
    package mutating func read(_ receiver: @escaping PieceReceiver) -> Result<ArraySlice<UInt8>?, any Error>?
    {
        if let piece = pieces.popFirst() {
            byteCount -= piece.count
            return .success(piece)
        }
        if let end { return end.map { nil } }
        guard self.receiver == nil else { return .failure(ConcurrentReadError()) }
        self.receiver = receiver
        return nil
    }

    /// Removes and returns all bytes that wait.
    package mutating func takeAll() -> ArraySlice<UInt8> {
        guard let first = pieces.popFirst() else { return [] }
        defer { byteCount = 0 }
        if isEmpty { return first }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(byteCount)
        bytes += first
        while let piece = pieces.popFirst() { bytes += piece }
        return bytes[...]
    }

    /// Drops the pieces. Further reads fail with a `CancellationError`, as does the pending one, whose
    /// receiver is returned.
    package mutating func cancel() -> PieceReceiver? {
        pieces = Queue()
        byteCount = 0
        end = .failure(CancellationError())
        return receiver.take()
    }
}
