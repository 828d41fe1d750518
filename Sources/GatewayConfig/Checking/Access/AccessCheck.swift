import AccessControl
import EndpointPlans
import EventIO
import GatewayCore
import HTTPInbound
import HTTPModel

/// Checks who may call, and how often, over all files.
struct AccessCheck {
    /// An endpoint of either kind.
    struct Site {
        let settings: PlannedSettings
        let place: ConfigPlace
        /// Fields of a client that pass, in addition to `forward`.
        var passed: [Located<HTTPFieldName>] = []
        var calls: [PlannedCall] = []
        /// Whether it serves other methods than GET.
        let canWrite: Bool
        /// Nil for an endpoint whose requests pass through.
        var endpoint: PlannedEndpoint?

        /// The names of the entries that it requires.
        var entries: [Located<String>] { settings.requirement?.entries ?? [] }
    }

    let document: ConfigDocument
    let reader: ConfigReader
    let sites: [Site]
    private let entries: [String: ConfigAuth]

    init(_ document: ConfigDocument, _ reader: ConfigReader) {
        self.document = document
        self.reader = reader
        let endpoints = document.endpoints.map { endpoint in
            Site(
                settings: endpoint.settings, place: endpoint.place, calls: endpoint.calls,
                canWrite: endpoint.method != .get, endpoint: endpoint)
        }
        let proxies = document.proxies.map { proxy in
            Site(
                settings: proxy.settings, place: proxy.place, passed: proxy.requestHeaders.added,
                canWrite: proxy.usedMethods.contains { $0 != .get })
        }
        sites = endpoints + proxies
        entries = Dictionary(document.auth.map { ($0.name.value, $0) }) { first, _ in first }
    }

    func run() {
        for entry in document.auth { checkKeys(of: entry) }
        for site in sites { checkSources(of: site) }
        SentFieldCheck(access: self).run()
        checkLoggedCredentials()
        checkLimits()
        warnOfUnseenCertificates()
        warnOfUnknownCertificates()
        warnOfOpenEndpoints()
        warnOfUnused()
        var claims = ClaimCheck(access: self)
        claims.run()
        warnOfForwardedKeys()
        warnOfForgeableWrites()
        warnOfCookiesThatScriptsLack()
        warnOfConstantClaims()
        warnOfLimitsThatCountNobody()
        warnOfHeadersThatScriptsLack()
        warnOfLimitsByProxy()
    }

    /// The entries of a site that are declared without a problem, in the order of the file.
    func entries(of site: Site) -> [ConfigAuth] {
        let names = Set(site.entries.filter { !reader.unread.contains($0.place) }.map(\.value))
        return names.isEmpty ? [] : document.auth.filter { names.contains($0.name.value) }
    }

    /// What a message calls an entry.
    static func shown(_ entry: ConfigAuth) -> String { "auth.\(entry.name.value)" }

    // MARK: Keys of tokens

    /// Keys prove nothing if anyone on the network path can replace them.
    private func checkKeys(of entry: ConfigAuth) {
        if case .jwt(let tokens) = entry.method, let contents = tokens.contents {
            checkKeySet(contents, tokens, of: entry)
        }
        guard case .jwt(let tokens) = entry.method, case .upstream(let name, _)? = tokens.keys,
            let upstream = document.upstreams.first(where: { $0.name.value == name }),
            !upstream.changes.isUnknown("url"), !upstream.changes.isUnknown("urls")
        else { return }
        let settings = upstream.settings
        let key = "\(Self.shown(entry)).jwt.keys"
        if !settings.urls.allSatisfy(Self.isProtected) {
            let place = upstream.changes.place(of: "url") ?? upstream.changes.place(of: "urls")
            reader.error(
                "\(key): the upstream \"\(name)\" is reached by http, so anyone on the network path could "
                    + "replace the keys: use https, a Unix socket or an address of this machine"
                    + shown(place),
                at: entry.place(of: "jwt.keys"))
        } else if let tls = settings.tls, tls.verification == .insecureNone, tls.pins.isEmpty {
            reader.error(
                "\(key): the upstream \"\(name)\" has tls.verify: none, so anyone on the network path could "
                    + "replace the keys",
                at: entry.place(of: "jwt.keys"))
        }
    }

    /// Returns where the file has an address.
    private func shown(_ place: ConfigPlace?) -> String {
        guard let place, document.files.indices.contains(place.file) else { return "" }
        return " (the address is at \(document.files[place.file]):\(place.line):\(place.column))"
    }

    /// The file can be read: the type of the value has checked its form.
    private func checkKeySet(_ contents: [UInt8], _ tokens: TokenSettings, of entry: ConfigAuth) {
        let allowsSecrets = tokens.algorithms == [.hs256]
        guard let set = try? KeySet(parsing: contents[...], allowsSecrets: allowsSecrets) else { return }
        let key = "\(Self.shown(entry)).jwt.keys"
        let place = entry.place(of: "jwt.keys")
        for skipped in set.skipped {
            reader.problems.warning(
                "\(key): the key number \(skipped.index + 1) of the file is not used: \(skipped.reason)",
                at: place)
        }
        if !set.fits(tokens.algorithms), !tokens.algorithms.isEmpty {
            reader.error("\(key): the file has no key that fits the algorithms", at: place)
        }
    }

    /// An address that is not a URL is a Unix socket, or has an error of its own.
    private static func isProtected(_ address: String) -> Bool {
        (try? HTTPURL(address))?.isProtected ?? true
    }

    // MARK: Credentials

    /// Each credential has one entry that reads it. The issuers of tokens tell two entries apart.
    private func checkSources(of site: Site) {
        let named = site.entries.filter { !reader.unread.contains($0.place) }
        for (index, name) in named.enumerated() {
            guard let entry = entries[name.value] else { continue }
            for earlier in named[..<index] {
                guard let other = entries[earlier.value], other.name != entry.name,
                    let fault = conflict(other, entry)
                else { continue }
                reader.error(fault, at: name.place)
                break
            }
        }
    }

    /// What helps where two entries read one field.
    private static let separate = ": require one of them, or give one a header or cookie of its own"

    /// Returns why two entries cannot stand in one requirement; nil if they can.
    private func conflict(_ one: ConfigAuth, _ other: ConfigAuth) -> String? {
        guard knowsSource(of: one), knowsSource(of: other) else { return nil }
        let names = "\(Self.shown(one)) and \(Self.shown(other))"
        let isShown = !one.hidesSource && !other.hidesSource
        if case .jwt(let tokens) = one.method, case .jwt(let others) = other.method {
            let issuers = [one, other].map { $0.place(of: "jwt.issuer") }
            guard one.sources == other.sources, tokens.issuer == others.issuer,
                !issuers.contains(where: reader.unread.contains)
            else { return nil }
            let source = isShown ? Self.text(one.sources[0]) : "one cookie"
            return "\(names) both read \(source) and have the same issuer, so it is unclear which decides"
                + Self.separate
        }
        let fields = Set(one.sources.map(\.field))
        guard let shared = other.sources.first(where: { fields.contains($0.field) }) else { return nil }
        return
            "\(names) both read \(isShown ? shared.field.description : "one field"), so it is unclear which decides"
            + Self.separate
    }

    /// Whether it is known where an entry's credential is: no variable that is not read names it.
    func knowsSource(of entry: ConfigAuth) -> Bool { !entry.hidesSource || reader.files != nil }

    private static func text(_ source: ConfigAuth.Source) -> String {
        switch source {
        case .field(let name): name.description
        case .cookie(let name): "the cookie \(name)"
        }
    }

    // MARK: Limits

    /// A limit by identity counts nobody where nobody has an identity.
    private func checkLimits() {
        guard !reader.hasOtherEndpoints, !reader.usesUnknownLimit, reader.problems.errorCount == 0 else {
            return
        }
        for limit in document.rateLimits where limit.limit.needsIdentity && !limit.isUnknown {
            let users = sites.filter { $0.settings.limits.contains { $0.value == limit.name.value } }
            guard !users.isEmpty, users.allSatisfy({ $0.entries.isEmpty }) else { continue }
            reader.error(
                "rateLimits.\(limit.name.value): no endpoint with this limit requires an identity: add require, or "
                    + "count by client", at: limit.name.place)
        }
    }

    /// On a loopback address all connections come from a proxy on this machine, or from tests. Where the file
    /// does not say it, arguments and the environment may.
    private func warnOfLimitsByProxy() {
        let (settings, changes) = (document.settings, document.changes)
        guard reader.problems.errorCount == 0, settings.clients.trusted.isEmpty,
            !changes.isUnknown("clients.trusted"), !changes.isUnknown("listen.host"),
            changes.place(of: "listen.host") != nil,
            SocketAddress(host: settings.host, port: 0)?.isLoopback == true
        else { return }
        for limit in document.rateLimits
        where limit.limit.key.contains(.client) && !limit.isUnknown
            && reader.usedLimits.contains(limit.name.value)
        {
            reader.problems.warning(
                "rateLimits.\(limit.name.value): on a loopback address, all requests have the address of the proxy "
                    + "in front; clients.trusted names the proxies that tell who the client is",
                at: limit.keyPlace)
        }
    }
}
