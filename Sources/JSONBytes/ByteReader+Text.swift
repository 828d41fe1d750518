@_spi(Reading)
extension ByteReader {
    /// - Precondition: `range` is within the bytes.
    @inlinable
    @inline(__always)
    public func string(_ range: Range<Int>) -> String {
        precondition(range.lowerBound >= 0 && range.upperBound <= count, "text range out of bounds")
        let bytes = UnsafeRawBufferPointer(start: base + range.lowerBound, count: range.count)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Decodes the JSON string content at `range`. A lone surrogate escape becomes U+FFFD.
    public func text(_ range: Range<Int>, isEscaped: Bool) -> String {
        guard isEscaped else { return string(range) }
        var decoded: [UInt8] = []
        decoded.reserveCapacity(range.count)
        EscapedText.append(range, of: self, to: &decoded)
        return String(decoding: decoded, as: UTF8.self)
    }
}
