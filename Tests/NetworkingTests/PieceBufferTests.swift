import Locking
import Testing

@testable import Networking

@Suite("Pieces that wait for their reader")
struct PieceBufferTests {
    private static func piece(_ text: String) -> ArraySlice<UInt8> { Array(text.utf8)[...] }

    private static func text(_ piece: Result<ArraySlice<UInt8>?, any Error>?) -> String? {
        switch piece {
        case nil: "waits"
        case .success(let bytes?): String(decoding: bytes, as: UTF8.self)
        case .success(nil): "end"
        case .failure(let error): "\(error)"
        }
    }

    /// Reads once. Returns what there is at once.
    private static func read(_ buffer: inout PieceBuffer) -> String? { text(buffer.read { _ in }) }

    @Test("Pieces are read in order, and the end comes after them")
    func order() {
        var buffer = PieceBuffer()
        for text in ["a", "bc", "d"] { #expect(buffer.received(Self.piece(text)) == nil) }
        #expect(buffer.byteCount == 4)
        #expect(buffer.finish(.success(())) == nil)
        #expect(Self.read(&buffer) == "a")
        #expect(buffer.byteCount == 3)
        #expect(Self.read(&buffer) == "bc")
        #expect(Self.read(&buffer) == "d")
        #expect(buffer.isEmpty)
        for _ in 0..<2 { #expect(Self.read(&buffer) == "end") }
    }

    @Test("Pieces that were read leave the buffer, even if another piece always waits")
    func behind() {
        var buffer = PieceBuffer()
        buffer.append(Self.piece("a"))
        var most = 0
        for _ in 0..<10_000 {
            buffer.append(Self.piece("a"))
            #expect(Self.read(&buffer) == "a")
            let places = Mirror(reflecting: buffer).descendant("pieces", "elements") as? [ArraySlice<UInt8>?]
            most = max(most, places?.count ?? .max)
        }
        #expect(most <= 130)
        #expect(buffer.byteCount == 1)
        #expect(Self.read(&buffer) == "a")
        #expect(buffer.isEmpty)
    }

    @Test("A pending reader gets the next piece, which does not wait, or the end")
    func pending() {
        let received = Lock<[String?]>([])
        var buffer = PieceBuffer()
        for text in ["a", "b"] {
            #expect(buffer.read { piece in received.withLock { $0.append(Self.text(piece)) } } == nil)
            buffer.received(Self.piece(text))?(.success(Self.piece(text)))
        }
        #expect(buffer.isEmpty)
        #expect(buffer.read { piece in received.withLock { $0.append(Self.text(piece)) } } == nil)
        buffer.finish(.failure(CancellationError()))?(.failure(CancellationError()))
        #expect(received.withLock { $0 } == ["a", "b", "CancellationError()"])
        #expect(buffer.finish(.success(())) == nil)
        #expect(Self.read(&buffer) == "CancellationError()")
    }

    @Test("A second reader is refused, and the first one still gets the next piece")
    func secondReader() {
        let received = Lock<[String?]>([])
        var buffer = PieceBuffer()
        #expect(buffer.read { piece in received.withLock { $0.append(Self.text(piece)) } } == nil)
        #expect(Self.read(&buffer) == "another task is waiting for the next value of this stream")
        buffer.received(Self.piece("a"))?(.success(Self.piece("a")))
        #expect(received.withLock { $0 } == ["a"])
        #expect(Self.read(&buffer) == "waits")
    }

    @Test("All that waits is taken at once")
    func all() {
        var buffer = PieceBuffer()
        #expect(buffer.takeAll().isEmpty)
        for text in ["a", "bc"] { buffer.append(Self.piece(text)) }
        #expect(buffer.takeAll() == Self.piece("abc"))
        #expect(buffer.isEmpty)
        #expect(buffer.byteCount == 0)
        buffer.append(Self.piece("d"))
        #expect(Self.read(&buffer) == "d")
        #expect(Self.read(&buffer) == "waits")
    }

    @Test("After a cancellation nothing is kept, and each read fails")
    func cancelled() {
        var buffer = PieceBuffer()
        buffer.append(Self.piece("a"))
        #expect(buffer.cancel() == nil)
        #expect(buffer.received(Self.piece("b")) == nil)
        #expect(buffer.byteCount == 0)
        #expect(Self.read(&buffer) == "CancellationError()")
    }
}
