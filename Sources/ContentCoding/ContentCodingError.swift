/// Why coded content cannot be had.
public enum ContentCodingError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Coded in a way that is not known here, or in too many.
    case unknown
    /// Not what the coding makes, or something follows its end: behind gzip, more than 1 MiB of it.
    case corrupt(ContentCoding)
    /// It ended before its coding did.
    case truncated(ContentCoding)
    /// The decoded content exceeds this size.
    case tooLarge(Int)
    /// The content exceeds this size before it is decoded.
    case encodedTooLarge(Int)
    /// More than so many times of what went in came out.
    case tooDense(Int)
    /// No memory for a decoder.
    case memory

    public var description: String {
        switch self {
        case .unknown: "the content coding is not known, or one of too many"
        case .corrupt(let coding): "the content is not \(coding)"
        case .truncated(let coding): "the content ends within its \(coding)"
        case .tooLarge(let limit): "the content is larger than \(limit) bytes when decoded"
        case .encodedTooLarge(let limit): "the encoded content is larger than \(limit) bytes"
        case .tooDense(let ratio): "the content is more than \(ratio) times as large when decoded"
        case .memory: "no memory to decode the content"
        }
    }
}

/// How much may come out of coded content: what keeps a few bytes from filling the memory or a core.
public struct DecodingLimits: Sendable, Hashable {
    /// Bytes decoded. Default 8 MiB; nil for no limit.
    public var size: Int?
    /// Bytes decoded for each byte that came, looked at from `freeSize` on and at each step of stacked codings. Default
    /// 100; nil for no limit.
    public var ratio: Int?
    /// Bytes decoded that may come out of whatever little. Default 1 MiB.
    public var freeSize: Int

    public init(size: Int? = 8 << 20, ratio: Int? = 100, freeSize: Int = 1 << 20) {
        self.size = size
        self.ratio = ratio
        self.freeSize = freeSize
    }
}
