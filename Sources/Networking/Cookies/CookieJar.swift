public import FoundationEssentials
public import HTTPModel
import Locking

/// Stores the cookies that upstreams set and sends them back (RFC 6265bis). Providers use cookies only with a
/// jar.
///
///     let account = Provider<AccountAPI>(cookies: CookieJar())
///
/// Cookies stay in memory. Providers may share a jar. The final dot of a host (`api.test.`) does not make
/// another host. Plain http neither sets nor replaces a `Secure` cookie.
///
/// A cookie for a public suffix (`com`, `co.uk`, `github.io`, any single label) is rejected, or kept for the
/// host itself if the host is the suffix. The suffixes come from the public suffix list that is built into
/// the system's libpsl (publicsuffix.org).
public final class CookieJar: Sendable {
    /// The capacity of a jar. A full jar first removes the cookie that was set or changed longest ago; within
    /// a domain, it removes cookies without `Secure` first (RFC 6265bis 5.7.3).
    public struct Limits: Sendable, Hashable {
        /// Maximum number of cookies per domain. Default 50 (RFC 6265bis 6.1).
        public var cookiesPerDomain = 50
        /// Maximum number of cookies. Default 3000 (RFC 6265bis 6.1).
        public var cookies = 3000

        /// Creates limits with the default values.
        public init() {}
    }

    private let limits: Limits
    /// In the order in which they were set.
    private let state = Lock<[Cookie]>([])

    /// Creates an empty jar.
    public init(limits: Limits = Limits()) {
        self.limits = limits
    }

    /// All cookies in the jar, possibly including expired ones.
    public var cookies: [Cookie] { state.withLock { $0 } }

    /// Stores a cookie and replaces the one with the same name, domain and path. An expired cookie removes
    /// it.
    public func set(_ cookie: Cookie, at now: Date) { set(cookie, at: now, isFromPlainHTTP: false) }

    private func set(_ cookie: Cookie, at now: Date, isFromPlainHTTP: Bool) {
        state.withLock { cookies in
            if isFromPlainHTTP,
                cookies.contains(where: { $0.isProtected(from: cookie) && !$0.isExpired(at: now) })
            {
                return
            }
            cookies.removeAll { $0.isReplaced(by: cookie) }
            guard !cookie.isExpired(at: now) else { return }
            makeRoom(for: cookie, in: &cookies, at: now)
            cookies.append(cookie)
        }
    }

    /// Removes all cookies, e.g. on logout.
    public func removeAll() { state.withLock { $0 = [] } }

    /// Stores the cookies of a response from `url`.
    public func store(_ fields: HTTPFields, from url: HTTPURL, at now: Date) {
        guard fields.contains(.setCookie) else { return }
        for text in fields.values(of: .setCookie) {
            if let cookie = Cookie(setCookie: text, from: url, at: now) {
                set(cookie, at: now, isFromPlainHTTP: url.scheme == .http)
            }
        }
    }

    /// Returns the `Cookie` field of a request to `url`: longer paths first, then older cookies (RFC
    /// 6265bis 5.8.3). Nil if no cookie matches.
    public func field(for url: HTTPURL, at now: Date) -> String? {
        let sent = state.withLock { cookies in
            cookies.removeAll { $0.isExpired(at: now) }
            return cookies.filter { $0.isSent(to: url, at: now) }
        }
        guard !sent.isEmpty else { return nil }
        let ordered = sent.enumerated().sorted {
            ($1.element.path.count, $0.offset) < ($0.element.path.count, $1.offset)
        }
        return ordered.map(\.element.pair).joined(separator: "; ")
    }

    private func makeRoom(for cookie: Cookie, in cookies: inout [Cookie], at now: Date) {
        cookies.removeAll { $0.isExpired(at: now) }
        while cookies.count(where: { $0.domain == cookie.domain }) >= max(1, limits.cookiesPerDomain),
            let oldest = cookies.firstIndex(where: { $0.domain == cookie.domain && !$0.isSecure })
                ?? cookies.firstIndex(where: { $0.domain == cookie.domain })
        {
            cookies.remove(at: oldest)
        }
        while cookies.count >= max(1, limits.cookies) { cookies.removeFirst() }
    }
}
