import Locking
public import Rx

// The pieces may be `[UInt8]`, `ArraySlice<UInt8>`, `Data`, or another collection of bytes.
extension Answer {
    /// An answer whose body is sent piece by piece, as the sequence makes it:
    ///
    ///     gateway.get("/api/export") { _ in
    ///         .stream(try await shop.stream(.export), contentType: "text/csv")
    ///     }
    ///
    /// The head is sent with the first piece. What fails before is answered like the failure of a handler's
    /// call; what fails later resets the connection, so that the client does not take a part for the whole. A
    /// body with a length of at most 8 KiB is sent as a whole, unless its end takes longer than 100 ms. The
    /// sequence is read no faster than the client receives, and it is cancelled when the client leaves, when
    /// the deadline passes before the first piece, or when a piece takes longer than
    /// `GatewayLimits.streamGap`. A response of an upstream that it passes on may take any time once its head
    /// has arrived.
    ///
    /// - Parameters:
    ///   - pieces: the body. Empty pieces are skipped.
    ///   - contentType: a media type (RFC 9110 8.3.1), `text/csv`. Anything else is answered with 500 and is
    ///     an incident.
    ///   - length: the number of bytes, for `Content-Length`. If it is not met, the answer is 500, or the
    ///     connection is reset if the head was sent; either is an incident. Nil: the body is chunked.
    public static func stream<Pieces: AsyncSequence & Sendable>(
        _ pieces: Pieces, contentType: String, length: Int? = nil
    ) -> Answer where Pieces.Element: Collection, Pieces.Element.Element == UInt8 {
        var body = RawBody(bytes: [], contentType: contentType)
        body.fault = RawBody.fault(of: contentType)
        if let length, length < 0 { body.fault = EndpointFault("a stream cannot have \(length) bytes") }
        body.stream = StreamSource(length: length) { stream in
            var iterator = pieces.makeAsyncIterator()
            while let piece = try await iterator.next() {
                let bytes = piece as? ArraySlice<UInt8> ?? ArraySlice(piece)
                if bytes.isEmpty {
                    // A sequence that never suspends would keep the loop from everything else.
                    await Task.yield()
                    try Task.checkCancellation()
                } else {
                    try await stream.send(bytes)
                }
            }
        }
        return Answer(.raw(body))
    }

    /// An answer whose body is sent piece by piece, as the stream emits it. A streamed response of an
    /// upstream pauses while the client is slow. Of any other stream at most 1 MiB may wait for the client;
    /// beyond, the connection is reset.
    ///
    /// - Parameters:
    ///   - pieces: the body. Empty pieces are skipped.
    ///   - contentType: a media type (RFC 9110 8.3.1), `text/csv`. Anything else is answered with 500 and is
    ///     an incident.
    ///   - length: the number of bytes, for `Content-Length`. If it is not met, the answer is 500, or the
    ///     connection is reset if the head was sent; either is an incident. Nil: the body is chunked.
    public static func stream<Piece: Collection & Sendable>(
        _ pieces: Observable<Piece>, contentType: String, length: Int? = nil
    ) -> Answer where Piece.Element == UInt8 {
        stream(BoundedPieces(source: pieces), contentType: contentType, length: length)
    }
}

/// The pieces of a stream, of which only so many bytes may wait.
///
/// A response that streams pauses at eight pieces of at most 64 KiB, so it stays within the limit.
private struct BoundedPieces<Piece: Collection & Sendable>: AsyncSequence, Sendable
where Piece.Element == UInt8 {
    typealias Element = Piece

    static var limit: Int { 1 << 20 }

    let source: Observable<Piece>

    struct Iterator: AsyncIteratorProtocol {
        let waiting: Waiting
        var values: AsyncThrowingStream<Piece, any Error>.Iterator

        mutating func next() async throws -> Piece? {
            let piece = try await values.next()
            if let piece { waiting.take(piece.count) }
            return piece
        }
    }

    func makeAsyncIterator() -> Iterator {
        let waiting = Waiting()
        let counted = source.map { piece in
            try waiting.add(piece.count, limit: Self.limit)
            return piece
        }
        return Iterator(
            waiting: waiting, values: counted.values(pausingAt: 8, resumingAt: 2).makeAsyncIterator())
    }
}

/// Counts the bytes that wait for the client.
private final class Waiting: Sendable {
    private let bytes = Lock(0)

    func add(_ count: Int, limit: Int) throws(StreamAhead) {
        let (before, sum) = bytes.withLock { bytes in
            bytes += count
            return (bytes - count, bytes)
        }
        // A single piece, such as a whole response, is in memory anyway.
        if before > 0, sum > limit {
            throw StreamAhead(limit: limit)
        }
    }

    func take(_ count: Int) { bytes.withLock { $0 -= count } }
}

/// The bytes of a stream that wait for the client exceed the limit. A slow client causes it, so the endpoint
/// is not at fault.
struct StreamAhead: Error, CustomStringConvertible {
    let limit: Int

    var description: String { "the stream of an answer is \(limit) bytes ahead of its client" }
}
