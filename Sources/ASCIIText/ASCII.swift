/// The byte classes of HTTP, URLs and JSON, hexadecimal digits, and the case of letters. A class is a bit set
/// over ASCII, so a test is one shift without a memory access.
public enum ASCII {
    /// Whether the byte is a `tchar` (RFC 9110 5.6.2), as in methods and field names.
    @inlinable
    public static func isTokenByte(_ byte: UInt8) -> Bool {
        // Low: ! # $ % & ' * + - . 0-9. High: A-Z ^ _ ` a-z | ~.
        contains(byte, low: 0x03ff_6cfa_0000_0000, high: 0x57ff_ffff_c7ff_fffe)
    }

    /// Whether the byte is `unreserved` (RFC 3986 2.3), so that percent-encoding keeps it.
    @inlinable
    public static func isUnreserved(_ byte: UInt8) -> Bool {
        // Low: - . 0-9. High: A-Z _ a-z ~.
        contains(byte, low: 0x03ff_6000_0000_0000, high: 0x47ff_fffe_87ff_fffe)
    }

    /// Whether an encoded path and query may have the byte: `pchar`, `/` and `?` (RFC 3986 3.3, 3.4), and the
    /// `%` of escapes.
    @inlinable
    public static func isTargetByte(_ byte: UInt8) -> Bool {
        // Low: ! $ % & ' ( ) * + , - . / 0-9 : ; = ?. High: @ A-Z _ a-z ~.
        contains(byte, low: 0xafff_fff2_0000_0000, high: 0x47ff_fffe_87ff_ffff)
    }

    /// Whether the byte is a control character, DEL included.
    @inlinable
    public static func isControl(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == 0x7f
    }

    /// Whether the value of a field may have the byte: a tab, or no control character (RFC 9110 5.5).
    @inlinable
    package static func isFieldByte(_ byte: UInt8) -> Bool {
        byte == 0x09 || !isControl(byte)
    }

    /// Whether a reg-name may have the byte outside of escapes (RFC 3986 3.2.2). The comma is left out.
    @inlinable
    package static func isHostByte(_ byte: UInt8) -> Bool {
        contains(byte, low: 0x2bff_6fd2_0000_0000, high: 0x47ff_fffe_87ff_fffe)
    }

    /// Whether a segment of a path may have the byte outside of escapes: `pchar` (RFC 3986 3.3).
    @inlinable @inline(__always)
    public static func isSegmentByte(_ byte: UInt8) -> Bool {
        // Low: ! $ & ' ( ) * + , - . 0-9 : ; =. High: @ A-Z _ a-z ~.
        contains(byte, low: 0x2fff_7fd2_0000_0000, high: 0x47ff_fffe_87ff_ffff)
    }

    /// Whether the byte is `0` to `9`.
    @inlinable @inline(__always)
    public static func isDigit(_ byte: UInt8) -> Bool { byte &- Byte.zero < 10 }

    /// Whether the byte is a letter of ASCII.
    @inlinable
    public static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- UInt8(ascii: "a") < 26 }

    /// Returns the value of a hexadecimal digit in either case; nil for any other byte.
    @inlinable @inline(__always)
    public static func hexValue(_ byte: UInt8) -> UInt8? {
        if isDigit(byte) { return byte &- Byte.zero }
        let letter = (byte | 0x20) &- UInt8(ascii: "a")
        return letter < 6 ? letter &+ 10 : nil
    }

    /// Returns the hexadecimal digit of a value below 16, in upper case, as percent-encoding wants it (RFC
    /// 3986 2.1).
    @inlinable
    public static func hexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? Byte.zero &+ value : UInt8(ascii: "A") &- 10 &+ value
    }

    /// Returns the hexadecimal digit of a value below 16, in lower case.
    @inlinable
    public static func lowercaseHexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? Byte.zero &+ value : UInt8(ascii: "a") &- 10 &+ value
    }

    /// Returns a-z for A-Z, and any other byte as it is.
    @inlinable
    public static func lowercased(_ byte: UInt8) -> UInt8 {
        byte &- 0x41 < 26 ? byte | 0x20 : byte
    }

    /// Whether the byte is a space or a horizontal tab, which make OWS (RFC 9110 5.6.3).
    @inlinable
    public static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09
    }

    /// Whether the bit of the byte is set in `low`, for bytes below 64, or in `high`.
    @inlinable
    static func contains(_ byte: UInt8, low: UInt64, high: UInt64) -> Bool {
        guard byte < 128 else { return false }
        return ((byte < 64 ? low : high) &>> UInt64(byte & 63)) & 1 == 1
    }

    /// Whether the bytes equal `text`, which is in lower case, without regard to case.
    @inlinable
    public static func equals(_ bytes: UnsafeRawBufferPointer, lowercase text: StaticString) -> Bool {
        guard bytes.count == text.utf8CodeUnitCount else { return false }
        return text.withUTF8Buffer { equalsIgnoringCase(bytes, UnsafeRawBufferPointer($0)) }
    }

    /// Whether the bytes equal `text` without regard to case. Compares several bytes at once, and ignores bit
    /// 5 of each.
    ///
    /// - Parameters:
    ///   - bytes: bytes without control characters, some of which differ from a digit or a dash only in bit
    ///     5.
    ///   - text: at least four lower-case letters, digits and dashes.
    @inlinable @inline(__always)
    package static func isText(_ bytes: UnsafeRawBufferPointer, _ text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard bytes.count == count, let start = bytes.baseAddress else { return false }
        let wanted = UnsafeRawPointer(text.utf8Start)
        // The last word overlaps the one before it.
        if count >= 8 {
            var index = 0
            while index &+ 8 < count {
                guard isWord(start + index, wanted + index, as: UInt64.self) else { return false }
                index &+= 8
            }
            return isWord(start + (count &- 8), wanted + (count &- 8), as: UInt64.self)
        }
        assert(count >= 4, "too short a text")
        return isWord(start, wanted, as: UInt32.self)
            && isWord(start + (count &- 4), wanted + (count &- 4), as: UInt32.self)
    }

    @inlinable @inline(__always)
    static func isWord<Word: FixedWidthInteger & BitwiseCopyable>(
        _ bytes: UnsafeRawPointer, _ wanted: UnsafeRawPointer, as: Word.Type
    ) -> Bool {
        let lowercased =
            bytes.loadUnaligned(as: Word.self) | Word(truncatingIfNeeded: 0x2020_2020_2020_2020 as UInt64)
        return lowercased == wanted.loadUnaligned(as: Word.self)
    }

    /// Whether both are equal if letters of ASCII are compared without case.
    @inlinable
    public static func equalsIgnoringCase(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer)
        -> Bool
    {
        let count = left.count
        guard count == right.count else { return false }
        guard count >= 8 else {
            for index in 0..<count where lowercased(left[index]) != lowercased(right[index]) { return false }
            return true
        }
        var index = 0
        while index < count {
            // The last word overlaps the one before it.
            let offset = min(index, count &- 8)
            let leftWord = left.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            let rightWord = right.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            if leftWord != rightWord, lowercased(leftWord) != lowercased(rightWord) { return false }
            index &+= 8
        }
        return true
    }

    /// Returns eight bytes with a-z for A-Z. The high bit of each sum says whether the byte's low seven bits
    /// reach `A`, or go beyond `Z`.
    @inlinable
    static func lowercased(_ word: UInt64) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let sevenBits = word & (ones &* 0x7f)
        let fromA = sevenBits &+ ones &* (0x80 - 0x41)
        let beyondZ = sevenBits &+ ones &* (0x80 - 0x5b)
        let isUpper = ~word & (fromA ^ beyondZ) & (ones &* 0x80)
        return word | isUpper &>> 2
    }

    /// Whether all eight bytes are letters, digits, `-` or `.`: the `unreserved` bytes without `_` and `~`.
    @inlinable @inline(__always)
    package static func areAlphanumeric(_ word: UInt64) -> Bool {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let sevenBits = word & (ones &* 0x7f)
        let lower = sevenBits | ones &* 0x20
        // The high bit of each sum says whether the byte's low seven bits reach a bound. Between two bounds
        // the sums differ.
        let letters = (lower &+ ones &* (0x80 - 0x61)) ^ (lower &+ ones &* (0x80 - 0x7b))
        let digits = (sevenBits &+ ones &* (0x80 - 0x30)) ^ (sevenBits &+ ones &* (0x80 - 0x3a))
        let marks = (sevenBits &+ ones &* (0x80 - 0x2d)) ^ (sevenBits &+ ones &* (0x80 - 0x2f))
        return (letters | digits | marks) & ~word & (ones &* 0x80) == ones &* 0x80
    }

    /// Returns the bytes without leading and trailing blanks.
    @inlinable
    public static func trimmed(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        var start = 0
        var end = bytes.count
        while start < end, isBlank(bytes[start]) { start += 1 }
        while end > start, isBlank(bytes[end - 1]) { end -= 1 }
        return UnsafeRawBufferPointer(rebasing: bytes[start..<end])
    }
}
