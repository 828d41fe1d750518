public import FoundationEssentials
public import HTTPModel
import Locking

/// Keeps the cookies that upstreams set and sends them back, by RFC 6265bis. A provider has none unless it is given one.
///
///     let account = Provider<AccountAPI>(cookies: CookieJar())
///
/// In memory, for all who hold it; providers may share one. Plain http neither sets nor replaces a `Secure` cookie.
///
/// A cookie for a public suffix is refused, or kept for its own host only if that is the suffix. The suffixes are a short built-in
/// list, not the public suffix list: every single label (`com`, `localhost`), the common second levels of large country domains
/// (`co.uk`, `com.au`) and well-known hosts of other people's sites (`github.io`). A domain that it does not know is believed, which
/// is harmless as long as the providers of a jar talk to hosts of one owner.
public final class CookieJar: Sendable {
    /// How many cookies a jar holds. Beyond that the cookie that was set or changed longest ago goes first; within a domain
    /// those without `Secure` go before the others (RFC 6265bis 5.7.3).
    public struct Limits: Sendable, Hashable {
        /// Default 50 (RFC 6265bis 6.1).
        public var cookiesPerDomain = 50
        /// Default 3000 (RFC 6265bis 6.1).
        public var cookies = 3000

        /// The defaults.
        public init() {}
    }

    private let limits: Limits
    /// In the order in which they were made.
    private let state = Lock<[Cookie]>([])

    /// An empty jar.
    public init(limits: Limits = Limits()) {
        self.limits = limits
    }

    /// Those that are kept, expired ones among them until they are looked for.
    public var cookies: [Cookie] { state.withLock { $0 } }

    /// Keeps a cookie, in the place of one with the same name, domain and path. One that has expired removes it.
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

    /// Forgets all: a logout.
    public func removeAll() { state.withLock { $0 = [] } }

    /// Takes what a response from `url` sets.
    public func store(_ fields: HTTPFields, from url: HTTPURL, at now: Date) {
        guard fields.contains(.setCookie) else { return }
        for text in fields.values(of: .setCookie) {
            if let cookie = Cookie(setCookie: text, from: url, at: now) {
                set(cookie, at: now, isFromPlainHTTP: url.scheme == .http)
            }
        }
    }

    /// The `Cookie` field of a request to `url`: longer paths first, then the older ones (RFC 6265bis 5.8.3). Nil if there is no
    /// cookie for it.
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
