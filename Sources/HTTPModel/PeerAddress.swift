/// Where a connection goes, as text for a log: `127.0.0.1:8081`. Made once a connection, so that its calls share it.
public final class PeerAddress: Sendable, CustomStringConvertible {
    public let description: String
    /// Whether the text stands in JSON as it is, between quotes: it is ASCII, without quotes, backslashes and controls.
    package let isPlain: Bool

    public init(_ text: String) {
        description = text
        isPlain = Self.isPlain(text)
    }

    /// Whether a text stands in JSON as it is, between quotes.
    package static func isPlain(_ text: String) -> Bool {
        text.utf8.allSatisfy {
            (0x20..<0x7f).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
        }
    }
}
