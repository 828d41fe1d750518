public import ASCIIText

/// Searches in eight bytes at once.
///
/// Matching bytes have bit 7 set. Only the lowest match is exact, because a borrow may mark bytes above it:
/// take `firstMatch`, then search again after it.
@_spi(Reading)
public enum ByteWord {
    /// Returns a word of eight equal bytes.
    @inlinable
    @inline(__always)
    public static func repeating(_ byte: UInt8) -> UInt64 { 0x0101_0101_0101_0101 &* UInt64(byte) }

    /// Returns the bytes of the word that are equal to `byte`.
    @inlinable
    @inline(__always)
    public static func matches(_ word: UInt64, _ byte: UInt8) -> UInt64 {
        let zeroed = word ^ repeating(byte)
        return (zeroed &- repeating(0x01)) & ~zeroed & repeating(0x80)
    }

    /// Returns the bytes that a JSON string must escape: `"`, `\` and control bytes.
    @inlinable
    @inline(__always)
    public static func literalStops(_ word: UInt64) -> UInt64 {
        let quote = word ^ repeating(0x22)
        let backslash = word ^ repeating(0x5C)
        let below = (word &- repeating(0x20)) | (quote &- repeating(0x01)) | (backslash &- repeating(0x01))
        return below & ~word & repeating(0x80)
    }

    /// Returns the `"` and `\` bytes, at which a valid string ends or has an escape.
    @inlinable
    @inline(__always)
    public static func quotesOrBackslashes(_ word: UInt64) -> UInt64 {
        matches(word, 0x22) | matches(word, 0x5C)
    }

    /// Returns the `"`, `[`, `]`, `{` and `}` bytes, at which the nesting of a valid document may change.
    @inlinable
    @inline(__always)
    public static func quotesOrBrackets(_ word: UInt64) -> UInt64 {
        // Setting bit 5 maps [ to { and ] to }.
        let folded = word | repeating(0x20)
        return matches(word, 0x22) | matches(folded, 0x7B) | matches(folded, 0x7D)
    }

    /// Returns the length of the number at the start of the word; nil if it does not end in the word or has
    /// an exponent.
    ///
    /// - Precondition: The first byte is a digit from 1 to 9.
    @inlinable
    @inline(__always)
    public static func shortNumber(_ word: UInt64) -> Int? {
        // Maps the digits to 0...9. Exact up to the first byte above ASCII, which ends any number.
        let digits = word ^ repeating(0x30)
        let stops = ((digits &+ repeating(0x76)) | digits) & repeating(0x80)
        guard stops != 0 else { return nil }
        // Bit 7 of the byte after the digits.
        var end = stops.trailingZeroBitCount
        var following = UInt8(truncatingIfNeeded: word &>> UInt64(truncatingIfNeeded: end &- 7))
        if following == Byte.point {
            let later = stops & (stops &- 1)
            guard later != 0 else { return nil }
            let point = end
            end = later.trailingZeroBitCount
            guard end > point &+ 8 else { return nil }
            following = UInt8(truncatingIfNeeded: word &>> UInt64(truncatingIfNeeded: end &- 7))
        }
        return following | 0x20 == UInt8(ascii: "e") ? nil : end &>> 3
    }

    /// Returns the index of the first match, from 0.
    @inlinable
    @inline(__always)
    public static func firstMatch(_ matches: UInt64) -> Int { matches.trailingZeroBitCount &>> 3 }
}
