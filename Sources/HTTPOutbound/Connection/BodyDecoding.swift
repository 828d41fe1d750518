internal import ContentCoding
internal import HTTPModel

/// The content codings of one response, undone as it comes.
final class BodyDecoding {
    private let decoder: ContentDecoder
    /// The largest encoded body. Content that cannot be compressed grows a little when encoded, and a coding without
    /// content could go on for ever.
    private let encodedLimit: Int
    // Allocated here, freed in `deinit`.
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 32 << 10, alignment: 64)

    /// Bytes as they came.
    var encodedCount: Int { decoder.bytesIn }

    init(_ codings: [ContentCoding], size: Int?, ratio: Int?) throws(ContentCodingError) {
        encodedLimit = size.map(Self.encodedLimit) ?? .max
        decoder = try ContentDecoder(codings, limits: DecodingLimits(size: size, ratio: ratio))
    }

    deinit { buffer.deallocate() }

    static func encodedLimit(of size: Int) -> Int { size < .max / 2 ? size + size / 8 + (64 << 10) : .max }

    /// The codings to undo, as the head names them. None where one of them is unknown or there are too many: the body is
    /// handed on as it came. None for a part of the content (RFC 9110 15.3.7), which cannot be decoded alone.
    static func codings(of head: HTTPResponseHead) -> [ContentCoding] {
        guard head.status != .partialContent else { return [] }
        return (try? ContentCoding.list(head.fields.valueBytes(of: .contentEncoding))) ?? []
    }

    /// Goes on with `input` from `consumed` on. The bytes are valid up to the next call; none: all input was taken, and
    /// more is needed.
    func next(
        _ input: UnsafeRawBufferPointer, _ consumed: inout Int
    ) throws(ContentCodingError) -> UnsafeRawBufferPointer {
        let count = try decoder.decode(input, consumed: &consumed, into: buffer)
        guard encodedCount <= encodedLimit else { throw .encodedTooLarge(encodedLimit) }
        return UnsafeRawBufferPointer(rebasing: buffer[..<count])
    }

    func finish() throws(ContentCodingError) { try decoder.finish() }
}

extension ContentCodingError {
    /// Whether the content is not what its fields say, and no limit was met.
    var isAboutContent: Bool {
        switch self {
        case .unknown, .corrupt, .truncated: true
        case .tooLarge, .encodedTooLarge, .tooDense, .memory: false
        }
    }
}

extension FailureReason {
    init(_ error: ContentCodingError) {
        switch error {
        case .unknown, .corrupt, .truncated: self = .responseContentCoding
        case .tooLarge, .encodedTooLarge, .tooDense: self = .responseBodySize
        case .memory: self = .internalError
        }
    }
}
