import ASCIIText

/// One valid JSON value, as the bytes it was written with.
///
/// Shares the storage of the document it was cut from, and keeps all of that storage alive.
public struct JSONFragment: Sendable {
    /// The value without white space around it.
    public let bytes: ArraySlice<UInt8>

    /// What a fragment holds.
    public enum Kind: Sendable { case null, bool, number, string, array, object }

    /// Bytes that a scan of this module has found valid.
    @inline(__always)
    init(valid bytes: ArraySlice<UInt8>) { self.bytes = bytes }

    /// Text that was written as JSON, by a writer that writes nothing else.
    @_spi(Lines)
    public init(written bytes: ArraySlice<UInt8>) { self.bytes = bytes }

    /// Validates a document and holds its value.
    public init(validating bytes: ArraySlice<UInt8>, limits: JSONLimits = .standard) throws(JSONError) {
        self = try JSONScanner.validate(bytes, limits: limits)
    }

    /// A JSON string of `text`, escaped where JSON must be.
    public init(_ text: String) {
        var line = JSONLine(capacity: JSONText.literalLength(text.utf8.count))
        line.string(text)
        bytes = [UInt8](line.bytes)[...]
    }

    public static let null = JSONFragment(valid: [0x6E, 0x75, 0x6C, 0x6C])

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

    public var isNull: Bool { kind == .null }
}

extension JSONFragment: Equatable {
    /// By bytes: `1.0` and `1` are different, and so are two spellings of one string.
    public static func == (left: JSONFragment, right: JSONFragment) -> Bool { left.bytes == right.bytes }
}

extension JSONFragment: CustomStringConvertible {
    /// The fragment as JSON text.
    public var description: String { String(decoding: bytes, as: UTF8.self) }
}
