import ASCIIText

extension HTTPURL {
    /// Resolves a reference, such as the value of `Location`, against this URL (RFC 3986 5.2). The reference
    /// is a URL, `//host/path`, `/path`, `path` or `?query`. Removes its fragment, surrounding blanks and dot
    /// segments (including `%2e`), and normalizes the rest as `init(normalizing:)` does.
    ///
    /// - Throws: if the result is not an http or https URL.
    public func resolving(_ reference: String) throws(Failure) -> HTTPURL {
        try resolving(Array(reference.utf8))
    }

    /// Resolves a reference from received bytes. Invalid UTF-8 is percent-encoded byte by byte.
    public func resolving(_ reference: some Collection<UInt8>) throws(Failure) -> HTTPURL {
        let bytes = Array(reference).withUnsafeBytes { Array(ASCII.trimmed($0)) }
        if Self.hasScheme(bytes) { return try HTTPURL(normalizing: bytes).withoutDotSegments() }
        if bytes.count > 1, bytes.prefix(2).allSatisfy(Self.isSlash) {
            return try HTTPURL(normalizing: "\(scheme.rawValue):".utf8 + bytes).withoutDotSegments()
        }
        let origin = "\(scheme.rawValue)://\(authority)"
        switch bytes.first {
        case nil, UInt8(ascii: "#"): return self
        case UInt8(ascii: "/"), UInt8(ascii: "\\"):
            return try HTTPURL(normalizing: origin.utf8 + bytes).withoutDotSegments()
        case UInt8(ascii: "?"): return try HTTPURL(normalizing: (origin + path).utf8 + bytes)
        default:
            let folder = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path[...$0] } ?? "/"
            return try HTTPURL(normalizing: (origin + folder).utf8 + bytes).withoutDotSegments()
        }
    }

    /// Whether the reference starts with `scheme ":"` (RFC 3986 3.1).
    private static func hasScheme(_ bytes: [UInt8]) -> Bool {
        guard let first = bytes.first, ASCII.isLetter(first),
            let colon = bytes.firstIndex(of: UInt8(ascii: ":"))
        else {
            return false
        }
        return bytes[..<colon].allSatisfy {
            ASCII.isLetter($0) || ASCII.isDigit($0) || "+-.".utf8.contains($0)
        }
    }

    /// Removes dot segments (RFC 3986 5.2.4) after decoding `%2e` (RFC 3986 6.2.2.2), as browsers do.
    private func withoutDotSegments() -> HTTPURL {
        var segments: [Substring] = []
        let all = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        for (index, segment) in all.enumerated() {
            let isLast = index == all.count - 1
            switch segment.lowercased().replacing("%2e", with: ".") {
            case ".": if isLast { segments.append("") }
            case "..":
                _ = segments.popLast()
                if isLast { segments.append("") }
            default: segments.append(segment)
            }
        }
        var url = self
        url.path = "/" + segments.joined(separator: "/")
        return url
    }

    /// Whether both URLs have the same scheme, host and port (RFC 6454 4).
    public func hasSameOrigin(as other: HTTPURL) -> Bool {
        scheme == other.scheme && host == other.host && port == other.port
    }

    /// Whether both URLs lead to the same server: they have the same origin, but for the final dot of a host
    /// name (`HostName`).
    package func hasSameServer(as other: HTTPURL) -> Bool {
        scheme == other.scheme && port == other.port && HostName.areSame(host, other.host)
    }
}
