public import FoundationEssentials
import HTTPModel

/// One cookie as a server set it (RFC 6265).
public struct Cookie: Sendable, Hashable {
    /// What stands before the first `=` of `Set-Cookie`.
    public let name: String
    /// As it was set, quotes included; nothing is decoded.
    public let value: String
    /// The host that set it, or the domain that it named.
    public let domain: String
    /// Whether only `domain` itself gets it, not the hosts below.
    public let isHostOnly: Bool
    /// Requests to this path and below get it (RFC 6265 5.1.4).
    public let path: String
    /// Nil: until the jar is let go of.
    public let expires: Date?
    /// Whether it goes over https alone.
    public let isSecure: Bool

    /// A cookie that a program puts into its jar itself.
    ///
    /// - Parameters:
    ///   - name: what the server calls it.
    ///   - value: as it is to be sent.
    ///   - domain: the host, or the domain whose hosts get it.
    ///   - isHostOnly: whether the hosts below `domain` do not get it. Default true.
    ///   - path: where on the server. Default everywhere.
    ///   - expires: nil for a cookie of the session.
    ///   - isSecure: whether it goes over https alone. Default false.
    public init(
        name: String, value: String, domain: String, isHostOnly: Bool = true, path: String = "/",
        expires: Date? = nil, isSecure: Bool = false
    ) {
        self.name = name
        self.value = value
        self.domain = domain.lowercased()
        self.isHostOnly = isHostOnly
        self.path = path
        self.expires = expires
        self.isSecure = isSecure
    }

    /// Reads one `Set-Cookie` field (RFC 6265 5.2). Nil where it sets none: no name, a byte that no field may have, more than
    /// 4096 bytes, another host's domain, a `__Host-` or `__Secure-` name whose promise it does not keep.
    init?(setCookie text: String, from url: HTTPURL, at now: Date) {
        guard text.utf8.count <= Cookie.maximumBytes,
            text.utf8.allSatisfy({ $0 == 0x09 || ($0 >= 0x20 && $0 != 0x7f) })
        else { return nil }
        // As bytes: a character may be a semicolon with marks.
        var parts = text.utf8.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)[...]
        guard let pair = parts.popFirst(), let equals = pair.firstIndex(of: UInt8(ascii: "=")) else {
            return nil
        }
        let name = Self.trimmed(pair[..<equals])
        guard !name.isEmpty else { return nil }

        var domain = url.host
        var isHostOnly = true
        var namesDomain = false
        var path = Self.defaultPath(of: url)
        var expires: Date?
        var maxAge: Date?
        var isSecure = false
        for part in parts {
            let words = part.split(
                separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            let value = words.count > 1 ? Self.trimmed(words[1]) : ""
            switch Self.trimmed(words[0]).lowercased() {
            case "domain":
                let named = String(value.drop { $0 == "." }).lowercased()
                if named.isEmpty { continue }
                guard Self.matches(host: url.host, domain: named) else { return nil }
                // A name without a dot would be a whole top-level domain, but for the host itself (localhost).
                guard named == url.host || named.contains(".") else { return nil }
                domain = named
                namesDomain = true
                isHostOnly = named == url.host && Self.isAddress(url.host)
            case "path": path = value.utf8.first == UInt8(ascii: "/") ? value : Self.defaultPath(of: url)
            case "secure": isSecure = true
            case "expires":
                if let seconds = CookieDate.seconds(value) {
                    expires = Date(timeIntervalSince1970: Double(seconds))
                }
            case "max-age": maxAge = Self.end(maxAge: value, from: now) ?? maxAge
            default: break
            }
        }
        guard !isSecure || url.scheme == .https else { return nil }
        if name.utf8.starts(with: "__Secure-".utf8), !isSecure { return nil }
        if name.utf8.starts(with: "__Host-".utf8), !isSecure || path != "/" || namesDomain { return nil }
        self.init(
            name: name, value: Self.trimmed(pair[pair.index(after: equals)...]), domain: domain,
            isHostOnly: isHostOnly, path: path, expires: maxAge ?? expires, isSecure: isSecure)
    }

    /// RFC 6265 6.1: at least 4096 bytes a cookie.
    static let maximumBytes = 4096

    /// RFC 6265 5.1.4.
    private static func defaultPath(of url: HTTPURL) -> String {
        guard let slash = url.path.lastIndex(of: "/"), slash != url.path.startIndex else { return "/" }
        return String(url.path[..<slash])
    }

    /// RFC 6265 5.1.3.
    private static func matches(host: String, domain: String) -> Bool {
        host == domain || (host.hasSuffix("." + domain) && !isAddress(host))
    }

    private static func isAddress(_ host: String) -> Bool {
        host.contains(":") || host.utf8.allSatisfy { ASCII.isDigit($0) || $0 == UInt8(ascii: ".") }
    }

    private static func end(maxAge text: String, from now: Date) -> Date? {
        let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
        guard !digits.isEmpty, digits.utf8.allSatisfy(ASCII.isDigit) else { return nil }
        guard text.hasPrefix("-") == false, let seconds = Double(digits), seconds > 0 else {
            return .distantPast
        }
        // RFC 6265bis: no cookie lives longer than 400 days.
        return now.addingTimeInterval(min(seconds, 400 * 86400))
    }

    private static func trimmed(_ text: Substring.UTF8View) -> String {
        Array(text).withUnsafeBytes { String(decoding: ASCII.trimmed($0), as: UTF8.self) }
    }

    // MARK: Where it goes

    /// Whether a request to this URL carries it.
    func isSent(to url: HTTPURL, at now: Date) -> Bool {
        guard !isExpired(at: now), !isSecure || url.scheme == .https else { return false }
        guard isHostOnly ? url.host == domain : Self.matches(host: url.host, domain: domain) else {
            return false
        }
        // RFC 6265 5.1.4.
        return url.path == path
            || (url.path.hasPrefix(path)
                && (path.hasSuffix("/") || url.path.dropFirst(path.count).hasPrefix("/")))
    }

    func isExpired(at now: Date) -> Bool { expires.map { $0 <= now } ?? false }

    /// Whether the other one takes its place.
    func isReplaced(by other: Cookie) -> Bool {
        name == other.name && domain == other.domain && path == other.path && isHostOnly == other.isHostOnly
    }
}
