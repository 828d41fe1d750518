import ASCIIText
import HTTPModel

/// An entry as it was declared.
struct AuthDeclaration: Sendable {
    let name: String
    let method: AuthMethod
    let send: [SentField]
}

/// What a gateway's declarations say about callers and limits.
package struct AccessDeclarations: Sendable {
    /// In their order.
    var entries: [AuthDeclaration] = []
    /// In their order.
    var limits: [(name: String, limit: RateLimit)] = []

    /// The most entries.
    package static let mostEntries = 16

    /// Whether a name fits into fields, logs and metrics.
    package static func isName(_ name: String) -> Bool {
        guard (1...64).contains(name.utf8.count), let first = name.utf8.first, ASCII.isLetter(first) else {
            return false
        }
        return name.utf8.allSatisfy {
            ASCII.isLetter($0) || ASCII.isDigit($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
        }
    }

    /// What `isName` asks, for messages.
    package static let nameRule = "1 to 64 letters, digits, _ and -, with a letter first"
}
