import ASCIIText
import HTTPModel
import Networking

/// Detects forwarding loops: requests whose `Via` contains the gateway's name more than three times (RFC
/// 9110 7.6.3).
///
/// A chain of up to four gateways of one name works; a loop ends after four rounds.
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
        // Splits at commas within comments too: otherwise an open parenthesis would hide the entries after
        // it.
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
