/// Where a connection goes, as text for a log: `127.0.0.1:8081`. Made once an address, so that its connections and their
/// calls share it.
public final class PeerAddress: Sendable, CustomStringConvertible {
    public let description: String
    /// The text in quotes, as JSON has it; nil where JSON has to escape some of it, as in a socket's path.
    package let quoted: [UInt8]?

    public init(_ text: String) {
        description = text
        quoted = text.utf8.allSatisfy(Self.isPlain) ? Array("\"\(text)\"".utf8) : nil
    }

    /// ASCII, and no quote, backslash or control.
    private static func isPlain(_ byte: UInt8) -> Bool {
        (0x20..<0x7f).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }
}
