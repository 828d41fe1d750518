/// The address of a connection's peer as text for logs: `127.0.0.1:8081`. All connections to the address and their calls
/// share one.
public final class PeerAddress: Sendable, CustomStringConvertible {
    public let description: String
    /// The text as a JSON string; nil if JSON has to escape some of it, as in some paths of sockets.
    package let quoted: [UInt8]?

    public init(_ text: String) {
        description = text
        quoted = text.utf8.allSatisfy(Self.isPlain) ? Array("\"\(text)\"".utf8) : nil
    }

    /// Whether the byte is ASCII and neither a quote, a backslash nor a control character.
    private static func isPlain(_ byte: UInt8) -> Bool {
        (0x20..<0x7f).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }
}
