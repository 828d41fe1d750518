/// The bytes that JSON gives a meaning.
@_spi(Reading)
public enum Byte {
    @inlinable public static var quote: UInt8 { UInt8(ascii: "\"") }
    @inlinable public static var backslash: UInt8 { UInt8(ascii: "\\") }
    @inlinable public static var openBrace: UInt8 { UInt8(ascii: "{") }
    @inlinable public static var closeBrace: UInt8 { UInt8(ascii: "}") }
    @inlinable public static var openBracket: UInt8 { UInt8(ascii: "[") }
    @inlinable public static var closeBracket: UInt8 { UInt8(ascii: "]") }
    @inlinable public static var comma: UInt8 { UInt8(ascii: ",") }
    @inlinable public static var colon: UInt8 { UInt8(ascii: ":") }
    @inlinable public static var minus: UInt8 { UInt8(ascii: "-") }
    @inlinable public static var plus: UInt8 { UInt8(ascii: "+") }
    @inlinable public static var point: UInt8 { UInt8(ascii: ".") }
    @inlinable public static var zero: UInt8 { UInt8(ascii: "0") }
    @inlinable public static var nine: UInt8 { UInt8(ascii: "9") }
    @inlinable public static var t: UInt8 { UInt8(ascii: "t") }
    @inlinable public static var f: UInt8 { UInt8(ascii: "f") }
    @inlinable public static var n: UInt8 { UInt8(ascii: "n") }

    @inlinable
    @inline(__always)
    public static func isDigit(_ byte: UInt8) -> Bool { byte &- zero < 10 }

    /// The value of a hexadecimal digit of either case, nil for any other byte.
    @inlinable
    @inline(__always)
    public static func hexadecimal(_ byte: UInt8) -> UInt16? {
        if isDigit(byte) { return UInt16(byte &- zero) }
        let letter = (byte | 0x20) &- UInt8(ascii: "a")
        return letter < 6 ? UInt16(letter &+ 10) : nil
    }
}
