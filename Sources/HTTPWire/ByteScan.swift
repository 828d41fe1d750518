import HTTPModel

/// Finds the first byte of a class, eight bytes at a time. A flag may be wrong only behind the first right one, so
/// the lowest flag of a little-endian word is always right.
enum ByteScan {
    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let highs: UInt64 = 0x8080_8080_8080_8080

    /// The index of the first byte < 0x20 or 0x7f in `start..<end`, else `end`.
    @inline(__always)
    static func firstControl(_ bytes: UnsafeRawBufferPointer, from start: Int, to end: Int) -> Int {
        var index = start
        while index &+ 8 <= end {
            let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
            let low = (word &- ones &* 0x20) & ~word
            let delete = word ^ (ones &* 0x7f)
            let flags = (low | ((delete &- ones) & ~delete)) & highs
            if flags != 0 { return index &+ flags.trailingZeroBitCount &>> 3 }
            index &+= 8
        }
        while index < end, bytes[index] >= 0x20, bytes[index] != 0x7f { index &+= 1 }
        return index
    }

    /// The index of the first byte <= 0x20, >= 0x7f or `#` in `start..<end`, else `end`.
    @inline(__always)
    static func firstOutsideTarget(_ bytes: UnsafeRawBufferPointer, from start: Int, to end: Int) -> Int {
        var index = start
        while index &+ 8 <= end {
            let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
            let low = (word &- ones &* 0x21) & ~word
            let high = ((word & ~highs) &+ ones) | word
            let hash = word ^ (ones &* 0x23)
            let flags = (low | high | ((hash &- ones) & ~hash)) & highs
            if flags != 0 { return index &+ flags.trailingZeroBitCount &>> 3 }
            index &+= 8
        }
        while index < end, isTargetByte(bytes[index]) { index &+= 1 }
        return index
    }

    @inline(__always)
    static func isTargetByte(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte < 0x7f && byte != 0x23
    }

    /// The index of the first byte that is no `tchar` in `start..<end`, else `end`.
    @inline(__always)
    static func firstOutsideToken(_ bytes: UnsafeRawBufferPointer, from start: Int, to end: Int) -> Int {
        let isToken = tokenBytes.utf8Start
        var index = start
        while index < end, isToken[Int(bytes[index])] == UInt8(ascii: "1") { index &+= 1 }
        return index
    }

    /// A `1` for each byte that is a `tchar` (RFC 9110 5.6.2), 64 a row. Constant data: no initialization, no bounds.
    private static var tokenBytes: StaticString {
        """
        0000000000000000000000000000000001011111001101101111111111000000\
        0111111111111111111111111110001111111111111111111111111111101010\
        0000000000000000000000000000000000000000000000000000000000000000\
        0000000000000000000000000000000000000000000000000000000000000000
        """
    }
}

/// The bytes that HTTP's grammar names.
enum Byte {
    static let tab: UInt8 = 0x09
    static let lineFeed: UInt8 = 0x0a
    static let carriageReturn: UInt8 = 0x0d
    static let space: UInt8 = 0x20
    static let quote: UInt8 = 0x22
    static let comma: UInt8 = 0x2c
    static let zero: UInt8 = 0x30
    static let colon: UInt8 = 0x3a
    static let semicolon: UInt8 = 0x3b
    static let equals: UInt8 = 0x3d
    static let backslash: UInt8 = 0x5c
}
