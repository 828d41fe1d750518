import ASCIIText
import HTTPModel

/// A gateway's name: its pseudonym in `Via` (RFC 9110 7.6.3) and its identifier in `Proxy-Status` (RFC
/// 9209 2).
public struct GatewayName: Sendable, Hashable, CustomStringConvertible {
    /// The name.
    public let description: String

    /// Creates a name; nil if the text is not a token (RFC 9110 5.6.2) of 1 to 64 bytes.
    public init?(_ text: String) {
        guard (1...64).contains(text.utf8.count), text.utf8.allSatisfy(ASCII.isTokenByte) else { return nil }
        description = text
    }

    private init(token: StaticString) {
        description = "\(token)"
    }

    /// The default name, `sluice`.
    public static let standard = GatewayName(token: "sluice")

    /// The rule for names, as text.
    public static let rule = "1 to 64 letters, digits or any of !#$%&'*+-.^_`|~"

    /// The gateway's entry in `Via`.
    package var via: String { "1.1 \(description)" }

    /// The name as an item of a structured field (RFC 9651 3.3.3, 3.3.4): a token if it begins with a letter
    /// or `*`, otherwise a string. Token characters need no escapes in a string.
    package var item: String {
        guard let first = description.utf8.first else { return description }
        return ASCII.isLetter(first) || first == UInt8(ascii: "*") ? description : "\"\(description)\""
    }
}
