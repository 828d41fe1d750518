import ASCIIText

/// Where the value of a reference comes from: the first name in its braces.
package enum ReferenceRoot: String, Sendable, Hashable, CaseIterable {
    case path, query, header, body, claims, first, parts, item

    /// What is likely meant by names of other formats, whose letters do not suggest it.
    package static let meant: [String: ReferenceRoot] = [
        "auth": .claims, "identity": .claims, "jwt": .claims, "token": .claims, "claim": .claims,
        "params": .path,
    ]

    /// Whether a text begins with such a name: `path.id`, `body`, `item[0]`.
    package static func isNamed(in text: some StringProtocol) -> Bool {
        let bytes = text.utf8
        let name = bytes.prefix(while: ASCII.isLetter)
        guard let root = ReferenceRoot(rawValue: String(decoding: name, as: UTF8.self)) else { return false }
        switch bytes.dropFirst(name.count).first {
        case Byte.point?, Byte.openBracket?: return true
        case nil: return root == .body || root == .item
        default: return false
        }
    }
}
