/// Why content cannot be decoded or encoded.
public enum ContentCodingError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Content-Encoding names an unknown coding, or more than `ContentCoding.maximumCount`.
    case unknown
    /// The bytes are not valid in this coding, or bytes follow its end (for gzip: more than
    /// `DecodingLimits.tail`).
    case corrupt(ContentCoding)
    /// The content ended in the middle of the coded stream.
    case truncated(ContentCoding)
    /// The decoded content exceeds this size, in bytes.
    case tooLarge(Int)
    /// The encoded content exceeds this size, in bytes.
    case encodedTooLarge(Int)
    /// The decoded content is more than this many times as large as the encoded content.
    case ratioExceeded(Int)
    /// A library could not allocate memory.
    case memory

    /// What is wrong, in words.
    public var description: String {
        switch self {
        case .unknown: "the content coding is unknown, or there are too many"
        case .corrupt(let coding): "the content is not valid \(coding)"
        case .truncated(let coding): "the \(coding) content is truncated"
        case .tooLarge(let limit): "the decoded content is larger than \(limit) bytes"
        case .encodedTooLarge(let limit): "the encoded content is larger than \(limit) bytes"
        case .ratioExceeded(let ratio):
            "the decoded content is more than \(ratio) times as large as the encoded content"
        case .memory: "not enough memory to decode or encode the content"
        }
    }
}

/// Limits on decoded content, against decompression bombs.
public struct DecodingLimits: Sendable, Hashable {
    /// The largest decoded content, in bytes. Default 8 MiB; nil for no limit.
    public var size: Int?
    /// The most decoded bytes per encoded byte. Checked once `freeSize` bytes are decoded, for each of
    /// several stacked codings. Default 100; nil for no limit.
    public var ratio: Int?
    /// Decoded bytes that are allowed at any ratio. Default 1 MiB.
    public var freeSize: Int
    /// The most bytes after gzip data, which are ignored. Default 1 MiB.
    public var tail: Int

    /// Creates limits. The defaults are 8 MiB, a ratio of 100 beyond 1 MiB, and 1 MiB after gzip data.
    public init(
        size: Int? = 8 << 20, ratio: Int? = 100, freeSize: Int = 1 << 20,
        tail: Int = 1 << 20
    ) {
        self.size = size
        self.ratio = ratio
        self.freeSize = freeSize
        self.tail = tail
    }

    /// The largest encoded form of content of this size. Incompressible content grows a little when encoded,
    /// and an encoding without any content could continue for ever. Between two stacked codings nothing
    /// larger is decoded.
    public static func encodedSize(of size: Int) -> Int {
        size < .max / 2 ? size + size / 8 + (64 << 10) : .max
    }
}
