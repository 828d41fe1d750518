/// The names that certificates of clients may have: DNS names, also with an asterisk for their first label
/// (`*.example.com`), and URIs such as `spiffe://example.com/shop`.
public struct CertificateNames: Sendable, Hashable {
    /// The most names.
    public static let most = 1000

    /// In the order in which they were given.
    public let texts: [String]
    /// In lower case, without a final dot.
    private var names: Set<String> = []
    /// What follows the asterisk, in lower case: `.example.com`.
    private var suffixes: Set<String> = []
    private var uris: Set<String> = []

    /// - Parameter texts: valid names, and at least one: see `fault`.
    public init(_ texts: [String]) {
        self.texts = texts
        for text in texts {
            if Self.isURI(text) {
                uris.insert(text)
                continue
            }
            let name = Self.normalized(text)
            if name.utf8.first == Self.asterisk {
                suffixes.insert(String(name.dropFirst()))
            } else {
                names.insert(name)
            }
        }
    }

    /// Returns why a text is not such a name, phrased to follow it; nil if it is one.
    public static func fault(of text: String) -> String? {
        if isAddress(text) {
            return
                "is an IP address, which names no client: use a DNS name such as shop.example.com, or a URI"
        }
        guard isURI(text) ? isValidURI(text) : isValidName(text) else {
            return "is not a DNS name such as shop.example.com or *.example.com, or a URI"
        }
        if isURI(text), text.utf8.contains(asterisk) {
            return "is a URI with an asterisk, which stands for nothing there: list each URI in full"
        }
        return nil
    }

    /// Whether a text looks like an IP address: four numbers, or hexadecimal digits between colons.
    private static func isAddress(_ text: String) -> Bool {
        let labels = normalized(text).utf8.split(separator: Byte.point, omittingEmptySubsequences: false)
        if labels.count == 4, labels.allSatisfy({ !$0.isEmpty && $0.allSatisfy(ASCII.isDigit) }) {
            return true
        }
        let digits = text.utf8.filter { !"[]:.".utf8.contains($0) }
        let colons = text.utf8.count { $0 == Byte.colon }
        return (colons == 7 || text.utf8.firstRange(of: "::".utf8) != nil)
            && digits.allSatisfy { ASCII.isDigit($0) || (0x61...0x66).contains(ASCII.lowercased($0)) }
    }

    private static let asterisk = UInt8(ascii: "*")

    private static func isValidURI(_ text: String) -> Bool {
        let scheme = text.utf8.prefix { $0 != UInt8(ascii: ":") }
        return scheme.first.map(ASCII.isLetter) == true && scheme.count + 1 < text.utf8.count
            && scheme.allSatisfy { byte in
                ASCII.isLetter(byte) || ASCII.isDigit(byte) || "+-.".utf8.contains(byte)
            } && text.utf8.allSatisfy { (0x21...0x7e).contains($0) }
    }

    private static func isValidName(_ text: String) -> Bool {
        let name = normalized(text)
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        let isWildcard = labels.first == "*"
        // An asterisk for all names of a top-level domain is a mistake.
        guard name.utf8.count <= 253, !isWildcard || labels.count > 2 else { return false }
        return labels.dropFirst(isWildcard ? 1 : 0).allSatisfy(isLabel)
    }

    /// Returns the DNS names of a certificate that say who its holder is, in lower case and without a final
    /// dot. A name with an asterisk stands for many, so it is left out.
    public static func identities(_ dnsNames: [String]) -> [String] {
        dnsNames.map(normalized).filter { !$0.isEmpty && !$0.utf8.contains(asterisk) }
    }

    /// Returns the first name of a certificate that is one of these, a DNS name as `identities` writes it;
    /// nil if none is.
    ///
    /// - Parameters:
    ///   - dnsNames: the DNS names of its subjectAltName.
    ///   - uris: the URIs of its subjectAltName.
    public func match(dnsNames: [String], uris: [String]) -> String? {
        Self.identities(dnsNames).first(where: has) ?? uris.first(where: self.uris.contains)
    }

    private func has(_ name: String) -> Bool {
        if names.contains(name) { return true }
        // An asterisk stands for one label.
        guard !suffixes.isEmpty, let dot = name.firstIndex(of: "."), dot != name.startIndex else {
            return false
        }
        return suffixes.contains(String(name[dot...]))
    }

    private static func isURI(_ text: String) -> Bool { text.utf8.contains(UInt8(ascii: ":")) }

    private static func isLabel(_ label: Substring) -> Bool {
        (1...63).contains(label.utf8.count)
            && label.utf8.allSatisfy { byte in
                ASCII.isLetter(byte) || ASCII.isDigit(byte) || byte == UInt8(ascii: "-")
                    || byte == UInt8(ascii: "_")
            }
    }

    private static func normalized(_ text: String) -> String {
        String(decoding: HostName.withoutFinalDot(text).utf8.map(ASCII.lowercased), as: UTF8.self)
    }
}
