public import ASCIIText

/// Questions to eight bytes at once. Each answer has bit 7 set in bytes that match; only its lowest set bit
/// is exact (a borrow may mark bytes above a true match), so take `firstMatch` and look again behind it.
@_spi(Reading)
public enum ByteWord {
    @inlinable
    @inline(__always)
    public static func repeating(_ byte: UInt8) -> UInt64 { 0x0101_0101_0101_0101 &* UInt64(byte) }

    @inlinable
    @inline(__always)
    public static func matches(_ word: UInt64, _ byte: UInt8) -> UInt64 {
        let zeroed = word ^ repeating(byte)
        return (zeroed &- repeating(0x01)) & ~zeroed & repeating(0x80)
    }

    /// Bytes that a string must escape: `"`, `\`, a control byte.
    @inlinable
    @inline(__always)
    public static func literalStops(_ word: UInt64) -> UInt64 {
        let quote = word ^ repeating(0x22)
        let backslash = word ^ repeating(0x5C)
        let below = (word &- repeating(0x20)) | (quote &- repeating(0x01)) | (backslash &- repeating(0x01))
        return below & ~word & repeating(0x80)
    }

    /// `"` and `\`: where a string known to be valid needs a second look.
    @inlinable
    @inline(__always)
    public static func quotesOrBackslashes(_ word: UInt64) -> UInt64 {
        matches(word, 0x22) | matches(word, 0x5C)
    }

    /// `"`, `[`, `]`, `{`, `}`: where the nesting of a valid document changes.
    @inlinable
    @inline(__always)
    public static func quotesOrBrackets(_ word: UInt64) -> UInt64 {
        // Setting bit 5 maps [ to { and ] to }.
        let folded = word | repeating(0x20)
        return matches(word, 0x22) | matches(folded, 0x7B) | matches(folded, 0x7D)
    }

    /// The length of a number that begins the word with a digit from 1 on and ends within it, without exponent; nil for
    /// any other.
    @inlinable
    @inline(__always)
    public static func shortNumber(_ word: UInt64) -> Int? {
        // Digits become 0 to 9. Exact up to the first byte above ASCII, which no number goes beyond.
        let digits = word ^ repeating(0x30)
        let stops = ((digits &+ repeating(0x76)) | digits) & repeating(0x80)
        guard stops != 0 else { return nil }
        // Bit 7 of the byte behind the digits.
        var end = stops.trailingZeroBitCount
        var behind = UInt8(truncatingIfNeeded: word &>> UInt64(truncatingIfNeeded: end &- 7))
        if behind == Byte.point {
            let later = stops & (stops &- 1)
            guard later != 0 else { return nil }
            let point = end
            end = later.trailingZeroBitCount
            guard end > point &+ 8 else { return nil }
            behind = UInt8(truncatingIfNeeded: word &>> UInt64(truncatingIfNeeded: end &- 7))
        }
        return behind | 0x20 == UInt8(ascii: "e") ? nil : end &>> 3
    }

    @inlinable
    @inline(__always)
    public static func firstMatch(_ matches: UInt64) -> Int { matches.trailingZeroBitCount &>> 3 }
}
