import ASCIIText

/// The DNS names in the certificates of servers.
enum ServerNames {
    /// The form in which names are compared.
    static func canonical(_ name: String) -> String { HostName.withoutFinalDot(name.lowercased()) }

    /// Whether a certificate for `pattern` is valid for the name. `*.example.com` stands for one label before
    /// `example.com` (RFC 9525, section 6.3).
    static func covers(_ pattern: String, _ name: String) -> Bool {
        let pattern = canonical(pattern)
        let name = canonical(name)
        guard pattern.hasPrefix("*.") else { return pattern == name }
        return parent(of: name).map { $0 == pattern.dropFirst(2) } ?? false
    }

    /// The name without its first label; nil if nothing is left.
    static func parent(of name: String) -> Substring? {
        guard let dot = name.firstIndex(of: "."), dot != name.startIndex else { return nil }
        let rest = name[name.index(after: dot)...]
        return rest.isEmpty ? nil : rest
    }
}
