import ASCIIText
public import FoundationEssentials
import HTTPModel

/// A cookie as a server set it (RFC 6265bis).
public struct Cookie: Sendable, Hashable {
    /// Empty for a cookie that has only a value.
    public let name: String
    /// The value as it was set, including quotes and without decoding.
    public let value: String
    /// The host that set the cookie, or the domain that it named, without the final dot of an absolute name.
    public let domain: String
    /// Whether only `domain` itself receives it, without its subdomains.
    public let isHostOnly: Bool
    /// The path at and below which requests carry it (RFC 6265 5.1.4).
    public let path: String
    /// Nil if the cookie lives as long as the jar.
    public let expires: Date?
    /// Whether it is sent only over https.
    public let isSecure: Bool

    /// Creates a cookie, for programs that fill a jar themselves.
    ///
    /// - Parameters:
    ///   - name: the name.
    ///   - value: the value, sent unchanged.
    ///   - domain: the host, or the parent domain of the hosts, that receives it.
    ///   - isHostOnly: whether the subdomains of `domain` are excluded. Default true.
    ///   - path: the path for which it is sent. Default: every path.
    ///   - expires: nil for a session cookie.
    ///   - isSecure: whether it is sent only over https. Default false.
    public init(
        name: String, value: String, domain: String, isHostOnly: Bool = true, path: String = "/",
        expires: Date? = nil, isSecure: Bool = false
    ) {
        self.name = name
        self.value = value
        self.domain = HostName.withoutFinalDot(domain).lowercased()
        self.isHostOnly = isHostOnly
        self.path = path
        self.expires = expires
        self.isSecure = isSecure
    }

    // MARK: - Matching

    /// Whether a request to this URL at that time carries it.
    func isSent(to url: HTTPURL, at now: Date) -> Bool {
        guard !isExpired(at: now), !isSecure || url.scheme == .https else { return false }
        let host = HostName.withoutFinalDot(url.host)
        guard isHostOnly ? host == domain : Self.matches(host: host, domain: domain) else { return false }
        return Self.matches(path: url.path, cookiePath: path)
    }

    /// RFC 6265bis 5.1.3.
    static func matches(host: String, domain: String) -> Bool {
        host == domain || (host.hasSuffix("." + domain) && !isAddress(host))
    }

    /// RFC 6265bis 5.1.4.
    static func matches(path: String, cookiePath: String) -> Bool {
        path == cookiePath
            || (path.hasPrefix(cookiePath)
                && (cookiePath.hasSuffix("/") || path.dropFirst(cookiePath.count).hasPrefix("/")))
    }

    static func isAddress(_ host: String) -> Bool {
        host.contains(":") || host.utf8.allSatisfy { ASCII.isDigit($0) || $0 == UInt8(ascii: ".") }
    }

    /// The cookie as it appears in a `Cookie` field.
    var pair: String { name.isEmpty ? value : "\(name)=\(value)" }

    func isExpired(at now: Date) -> Bool { expires.map { $0 <= now } ?? false }

    func isReplaced(by other: Cookie) -> Bool {
        name == other.name && domain == other.domain && path == other.path && isHostOnly == other.isHostOnly
    }

    /// Whether this `Secure` cookie is protected from one set over plain http that could shadow or replace it
    /// (RFC 6265bis 5.7.3, "leave secure cookies alone").
    func isProtected(from other: Cookie) -> Bool {
        isSecure && name == other.name
            && (Self.matches(host: domain, domain: other.domain)
                || Self.matches(host: other.domain, domain: domain))
            && Self.matches(path: other.path, cookiePath: path)
    }
}
