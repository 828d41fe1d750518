extension EscapedText {
    /// Appends `text` as a JSON string: quotes around it, `"`, `\` and control characters escaped, all else
    /// as it is.
    @inline(__always)
    static func appendLiteral(_ text: String, to output: inout [UInt8]) {
        let done: Void? = text.utf8.withContiguousStorageIfAvailable { appendLiteral($0, to: &output) }
        if done == nil { appendLiteral(Array(text.utf8), to: &output) }
    }

    static func appendLiteral(_ text: some RandomAccessCollection<UInt8>, to output: inout [UInt8]) {
        output.append(Byte.quote)
        if text.allSatisfy({ $0 >= 0x20 && $0 != Byte.quote && $0 != Byte.backslash }) {
            output.append(contentsOf: text)
        } else {
            for byte in text { appendEscaped(byte, to: &output) }
        }
        output.append(Byte.quote)
    }

    private static func appendEscaped(_ byte: UInt8, to output: inout [UInt8]) {
        switch byte {
        case Byte.quote, Byte.backslash: output += [Byte.backslash, byte]
        case 0x08: output += [Byte.backslash, UInt8(ascii: "b")]
        case 0x09: output += [Byte.backslash, UInt8(ascii: "t")]
        case 0x0A: output += [Byte.backslash, UInt8(ascii: "n")]
        case 0x0C: output += [Byte.backslash, UInt8(ascii: "f")]
        case 0x0D: output += [Byte.backslash, UInt8(ascii: "r")]
        case 0..<0x20:
            let digit = byte & 0x0F
            let low = digit < 10 ? Byte.zero + digit : UInt8(ascii: "a") + digit - 10
            output += [Byte.backslash, UInt8(ascii: "u"), Byte.zero, Byte.zero, Byte.zero + byte >> 4, low]
        default: output.append(byte)
        }
    }
}
