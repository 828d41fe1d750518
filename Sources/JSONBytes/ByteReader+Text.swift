@_spi(Reading)
extension ByteReader {
    /// The bytes of `range`, which are inside, as text.
    @inlinable
    @inline(__always)
    public func string(_ range: Range<Int>) -> String {
        precondition(range.lowerBound >= 0 && range.upperBound <= count, "text outside of the bytes")
        let bytes = UnsafeRawBufferPointer(start: base + range.lowerBound, count: range.count)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The inside of a string: half a surrogate pair is U+FFFD.
    public func text(_ range: Range<Int>, isEscaped: Bool) -> String {
        guard isEscaped else { return string(range) }
        var decoded: [UInt8] = []
        decoded.reserveCapacity(range.count)
        EscapedText.append(range, of: self, to: &decoded)
        return String(decoding: decoded, as: UTF8.self)
    }
}
