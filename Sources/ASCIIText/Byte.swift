/// The bytes that the grammars of HTTP and JSON name.
public enum Byte {
    @inlinable public static var tab: UInt8 { 0x09 }
    @inlinable public static var lineFeed: UInt8 { 0x0a }
    @inlinable public static var carriageReturn: UInt8 { 0x0d }
    @inlinable public static var space: UInt8 { 0x20 }
    @inlinable public static var quote: UInt8 { UInt8(ascii: "\"") }
    @inlinable public static var hash: UInt8 { UInt8(ascii: "#") }
    @inlinable public static var percent: UInt8 { UInt8(ascii: "%") }
    @inlinable public static var ampersand: UInt8 { UInt8(ascii: "&") }
    @inlinable public static var asterisk: UInt8 { UInt8(ascii: "*") }
    @inlinable public static var plus: UInt8 { UInt8(ascii: "+") }
    @inlinable public static var comma: UInt8 { UInt8(ascii: ",") }
    @inlinable public static var minus: UInt8 { UInt8(ascii: "-") }
    @inlinable public static var point: UInt8 { UInt8(ascii: ".") }
    @inlinable public static var slash: UInt8 { UInt8(ascii: "/") }
    @inlinable public static var zero: UInt8 { UInt8(ascii: "0") }
    @inlinable public static var colon: UInt8 { UInt8(ascii: ":") }
    @inlinable public static var semicolon: UInt8 { UInt8(ascii: ";") }
    @inlinable public static var equals: UInt8 { UInt8(ascii: "=") }
    @inlinable public static var questionMark: UInt8 { UInt8(ascii: "?") }
    @inlinable public static var at: UInt8 { UInt8(ascii: "@") }
    @inlinable public static var openBracket: UInt8 { UInt8(ascii: "[") }
    @inlinable public static var backslash: UInt8 { UInt8(ascii: "\\") }
    @inlinable public static var closeBracket: UInt8 { UInt8(ascii: "]") }
    @inlinable public static var openBrace: UInt8 { UInt8(ascii: "{") }
    @inlinable public static var closeBrace: UInt8 { UInt8(ascii: "}") }
    @inlinable public static var f: UInt8 { UInt8(ascii: "f") }
    @inlinable public static var n: UInt8 { UInt8(ascii: "n") }
    @inlinable public static var t: UInt8 { UInt8(ascii: "t") }
}
