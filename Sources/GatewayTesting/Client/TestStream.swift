public import HTTPModel
import Networking

/// A response of the gateway under test whose body is read piece by piece.
///
///     let response = try await client.stream(.get, "/api/export")
///     #expect(response.status == .ok)
///     for try await piece in response.pieces { ... }
///
/// At most 256 KiB are buffered; then the client stops reading, like a slow one. Releasing the response, or
/// cancelling the task that reads it, means that the client leaves.
public struct TestStream: Sendable {
    /// The status.
    public let status: TestStatus
    /// The header fields in their original order.
    public let fields: HTTPFields
    private let reading: Reading

    init(_ head: HTTPResponseHead, _ buffer: ResponseBuffer) {
        status = TestStatus(head.status, [])
        fields = head.fields
        reading = Reading(buffer)
    }

    /// The pieces of the body as they arrive. Throws `BrokenStream` if the body ends early. Iterate once, in
    /// one task.
    public var pieces: Pieces { Pieces(reading: reading) }

    /// Reads the rest of the body.
    ///
    /// - Throws: `BrokenStream`, with what had arrived, if the body ends early.
    public func body() async throws -> ArraySlice<UInt8> {
        var whole: [UInt8] = []
        for try await piece in pieces { whole += piece }
        return whole[...]
    }

    /// Leaves before the end, as a client does that closes its connection.
    public func leave() { reading.buffer.cancel() }

    /// The pieces of a body.
    public struct Pieces: AsyncSequence, AsyncIteratorProtocol, Sendable {
        fileprivate let reading: Reading

        /// Returns an iterator. The bytes can be read once.
        public func makeAsyncIterator() -> Pieces { self }

        /// Returns the next piece; nil at the end.
        ///
        /// - Throws: `BrokenStream`, `CancellationError`.
        public mutating func next() async throws -> ArraySlice<UInt8>? { try await reading.buffer.next() }
    }

    /// Leaves when nobody can read any more.
    fileprivate final class Reading: Sendable {
        let buffer: ResponseBuffer

        init(_ buffer: ResponseBuffer) { self.buffer = buffer }

        deinit { buffer.cancel() }
    }
}

/// Buffers a response for a test.
typealias ResponseBuffer = StreamBuffer<HTTPResponseHead>

extension ResponseBuffer {
    /// The call failed after the head.
    func failed(_ reason: FailureReason, _ detail: String) {
        ended(BrokenStream(reason: reason, detail: detail, received: receivedCount))
    }
}

/// The early end of a body.
public struct BrokenStream: Error, CustomStringConvertible {
    /// Why the body ended: `http_response_incomplete` if the connection was closed or reset.
    public let reason: FailureReason
    /// What was seen.
    public let detail: String
    /// Bytes of the body that arrived before.
    public let received: Int

    /// What is wrong, in words.
    public var description: String { "the body ended after \(received) bytes: \(reason), \(detail)" }
}
