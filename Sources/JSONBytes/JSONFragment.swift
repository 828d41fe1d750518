import ASCIIText

/// A valid JSON value, as the bytes in which it was written.
///
/// A fragment shares the storage of its whole document and keeps it alive.
public struct JSONFragment: Sendable {
    /// The text of the value, as it was received or written.
    public let bytes: ArraySlice<UInt8>

    /// The kinds of JSON values.
    public enum Kind: Sendable { case null, bool, number, string, array, object }

    /// Takes one valid JSON value without checking it.
    @_spi(Lines)
    @inline(__always)
    public init(valid bytes: ArraySlice<UInt8>) { self.bytes = bytes }

    /// - Throws: `JSONError` if the bytes are not JSON or exceed a limit.
    public init(validating bytes: ArraySlice<UInt8>, limits: JSONLimits = .standard) throws(JSONError) {
        self = try JSONScanner.validate(bytes, limits: limits)
    }

    /// Parses JSON text: `JSONFragment(parsing: "[]")` is an empty array.
    ///
    /// - Throws: `JSONError` if the text is not JSON or exceeds a limit.
    public init(parsing text: String, limits: JSONLimits = .standard) throws(JSONError) {
        try self.init(validating: Array(text.utf8)[...], limits: limits)
    }

    /// Makes a JSON string, in quotes and with escapes: `JSONFragment(string: "[]")` is the text `[]`.
    public init(string text: String) {
        var line = JSONLine(capacity: JSONText.literalLength(text.utf8.count))
        line.string(text)
        bytes = [UInt8](line.bytes)[...]
    }

    /// `null`.
    public static let null = JSONFragment(valid: [0x6E, 0x75, 0x6C, 0x6C])

    /// The kind, told by the first byte.
    public var kind: Kind {
        switch bytes.first {
        case Byte.openBrace: .object
        case Byte.openBracket: .array
        case Byte.quote: .string
        case Byte.t, Byte.f: .bool
        case Byte.n: .null
        default: .number
        }
    }

    /// Whether it is `null`.
    public var isNull: Bool { kind == .null }
}

extension JSONFragment: Equatable {
    /// Compares bytes: `1.0` and `1` differ, and so do two spellings of the same string.
    public static func == (left: JSONFragment, right: JSONFragment) -> Bool { left.bytes == right.bytes }
}

extension JSONFragment: CustomStringConvertible {
    /// The value as text, for logs and messages.
    public var description: String { String(decoding: bytes, as: UTF8.self) }
}
