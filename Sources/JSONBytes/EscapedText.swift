import ASCIIText

/// Decodes the escapes of valid JSON strings.
@_spi(Reading)
public enum EscapedText {
    /// Appends the decoded UTF-8 of the string content at `range`. A lone surrogate escape becomes U+FFFD.
    public static func append(_ range: Range<Int>, of reader: ByteReader, to output: inout [UInt8]) {
        var index = range.lowerBound
        while index < range.upperBound {
            let byte = reader[index]
            guard byte == Byte.backslash else {
                output.append(byte)
                index &+= 1
                continue
            }
            let kind = reader[index &+ 1]
            index &+= 2
            switch kind {
            case UInt8(ascii: "b"): output.append(0x08)
            case UInt8(ascii: "f"): output.append(0x0C)
            case UInt8(ascii: "n"): output.append(0x0A)
            case UInt8(ascii: "r"): output.append(0x0D)
            case UInt8(ascii: "t"): output.append(0x09)
            case UInt8(ascii: "u"):
                output.append(contentsOf: String(scalar(of: reader, at: &index)).utf8)
            default: output.append(kind)
            }
        }
    }

    /// Decodes a `\u` escape or a surrogate pair of two. Moves `index` from the first hexadecimal digit past
    /// the last.
    private static func scalar(of reader: ByteReader, at index: inout Int) -> Unicode.Scalar {
        let first = unit(of: reader, at: index)
        index &+= 4
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard first < 0xDC00, reader[index] == Byte.backslash, reader[index &+ 1] == UInt8(ascii: "u") else {
            return "\u{FFFD}"
        }
        let second = unit(of: reader, at: index &+ 2)
        guard 0xDC00...0xDFFF ~= second else { return "\u{FFFD}" }
        index &+= 6
        let value = 0x10000 + (UInt32(first & 0x3FF) << 10 | UInt32(second & 0x3FF))
        return Unicode.Scalar(value) ?? "\u{FFFD}"
    }

    private static func unit(of reader: ByteReader, at index: Int) -> UInt16 {
        var unit: UInt16 = 0
        for offset in 0..<4 { unit = unit &<< 4 | UInt16(ASCII.hexValue(reader[index &+ offset]) ?? 0) }
        return unit
    }
}
