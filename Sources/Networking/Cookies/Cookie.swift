import ASCIIText
public import FoundationEssentials
import HTTPModel

/// One cookie as a server set it (RFC 6265bis).
public struct Cookie: Sendable, Hashable {
    /// The text before the first `=` of `Set-Cookie`; empty for a cookie that is only a value.
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

    // MARK: Where it goes

    /// Whether a request to this URL carries it.
    func isSent(to url: HTTPURL, at now: Date) -> Bool {
        guard !isExpired(at: now), !isSecure || url.scheme == .https else { return false }
        guard isHostOnly ? url.host == domain : Self.matches(host: url.host, domain: domain) else {
            return false
        }
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

    /// How the cookie stands in a `Cookie` field.
    var pair: String { name.isEmpty ? value : "\(name)=\(value)" }

    func isExpired(at now: Date) -> Bool { expires.map { $0 <= now } ?? false }

    /// Whether the other one takes its place.
    func isReplaced(by other: Cookie) -> Bool {
        name == other.name && domain == other.domain && path == other.path && isHostOnly == other.isHostOnly
    }

    /// Whether this `Secure` cookie is protected from one that plain http sets: it could hide this one or take its place
    /// (RFC 6265bis 5.7.3, "leave secure cookies alone").
    func isProtected(from other: Cookie) -> Bool {
        isSecure && name == other.name
            && (Self.matches(host: domain, domain: other.domain)
                || Self.matches(host: other.domain, domain: domain))
            && Self.matches(path: other.path, cookiePath: path)
    }
}
