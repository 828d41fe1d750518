extension HTTPURL {
    /// What a reference (a `Location` field, say) means here (RFC 3986 5.2): a URL, `//host/path`, `/path`, `path`, `?query`,
    /// with `.` and `..` taken out of the path. A fragment is left out, as it is not sent.
    ///
    /// - Throws: where the result is no http or https URL.
    public func resolving(_ reference: String) throws(Failure) -> HTTPURL {
        let reference = Array(reference.utf8.prefix { $0 != UInt8(ascii: "#") })
        let text = String(decoding: reference, as: UTF8.self)
        if Self.hasScheme(reference) { return try HTTPURL(text).withoutDotSegments() }
        let origin = "\(scheme.rawValue)://\(authority)"
        if reference.starts(with: "//".utf8) {
            return try HTTPURL("\(scheme.rawValue):\(text)").withoutDotSegments()
        }
        switch reference.first {
        case nil: return try HTTPURL(origin + target)
        case UInt8(ascii: "/"): return try HTTPURL(origin + text).withoutDotSegments()
        case UInt8(ascii: "?"): return try HTTPURL(origin + path + text)
        default:
            let folder = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path[...$0] } ?? "/"
            return try HTTPURL(origin + folder + text).withoutDotSegments()
        }
    }

    /// `scheme ":"` before any `/` or `?` (RFC 3986 3.1).
    private static func hasScheme(_ bytes: [UInt8]) -> Bool {
        guard let first = bytes.first, isLetter(first), let colon = bytes.firstIndex(of: UInt8(ascii: ":"))
        else {
            return false
        }
        return bytes[..<colon].allSatisfy { isLetter($0) || ASCII.isDigit($0) || "+-.".utf8.contains($0) }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(ASCII.lowercased(byte))
    }

    /// RFC 3986 5.2.4.
    private func withoutDotSegments() -> HTTPURL {
        var segments: [Substring] = []
        let all = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        for (index, segment) in all.enumerated() {
            let isLast = index == all.count - 1
            switch segment {
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

    /// Whether both are of one origin: scheme, host and port (RFC 6454 4).
    public func hasSameOrigin(as other: HTTPURL) -> Bool {
        scheme == other.scheme && host == other.host && port == other.port
    }
}
