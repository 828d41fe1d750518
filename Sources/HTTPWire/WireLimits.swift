/// The sizes that a request's head may have; more than 1 GiB is held to that.
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

/// The sizes that a response's head may have; more than 1 GiB is held to that.
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

extension RequestLimits {
    /// What the parser reckons with: a program may mean `Int.max` by "no limit", and sums of sizes must fit in an Int.
    var bounded: RequestLimits {
        var limits = self
        limits.target = held(limits.target)
        limits.fieldBlock = held(limits.fieldBlock)
        limits.fieldLine = held(limits.fieldLine)
        limits.fieldCount = held(limits.fieldCount)
        return limits
    }
}

extension ResponseLimits {
    /// The same for responses.
    var bounded: ResponseLimits {
        var limits = self
        limits.statusLine = held(limits.statusLine)
        limits.fieldBlock = held(limits.fieldBlock)
        limits.fieldLine = held(limits.fieldLine)
        limits.fieldCount = held(limits.fieldCount)
        return limits
    }
}

/// From 0 to 1 GiB: fields are stored with offsets of 32 bits.
private func held(_ size: Int) -> Int { min(max(size, 0), 1 << 30) }

/// The sizes that chunk extensions may have, for both directions.
enum ChunkLimits {
    static let extensionBytesPerLine = 256
    static let extensionBytesPerMessage = 8 * 1024
    static let sizeDigits = 16
}
