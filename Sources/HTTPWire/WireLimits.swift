/// The limits on a request's head. Sizes above 1 GiB count as 1 GiB.
public struct RequestLimits: Sendable, Hashable {
    /// Bytes of the request target; more gets 414. Default 8 KiB.
    public var target = 8 * 1024
    /// Bytes of all field lines with their line ends, trailers included; more gets 431. Default 16 KiB.
    public var fieldBlock = 16 * 1024
    /// Bytes of one field line without its line end; more gets 431. Default 16 KiB, as for the block.
    public var fieldLine = 16 * 1024
    /// Field lines, trailers included; more get 431. Default 100.
    public var fieldCount = 100

    /// Creates the default values.
    public init() {}
}

/// The limits on a response's head. Sizes above 1 GiB count as 1 GiB.
public struct ResponseLimits: Sendable, Hashable {
    /// Bytes of the status line. Default 8 KiB.
    public var statusLine = 8 * 1024
    /// Bytes of all field lines with their line ends, trailers included. Default 32 KiB.
    public var fieldBlock = 32 * 1024
    /// Bytes of one field line without its line end. Default 32 KiB, as for the block.
    public var fieldLine = 32 * 1024
    /// Field lines, trailers included. Default 100.
    public var fieldCount = 100
    /// 1xx responses before the final one. Default 10.
    public var informational = 10

    /// Creates the default values.
    public init() {}
}

extension RequestLimits {
    /// The limits as the parser uses them. A program may set `Int.max`, but sums of sizes must fit in an Int.
    var bounded: RequestLimits {
        var limits = self
        limits.target = clamped(limits.target)
        limits.fieldBlock = clamped(limits.fieldBlock)
        limits.fieldLine = clamped(limits.fieldLine)
        limits.fieldCount = clamped(limits.fieldCount)
        return limits
    }
}

extension ResponseLimits {
    var bounded: ResponseLimits {
        var limits = self
        limits.statusLine = clamped(limits.statusLine)
        limits.fieldBlock = clamped(limits.fieldBlock)
        limits.fieldLine = clamped(limits.fieldLine)
        limits.fieldCount = clamped(limits.fieldCount)
        return limits
    }
}

/// Clamps a size to 0 to 1 GiB, because fields are stored with 32-bit offsets.
private func clamped(_ size: Int) -> Int { min(max(size, 0), 1 << 30) }

/// The limits on chunk sizes and extensions, for both directions.
enum ChunkLimits {
    static let extensionBytesPerLine = 256
    static let extensionBytesPerMessage = 8 * 1024
    static let sizeDigits = 16
}
