import ASCIIText
import HTTPModel

/// Finds the first byte of a class, sixteen or eight bytes at a time.
///
/// In a word, a borrow may set wrong flags above the lowest right one, so only the lowest flag of a
/// little-endian word counts. Vectors use arithmetic because the compiler vectorizes it, but evaluates
/// comparisons lane by lane.
enum ByteScan {
    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let highs: UInt64 = 0x8080_8080_8080_8080

    /// Returns the index of the first byte with bit 7 set, or 16.
    @inline(__always)
    private static func firstFlag(_ flags: SIMD16<UInt8>) -> Int {
        let words = unsafeBitCast(flags & 0x80, to: SIMD2<UInt64>.self)
        if words[0] != 0 { return words[0].littleEndian.trailingZeroBitCount &>> 3 }
        if words[1] != 0 { return 8 &+ words[1].littleEndian.trailingZeroBitCount &>> 3 }
        return 16
    }

    /// Returns the index of the first byte that is < 0x20 or 0x7f, or 16.
    @inline(__always)
    private static func firstControl(_ vector: SIMD16<UInt8>) -> Int { firstFlag(controls(vector)) }

    /// Sets bit 7 of each byte that is < 0x20 or 0x7f.
    @inline(__always)
    private static func controls(_ vector: SIMD16<UInt8>) -> SIMD16<UInt8> {
        ((vector &- 0x20) | ((vector ^ 0x7f) &- 1)) & ~vector
    }

    /// Whether no byte is < 0x20 or 0x7f.
    @inline(__always)
    static func isText(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let count = bytes.count
        guard count >= 16, let base = bytes.baseAddress else {
            return firstControl(bytes, from: 0, to: count) == count
        }
        // The last 16 bytes may overlap the loop's.
        var flags = controls(base.loadUnaligned(fromByteOffset: count &- 16, as: SIMD16<UInt8>.self))
        var index = 0
        while index &+ 16 < count {
            flags |= controls(base.loadUnaligned(fromByteOffset: index, as: SIMD16<UInt8>.self))
            index &+= 16
        }
        let words = unsafeBitCast(flags & 0x80, to: SIMD2<UInt64>.self)
        return words[0] | words[1] == 0
    }

    @inline(__always)
    static func isToken(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> Bool {
        if let base = bytes.baseAddress, range.lowerBound &+ 16 <= bytes.count,
            firstOutsideWord(base.loadUnaligned(fromByteOffset: range.lowerBound, as: SIMD16<UInt8>.self))
                >= range.count
        {
            return true
        }
        return firstOutsideToken(bytes, from: range.lowerBound, to: range.upperBound) == range.upperBound
    }

    @inline(__always)
    private static func firstOutsideWord(_ vector: SIMD16<UInt8>) -> Int {
        // Letters become 0 to 25. Any other byte has bit 7 set before or after the addition.
        let letters = (vector | 0x20) &- 0x61
        let isDash = ((vector ^ 0x2d) &- 1) & ~vector
        return firstFlag((letters | (letters &+ (0x80 - 26))) & ~isDash)
    }

    /// Finds the ends of name and value in a field line of the usual form: letters and dashes, a colon, a
    /// space, a value without surrounding blanks, CRLF, all before `limit`. Nil for any other line, valid or
    /// not.
    @inline(__always)
    static func usualFieldLine(
        _ bytes: UnsafeRawBufferPointer, from start: Int, to limit: Int
    ) -> (colon: Int, end: Int)? {
        guard let base = bytes.baseAddress else { return nil }
        var colon = start
        while true {
            guard colon &+ 18 <= limit else { return nil }
            let place = firstOutsideWord(base.loadUnaligned(fromByteOffset: colon, as: SIMD16<UInt8>.self))
            colon &+= place
            if place < 16 { break }
        }
        guard colon > start, colon &- start <= HTTPFieldName.maximumLength, two(base, at: colon) == 0x203a
        else { return nil }
        let value = colon &+ 2
        var end = value
        while true {
            guard end &+ 18 <= limit else { return nil }
            let place = firstControl(base.loadUnaligned(fromByteOffset: end, as: SIMD16<UInt8>.self))
            end &+= place
            if place < 16 { break }
        }
        guard two(base, at: end) == 0x0a0d, end > value else { return nil }
        guard base.load(fromByteOffset: value, as: UInt8.self) != Byte.space,
            base.load(fromByteOffset: end &- 1, as: UInt8.self) != Byte.space
        else { return nil }
        return (colon, end)
    }

    @inline(__always)
    private static func two(_ base: UnsafeRawPointer, at index: Int) -> UInt16 {
        UInt16(littleEndian: base.loadUnaligned(fromByteOffset: index, as: UInt16.self))
    }

    /// Returns the index of the first byte in `start..<end` that is < 0x20 or 0x7f, or `end`.
    @inline(__always)
    static func firstControl(_ bytes: UnsafeRawBufferPointer, from start: Int, to end: Int) -> Int {
        var index = start
        while index &+ 16 <= end {
            let place = firstControl(bytes.loadUnaligned(fromByteOffset: index, as: SIMD16<UInt8>.self))
            if place < 16 { return index &+ place }
            index &+= 16
        }
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

    /// Sets bit 7 of each byte that is <= 0x20, >= 0x7f or `#`.
    @inline(__always)
    private static func outsideTarget(_ vector: SIMD16<UInt8>) -> SIMD16<UInt8> {
        (vector &- 0x21) | (vector &+ 1) | ((vector ^ 0x23) &- 1) | vector
    }

    /// Whether no byte is <= 0x20, >= 0x7f or `#`.
    @inline(__always)
    static func isTarget(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let count = bytes.count
        guard count >= 16, let base = bytes.baseAddress else {
            return firstOutsideTarget(bytes, from: 0, to: count) == count
        }
        // The last 16 bytes may overlap the loop's.
        var flags = outsideTarget(base.loadUnaligned(fromByteOffset: count &- 16, as: SIMD16<UInt8>.self))
        var index = 0
        while index &+ 16 < count {
            flags |= outsideTarget(base.loadUnaligned(fromByteOffset: index, as: SIMD16<UInt8>.self))
            index &+= 16
        }
        let words = unsafeBitCast(flags & 0x80, to: SIMD2<UInt64>.self)
        return words[0] | words[1] == 0
    }

    /// Returns the index of the first byte in `start..<end` that is <= 0x20, >= 0x7f or `#`, or `end`.
    @inline(__always)
    static func firstOutsideTarget(_ bytes: UnsafeRawBufferPointer, from start: Int, to end: Int) -> Int {
        var index = start
        while index &+ 16 <= end {
            let vector = bytes.loadUnaligned(fromByteOffset: index, as: SIMD16<UInt8>.self)
            let place = firstFlag(outsideTarget(vector))
            if place < 16 { return index &+ place }
            index &+= 16
        }
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

    /// Returns the index of the first byte in `start..<end` that is not a `tchar`, or `end`.
    @inline(__always)
    static func firstOutsideToken(_ bytes: UnsafeRawBufferPointer, from start: Int, to end: Int) -> Int {
        let isToken = tokenBytes.utf8Start
        var index = start
        while index < end, isToken[Int(bytes[index])] == UInt8(ascii: "1") { index &+= 1 }
        return index
    }

    /// A `1` for each `tchar` (RFC 9110 5.6.2), 64 per row. Constant data needs neither initialization nor
    /// bounds checks.
    private static var tokenBytes: StaticString {
        """
        0000000000000000000000000000000001011111001101101111111111000000\
        0111111111111111111111111110001111111111111111111111111111101010\
        0000000000000000000000000000000000000000000000000000000000000000\
        0000000000000000000000000000000000000000000000000000000000000000
        """
    }
}
