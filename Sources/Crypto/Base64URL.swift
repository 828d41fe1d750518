/// Base64 with the alphabet of URLs and without padding (RFC 4648 5, RFC 7515 2).
public enum Base64URL {
    /// Decodes strictly; nil for padding, blanks, bytes of another alphabet, an impossible length, and bits
    /// behind the last byte that are not 0. So each value has one text.
    public static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        text.withUnsafeBytes { decode($0) }
    }

    /// Decodes the UTF-8 bytes of a text strictly.
    public static func decode(_ text: some StringProtocol) -> [UInt8]? {
        var text = String(text)
        return text.withUTF8 { decode(UnsafeRawBufferPointer($0)) }
    }

    /// Decodes bytes in memory strictly.
    public static func decode(_ text: UnsafeRawBufferPointer) -> [UInt8]? {
        let rest = text.count % 4
        guard rest != 1 else { return nil }
        var isValid = true
        let bytes = [UInt8](unsafeUninitializedCapacity: text.count / 4 * 3 + max(rest - 1, 0)) {
            room, count in
            var bits: UInt32 = 0
            var bitCount: UInt32 = 0
            for byte in text {
                let value = value(of: byte)
                guard value < 64 else {
                    isValid = false
                    return
                }
                bits = bits << 6 | UInt32(value)
                bitCount += 6
                guard bitCount >= 8 else { continue }
                bitCount -= 8
                room[count] = UInt8(truncatingIfNeeded: bits >> bitCount)
                count += 1
            }
            isValid = bits & (1 << bitCount - 1) == 0
        }
        return isValid ? bytes : nil
    }

    /// Encodes bytes, without padding.
    public static func encode(_ bytes: [UInt8]) -> String {
        let count = (bytes.count * 4 + 2) / 3
        return String(unsafeUninitializedCapacity: count) { room in
            var index = 0
            var bits: UInt32 = 0
            var bitCount: UInt32 = 0
            for byte in bytes {
                bits = bits << 8 | UInt32(byte)
                bitCount += 8
                while bitCount >= 6 {
                    bitCount -= 6
                    room[index] = digit(bits >> bitCount)
                    index += 1
                }
            }
            guard bitCount > 0 else { return index }
            room[index] = digit(bits << (6 - bitCount))
            return index + 1
        }
    }

    /// Returns the value of a digit; 255 for any other byte.
    private static func value(of byte: UInt8) -> UInt8 {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0") + 52
        case UInt8(ascii: "-"): 62
        case UInt8(ascii: "_"): 63
        default: 255
        }
    }

    /// Returns the digit of the last six bits.
    private static func digit(_ bits: UInt32) -> UInt8 {
        let value = UInt8(truncatingIfNeeded: bits) & 63
        return switch value {
        case 0..<26: UInt8(ascii: "A") + value
        case 26..<52: UInt8(ascii: "a") + value - 26
        case 52..<62: UInt8(ascii: "0") + value - 52
        case 62: UInt8(ascii: "-")
        default: UInt8(ascii: "_")
        }
    }
}
