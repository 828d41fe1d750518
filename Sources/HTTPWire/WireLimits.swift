/// The sizes that a request's head may have.
public struct RequestLimits: Sendable, Hashable {
    /// Bytes of the request target. Beyond it 414. Default 8 KiB.
    public var target = 8 * 1024
    /// Bytes of all field lines with their line ends, trailers included. Beyond it 431. Default 16 KiB.
    public var fieldBlock = 16 * 1024
    /// Bytes of one field line without its line end. Beyond it 431. Default 8 KiB.
    public var fieldLine = 8 * 1024
    /// Field lines, trailers included. Beyond it 431. Default 100.
    public var fieldCount = 100

    public init() {}
}

/// The sizes that a response's head may have.
public struct ResponseLimits: Sendable, Hashable {
    /// Bytes of the status line. Default 8 KiB.
    public var statusLine = 8 * 1024
    /// Bytes of all field lines with their line ends, trailers included. Default 32 KiB.
    public var fieldBlock = 32 * 1024
    /// Bytes of one field line without its line end. Default 32 KiB: only the block counts.
    public var fieldLine = 32 * 1024
    /// Field lines, trailers included. Default 100.
    public var fieldCount = 100
    /// 1xx answers before the real one. Default 10.
    public var informational = 10

    public init() {}
}

/// The sizes that chunk extensions may have, for both directions.
enum ChunkLimits {
    static let extensionBytesPerLine = 256
    static let extensionBytesPerMessage = 8 * 1024
    static let sizeDigits = 16
}
