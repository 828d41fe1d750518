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
        stream(pieces, contentType: contentType, length: length, as: nil)
    }

    /// - Parameter records: what is different if the pieces are records.
    static func stream<Pieces: AsyncSequence & Sendable>(
        _ pieces: Pieces, contentType: String, length: Int?, as records: RecordStream?
    ) -> Answer where Pieces.Element: Collection, Pieces.Element.Element == UInt8 {
        answer(contentType, length, records) { channel in
            var iterator = pieces.makeAsyncIterator()
            while let piece = try await iterator.next() {
                try await send(piece as? ArraySlice<UInt8> ?? ArraySlice(piece), to: channel)
            }
        }
    }

    private static func send(_ bytes: ArraySlice<UInt8>, to channel: PieceChannel) async throws {
        guard bytes.isEmpty else { return try await channel.send(bytes) }
        // A sequence that never suspends would keep the loop from everything else.
        await Task.yield()
        try Task.checkCancellation()
    }

    private static func answer(
        _ contentType: String, _ length: Int?, _ records: RecordStream?,
        _ work: @escaping @Sendable (PieceChannel) async throws -> Void
    ) -> Answer {
        var body = RawBody(bytes: [], contentType: contentType)
        body.fault = RawBody.fault(of: contentType) ?? records?.fault
        if let length, length < 0 { body.fault = EndpointFault("a stream cannot have \(length) bytes") }
        body.stream = StreamSource(length: length, as: records, work)
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
        stream(pieces, contentType: contentType, length: length, as: nil)
    }

    /// - Parameter records: what is different if the pieces are records.
    static func stream<Piece: Collection & Sendable>(
        _ pieces: Observable<Piece>, contentType: String, length: Int?, as records: RecordStream?
    ) -> Answer where Piece.Element == UInt8 {
        answer(contentType, length, records) { channel in
            let limit = records == nil ? pieceLimit : recordLimit
            let counted = pieces.map { piece in
                try channel.pieceWaits(piece.count, limit: limit)
                return piece
            }
            // In bytes: the pieces of a response have at most 64 KiB, and records may have a MiB.
            let values = counted.values(pausingAt: 512 << 10, resumingAt: 128 << 10) { $0.count + 64 }
            for try await piece in values {
                channel.pieceTaken(piece.count)
                try await send(piece as? ArraySlice<UInt8> ?? ArraySlice(piece), to: channel)
            }
        }
    }

    /// Bytes of a stream that may wait for the client. A response that streams pauses at half of it.
    static var pieceLimit: Int { 1 << 20 }
    /// The same for records, of which one may have a MiB, and the read that brings it some more.
    static var recordLimit: Int { 2 << 20 }
}

/// The bytes of a stream that wait for the client exceed the limit. A slow client causes it, so the endpoint
/// is not at fault.
struct StreamAhead: Error, CustomStringConvertible {
    let limit: Int

    var description: String { "the stream of an answer is \(limit) bytes ahead of its client" }
}
