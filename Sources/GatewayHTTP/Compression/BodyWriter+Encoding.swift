import ContentCoding
import HTTPInbound

extension BodyWriter {
    /// Sends a piece, compressed so that the client can decode all of it at once.
    func write(_ piece: UnsafeRawBufferPointer, by encoder: AnswerEncoder) throws {
        try encoder.encode(piece, .flush) { write($0) }
    }

    /// Ends the body, after what a compressed one needs for its end.
    func finish(by encoder: AnswerEncoder?) throws {
        try encoder?.encode(UnsafeRawBufferPointer(start: nil, count: 0), .finish) { write($0) }
        finish()
    }
}
