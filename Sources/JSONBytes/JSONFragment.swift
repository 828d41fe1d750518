import ASCIIText

/// A valid JSON value, as the bytes in which it was written.
///
/// A fragment shares the storage of its document and keeps all of that storage alive.
public struct JSONFragment: Sendable {
    /// The value, without white space around it.
    public let bytes: ArraySlice<UInt8>

    /// The kinds of JSON values.
    public enum Kind: Sendable { case null, bool, number, string, array, object }

    /// Takes bytes that are one valid JSON value, because they were validated or written as such.
    @_spi(Lines)
    @inline(__always)
    public init(valid bytes: ArraySlice<UInt8>) { self.bytes = bytes }

    /// Validates a document and takes its value.
    ///
    /// - Throws: `JSONError` if the bytes are not JSON or exceed a limit.
    public init(validating bytes: ArraySlice<UInt8>, limits: JSONLimits = .standard) throws(JSONError) {
        self = try JSONScanner.validate(bytes, limits: limits)
    }

    /// Creates a JSON string from `text`.
    public init(_ text: String) {
        var line = JSONLine(capacity: JSONText.literalLength(text.utf8.count))
        line.string(text)
        bytes = [UInt8](line.bytes)[...]
    }

    /// The value `null`.
    public static let null = JSONFragment(valid: [0x6E, 0x75, 0x6C, 0x6C])

    /// The kind of the value.
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

    /// Whether the value is `null`.
    public var isNull: Bool { kind == .null }
}

extension JSONFragment: Equatable {
    /// Compares bytes: `1.0` and `1` are different, and so are two spellings of the same string.
    public static func == (left: JSONFragment, right: JSONFragment) -> Bool { left.bytes == right.bytes }
}

extension JSONFragment: CustomStringConvertible {
    /// The fragment as JSON text.
    public var description: String { String(decoding: bytes, as: UTF8.self) }
}
