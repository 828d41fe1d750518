/// The bytes that the grammars of HTTP and JSON name.
public enum Byte {
    /// A tab.
    @inlinable public static var tab: UInt8 { 0x09 }
    /// A line feed.
    @inlinable public static var lineFeed: UInt8 { 0x0a }
    /// A carriage return.
    @inlinable public static var carriageReturn: UInt8 { 0x0d }
    /// A space.
    @inlinable public static var space: UInt8 { 0x20 }
    /// A quote.
    @inlinable public static var quote: UInt8 { UInt8(ascii: "\"") }
    /// A hash.
    @inlinable public static var hash: UInt8 { UInt8(ascii: "#") }
    /// A percent.
    @inlinable public static var percent: UInt8 { UInt8(ascii: "%") }
    /// An ampersand.
    @inlinable public static var ampersand: UInt8 { UInt8(ascii: "&") }
    /// An asterisk.
    @inlinable public static var asterisk: UInt8 { UInt8(ascii: "*") }
    /// A plus.
    @inlinable public static var plus: UInt8 { UInt8(ascii: "+") }
    /// A comma.
    @inlinable public static var comma: UInt8 { UInt8(ascii: ",") }
    /// A minus.
    @inlinable public static var minus: UInt8 { UInt8(ascii: "-") }
    /// A point.
    @inlinable public static var point: UInt8 { UInt8(ascii: ".") }
    /// A slash.
    @inlinable public static var slash: UInt8 { UInt8(ascii: "/") }
    /// A zero.
    @inlinable public static var zero: UInt8 { UInt8(ascii: "0") }
    /// A colon.
    @inlinable public static var colon: UInt8 { UInt8(ascii: ":") }
    /// A semicolon.
    @inlinable public static var semicolon: UInt8 { UInt8(ascii: ";") }
    /// An equals.
    @inlinable public static var equals: UInt8 { UInt8(ascii: "=") }
    /// A question mark.
    @inlinable public static var questionMark: UInt8 { UInt8(ascii: "?") }
    /// An at.
    @inlinable public static var at: UInt8 { UInt8(ascii: "@") }
    /// An open bracket.
    @inlinable public static var openBracket: UInt8 { UInt8(ascii: "[") }
    /// A backslash.
    @inlinable public static var backslash: UInt8 { UInt8(ascii: "\\") }
    /// A close bracket.
    @inlinable public static var closeBracket: UInt8 { UInt8(ascii: "]") }
    /// An open brace.
    @inlinable public static var openBrace: UInt8 { UInt8(ascii: "{") }
    /// A close brace.
    @inlinable public static var closeBrace: UInt8 { UInt8(ascii: "}") }
    /// The letter f.
    @inlinable public static var f: UInt8 { UInt8(ascii: "f") }
    /// The letter n.
    @inlinable public static var n: UInt8 { UInt8(ascii: "n") }
    /// The letter t.
    @inlinable public static var t: UInt8 { UInt8(ascii: "t") }
}
