import ContentCoding
import HTTPModel
import Locking
import Synchronization

/// Decodes the body of a request while it arrives (RFC 9110 8.4). Used by one reader at a time.
package final class CodedBody: Sendable {
    private struct State {
        let decoder: ContentDecoder
        /// The part of a piece that is not decoded yet.
        var input: ArraySlice<UInt8> = []
    }

    /// Streamed bodies in br that are decoded at once in the process. Each needs up to 16 MiB until its end.
    package static let mostBrotli = 64
    /// The most bytes of a decoded piece.
    private static let pieceLength = 64 << 10

    private static let brotliCount = Atomic(0)

    private let limit: Int
    private let hasBrotli: Bool
    /// The place of a br decoder.
    private let place: (any AnyObject & Sendable)?
    private let state: Lock<State>

    private init(
        _ codings: [ContentCoding], limit: Int, _ place: (any AnyObject & Sendable)?
    ) throws(ContentCodingError) {
        self.place = place
        let decoder = try Self.decoder(codings, limit: limit)
        self.limit = limit
        hasBrotli = codings.contains(.brotli)
        state = Lock(State(decoder: decoder))
        if hasBrotli { Self.brotliCount.wrappingAdd(1, ordering: .relaxed) }
    }

    deinit {
        if hasBrotli { Self.brotliCount.wrappingSubtract(1, ordering: .relaxed) }
    }

    /// Returns nil for a body without a content coding.
    static func of(_ request: GatewayRequest) throws(GatewayError) -> CodedBody? {
        let codings = try codings(of: request)
        guard !codings.isEmpty else { return nil }
        var place: (any AnyObject & Sendable)?
        if codings.contains(.brotli) {
            guard brotliCount.load(ordering: .relaxed) < mostBrotli else { throw .overloaded }
            if let source = request.stream?.counted {
                place = source.takeBrotliPlace()
                guard place != nil else { throw .overloaded }
            }
        }
        let limit = request.endpoint.settings.bodyLimit
        do {
            return try CodedBody(codings, limit: limit, place)
        } catch {
            throw refusal(error, limit: limit)
        }
    }

    /// Returns the codings in the order in which they were applied.
    static func codings(of request: GatewayRequest) throws(GatewayError) -> [ContentCoding] {
        guard request.fields.contains(.contentEncoding) else { return [] }
        let codings: [ContentCoding]
        do {
            codings = try ContentCoding.list(request.fields.valueBytes(of: .contentEncoding))
        } catch {
            throw refusal(error, limit: request.endpoint.settings.bodyLimit)
        }
        // RFC 9110 14.4: a range of the coded content cannot be decoded alone.
        if !codings.isEmpty { try request.refuseRange() }
        return codings
    }

    /// Returns a whole body, decoded. Its bytes are charged to `memory` as they are made.
    static func decode(
        _ body: ArraySlice<UInt8>, _ codings: [ContentCoding], limit: Int, _ memory: (any RequestMemory)?
    ) throws(GatewayError) -> [UInt8] {
        do throws(ContentCodingError) {
            let decoder = try decoder(codings, limit: limit)
            var decoded: [UInt8] = []
            var consumed = 0
            while let piece = try next(decoder, body, &consumed) {
                if let memory, !memory.grow(by: piece.count) { throw ContentCodingError.memory }
                decoded += piece
            }
            try decoder.finish()
            return decoded
        } catch {
            throw refusal(error, limit: limit)
        }
    }

    /// Returns the next decoded bytes; nil at the end.
    func next(from cursor: BodyCursor) async throws -> ArraySlice<UInt8>? {
        while true {
            if let piece = try decode() { return piece }
            guard let bytes = try await cursor.next() else {
                try finish()
                return nil
            }
            state.withLock { $0.input = bytes }
        }
    }

    private func decode() throws(GatewayError) -> ArraySlice<UInt8>? {
        do {
            return try state.withLock { state throws(ContentCodingError) in
                var consumed = 0
                let piece = try Self.next(state.decoder, state.input, &consumed)
                state.input = state.input.dropFirst(consumed)
                return piece?[...]
            }
        } catch {
            throw Self.refusal(error, limit: limit)
        }
    }

    private func finish() throws(GatewayError) {
        do {
            try state.withLock { state throws(ContentCodingError) in try state.decoder.finish() }
        } catch {
            throw Self.refusal(error, limit: limit)
        }
    }

    /// Unlike responses, bodies of requests have no bytes after the coded data.
    private static func decoder(
        _ codings: [ContentCoding], limit: Int
    ) throws(ContentCodingError) -> ContentDecoder {
        try ContentDecoder(codings, limits: DecodingLimits(size: limit, tail: 0))
    }

    /// Returns some decoded bytes; nil if more input is needed.
    private static func next(
        _ decoder: ContentDecoder, _ input: ArraySlice<UInt8>, _ consumed: inout Int
    ) throws(ContentCodingError) -> [UInt8]? {
        var piece = [UInt8](repeating: 0, count: pieceLength)
        let (result, taken) = input.withUnsafeBytes { input in
            var taken = consumed
            let result = piece.withUnsafeMutableBytes { output in
                Result { () throws(ContentCodingError) in
                    try decoder.decode(input, consumed: &taken, into: output)
                }
            }
            return (result, taken)
        }
        consumed = taken
        let count = try result.get()
        piece.removeLast(piece.count - count)
        return count == 0 ? nil : piece
    }

    private static func refusal(_ error: ContentCodingError, limit: Int) -> GatewayError {
        switch error {
        case .unknown:
            // RFC 9110 15.5.16: the field says that the coding is what is not supported.
            GatewayError(
                .unsupportedMediaType, "Content-Encoding must be gzip, deflate or br, at most two of them",
                fields: [.acceptEncoding: "gzip, deflate, br"])
        case .corrupt(let coding): .invalidRequest("The body is not valid \(coding), its Content-Encoding")
        case .truncated(let coding): .invalidRequest("The body ends in the middle of its \(coding) data")
        case .tooLarge(let limit):
            GatewayError(.payloadTooLarge, "The decoded request body exceeds \(limit) bytes")
        case .ratioExceeded(let ratio):
            GatewayError(
                .payloadTooLarge, "The decoded request body is more than \(ratio) times as large as the body")
        case .encodedTooLarge: .payloadTooLarge(limit: limit)
        case .memory: .overloaded
        }
    }
}
