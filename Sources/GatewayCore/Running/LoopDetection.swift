import ASCIIText
import HTTPModel
import Networking

/// Recognizes requests that go round in a loop: our own name stands in `Via` for the fourth time (RFC 9110 7.6.3).
///
/// A chain of up to four gateways of one name works, and a loop ends after four rounds.
struct LoopDetection: Sendable {
    private static let maximum = 3

    private let name: [UInt8]

    init(_ name: GatewayName) {
        self.name = Array(name.description.utf8)
    }

    func isLoop(_ fields: HTTPFields) -> Bool {
        fields.contains(.via) && count(in: fields) > Self.maximum
    }

    @inline(never)
    private func count(in fields: HTTPFields) -> Int {
        // Commas within comments count as well: a client could hide what follows an open parenthesis.
        fields.valueBytes(of: .via).reduce(0) { count, value in
            count + value.split(separator: UInt8(ascii: ",")).count(where: isOurs)
        }
    }

    /// `[protocol-name "/"] protocol-version RWS received-by [RWS comment]`
    private func isOurs(_ element: ArraySlice<UInt8>) -> Bool {
        let words = element.split(whereSeparator: ASCII.isBlank)
        guard words.count > 1 else { return false }
        return name.withUnsafeBytes { name in words[1].withUnsafeBytes { ASCII.equalsIgnoringCase($0, name) }
        }
    }
}
