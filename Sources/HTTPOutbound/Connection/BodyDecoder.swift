internal import ContentCoding
internal import HTTPModel

final class BodyDecoder {
    private let decoder: ContentDecoder
    private let encodedLimit: Int
    // Allocated here, freed in `deinit`.
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 32 << 10, alignment: 64)

    init(_ codings: [ContentCoding], size: Int?, ratio: Int?) throws(ContentCodingError) {
        encodedLimit = size.map(DecodingLimits.encodedSize) ?? .max
        decoder = try ContentDecoder(
            codings, limits: DecodingLimits(size: size, ratio: ratio), mostBetween: Self.mostBetween)
    }

    deinit { buffer.deallocate() }

    /// Whether the last piece is empty although the input may hold more.
    var isInterrupted: Bool { decoder.isInterrupted }

    /// The bytes between two codings that are decoded at once. Those that yield no content take longest.
    static let mostBetween = 64 << 10

    /// Returns the codings that the head names. Empty if one of them is unknown or there are too many, and
    /// for a part of the content (RFC 9110 15.3.7), which cannot be decoded alone. Such bodies are passed on
    /// unchanged.
    static func codings(of head: HTTPResponseHead) -> [ContentCoding] {
        guard head.status != .partialContent else { return [] }
        return (try? ContentCoding.list(head.fields.valueBytes(of: .contentEncoding))) ?? []
    }

    /// Decodes `input` from `consumed` on. The result is valid until the next call; empty means: more input
    /// needed, unless `isInterrupted`.
    func next(
        _ input: UnsafeRawBufferPointer, _ consumed: inout Int
    ) throws(ContentCodingError) -> UnsafeRawBufferPointer {
        let count = try decoder.decode(input, consumed: &consumed, into: buffer)
        guard decoder.bytesIn <= encodedLimit else { throw .encodedTooLarge(encodedLimit) }
        return UnsafeRawBufferPointer(rebasing: buffer[..<count])
    }

    func finish() throws(ContentCodingError) { try decoder.finish() }
}

extension ContentCodingError {
    /// Whether the content does not match its fields, rather than exceeding a limit.
    var isAboutContent: Bool {
        switch self {
        case .unknown, .corrupt, .truncated: true
        case .tooLarge, .encodedTooLarge, .ratioExceeded, .memory: false
        }
    }
}
