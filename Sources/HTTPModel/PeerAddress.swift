/// The address of a connection's peer as log text: `127.0.0.1:8081`. Shared by all connections and calls to
/// it.
public final class PeerAddress: Sendable, CustomStringConvertible {
    /// The value as text, for logs and messages.
    public let description: String
    /// The text as a JSON string; nil if JSON has to escape part of it, as in some socket paths.
    package let quoted: [UInt8]?

    /// Creates an address from its text.
    public init(_ text: String) {
        description = text
        quoted = text.utf8.allSatisfy(Self.isPlain) ? Array("\"\(text)\"".utf8) : nil
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        (0x20..<0x7f).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }
}
