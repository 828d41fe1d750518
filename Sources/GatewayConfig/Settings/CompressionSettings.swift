/// Which answers are compressed for clients that accept it (RFC 9110 12.5.3), with br or gzip.
///
/// Compressed are answers of types that compress well: JSON, text, scripts, XML, SVG and the like. Not
/// compressed are answers that have a content coding already, parts of a file (206), answers with
/// `Cache-Control: no-transform`, and answers of endpoints with `.compression(false)`.
public struct CompressionSettings: Sendable, Hashable {
    /// Bytes from which a whole answer is compressed. A streamed answer of unknown length counts as long.
    /// Default 1 KiB: a smaller one fits in one packet anyway.
    public var minimumSize = 1024
    /// Streamed and large answers that a loop compresses at a time. Others are sent as they are. Each needs
    /// 198 KiB of memory with gzip, which is preferred for streams, and at most 880 KiB with br. Default 64.
    public var streams = 64

    /// Creates settings with the defaults.
    public init() {}
}
