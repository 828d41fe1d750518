import ASCIIText
import HTTPModel

/// A gateway's own name: its pseudonym in `Via` (RFC 9110 7.6.3) and its identifier in `Proxy-Status` (RFC 9209 2).
public struct GatewayName: Sendable, Hashable, CustomStringConvertible {
    /// The name as it was given.
    public let description: String

    /// Nil unless the text is a token (RFC 9110 5.6.2) of 1 to 64 bytes.
    public init?(_ text: String) {
        guard (1...64).contains(text.utf8.count), text.utf8.allSatisfy(ASCII.isTokenByte) else { return nil }
        description = text
    }

    private init(token: StaticString) {
        description = "\(token)"
    }

    /// The default: `sluice`.
    public static let standard = GatewayName(token: "sluice")

    /// What a name may be, for messages.
    public static let rule = "1 to 64 letters, digits or any of !#$%&'*+-.^_`|~"

    /// The gateway's entry in `Via`.
    package var via: String { "1.1 \(description)" }

    /// The name as an item of a structured field: a token where it begins with a letter or `*`, else a string, in which
    /// nothing of it needs an escape (RFC 9651 3.3.3, 3.3.4).
    package var item: String {
        guard let first = description.utf8.first else { return description }
        return ASCII.isLetter(first) || first == UInt8(ascii: "*") ? description : "\"\(description)\""
    }
}
