import ASCIIText
import EndpointPlans
import EventIO
import GatewayCore
import HTTPModel

extension AccessCheck {
    /// Where some endpoints have a requirement, an endpoint without one may be a mistake.
    func warnOfOpenEndpoints() {
        guard reader.problems.errorCount == 0, sites.contains(where: { !$0.entries.isEmpty }) else { return }
        for site in sites where site.settings.requirement == nil {
            reader.problems.warning(
                "everyone may call this endpoint, though others have require; write require: none if that is intended",
                at: site.place)
        }
    }

    /// A warning, because a flag may set the authorities.
    func warnOfUnseenCertificates() {
        guard reader.problems.errorCount == 0, document.settings.tls?.clients == nil else { return }
        for entry in document.auth where entry.readsCertificate {
            reader.problems.warning(
                "\(Self.shown(entry)).clientCertificate: the gateway asks no client for a certificate, because the "
                    + "file has no listen.tls.clients; only --tls-client-ca could set the authorities",
                at: entry.name.place)
        }
    }

    /// Where every entry has names, a name that the handshake lets in and no entry accepts may be a mistake.
    func warnOfUnknownCertificates() {
        guard reader.problems.errorCount == 0, let allowed = document.settings.tls?.clients?.names,
            !document.changes.isUnknown("listen.tls.clients.names"),
            let place = document.changes.place(of: "listen.tls.clients.names")
        else { return }
        var accepted: [String] = []
        for entry in document.auth {
            guard case .clientCertificate(let settings) = entry.method else { continue }
            guard !settings.names.isEmpty else { return }
            accepted += settings.names
        }
        guard !accepted.isEmpty else { return }
        let names = CertificateNames(accepted)
        for name in allowed
        where names.match(dnsNames: [name], uris: [name]) == nil
            && CertificateNames([name]).match(dnsNames: accepted, uris: accepted) == nil
        {
            reader.problems.warning(
                reader.redacted("listen.tls.clients.names: no entry of auth accepts \"\(Shown.text(name))\""),
                at: place)
        }
    }

    func warnOfUnused() {
        guard reader.problems.errorCount == 0, !reader.hasOtherEndpoints else { return }
        for entry in document.auth
        where !reader.usesUnknownAuth && !reader.usedAuth.contains(entry.name.value) {
            reader.problems.warning("no endpoint requires \(Self.shown(entry))", at: entry.name.place)
        }
        for limit in document.rateLimits
        where !reader.usesUnknownLimit && !reader.usedLimits.contains(limit.name.value) {
            reader.problems.warning(
                "no endpoint has the limit \"\(limit.name.value)\"", at: limit.name.place)
        }
        for store in document.stores
        where !reader.usesUnknownStore && !reader.usedStores.contains(store.name.value) {
            reader.problems.warning("no limit uses the store \"\(store.name.value)\"", at: store.name.place)
        }
    }

    /// A key is a secret between the client and the gateway.
    func warnOfForwardedKeys() {
        for entry in document.auth {
            guard case .apiKeys(let keys) = entry.method, knowsSource(of: entry) else { continue }
            let shown = entry.hidesSource ? "the field" : keys.header.description
            for reference in sites.flatMap(\.calls).flatMap(\.references)
            where reference.field == keys.header {
                reader.problems.warning(
                    "\(reference.text): \(shown) has the key of \(Self.shown(entry)), which upstreams would learn; "
                        + "auth.\(entry.name.value).send tells them who calls", at: reference.place)
            }
            for site in sites {
                for (member, fields) in [("forward", site.settings.forward), ("requestHeaders", site.passed)]
                {
                    for field in fields
                    where field.value == keys.header && !reader.unread.contains(field.place) {
                        reader.problems.warning(
                            "\(member): \(shown) has the key of \(Self.shown(entry)), which upstreams would "
                                + "learn; auth.\(entry.name.value).send tells them who calls", at: field.place
                        )
                    }
                }
            }
        }
    }

    /// Whoever reads the log could call with the credential. An authorizer may get other fields, too, such as
    /// a language, so these are only warnings.
    func checkLoggedCredentials() {
        guard !document.changes.isUnknown("log.fields"), let place = document.changes.place(of: "log.fields")
        else { return }
        for entry in document.auth where knowsSource(of: entry) {
            let logged = document.settings.logFields.names
            switch entry.method {
            case .apiKeys(let keys) where logged.contains(keys.header):
                let shown = entry.hidesSource ? "a field" : keys.header.description
                reader.error(
                    reader.redacted(
                        "log.fields: \(shown) carries the key of \(Self.shown(entry)), which no log may have"),
                    at: place)
            case .authorize(let authorizer):
                for field in authorizer.forward where logged.contains(field) {
                    let shown = entry.hidesSource ? "a field" : field.description
                    reader.problems.warning(
                        reader.redacted(
                            "log.fields: \(shown) is a credential for \(Self.shown(entry)): remove it, unless it "
                                + "has no secret"),
                        at: place)
                }
            case .apiKeys, .jwt, .clientCertificate: break
            }
        }
    }

    /// A browser sends a script's request only if the preflight allows its fields.
    func warnOfHeadersThatScriptsLack() {
        guard reader.problems.errorCount == 0, let cors = document.settings.cors,
            !document.changes.isUnknown("cors.headers"),
            let place = document.changes.place(of: "cors.headers") ?? document.changes.place(of: "cors")
        else { return }
        var known = Set(cors.headers)
        for entry in document.auth where reader.usedAuth.contains(entry.name.value) && knowsSource(of: entry)
        {
            for source in entry.sources where source.field != .cookie && known.insert(source.field).inserted {
                let shown = entry.hidesSource ? "a field" : source.field.description
                reader.problems.warning(
                    "cors.headers lacks \(shown), which \(Self.shown(entry)) reads, so that scripts of other "
                        + "origins cannot send it", at: place)
            }
        }
    }
}

extension AccessCheck {
    /// A browser sends a cookie with the requests of any page, so `csrf` is the only guard of writes.
    func warnOfForgeableWrites() {
        for site in sites where site.canWrite {
            guard let csrf = site.settings.$csrf, !csrf.value, !reader.unread.contains(csrf.place) else {
                continue
            }
            for entry in entries(of: site) where knowsSource(of: entry) && entry.isSentByBrowsers {
                let name = entry.hidesSource ? "an entry" : Self.shown(entry)
                let credential = entry.readsCertificate ? "certificate" : "cookie"
                reader.problems.warning(
                    "csrf: \(name) reads a \(credential), so pages of other sites can write in the name of a user; "
                        + "require an entry that reads no \(credential), or leave csrf on", at: csrf.place)
            }
        }
    }

    /// Scripts of other origins send cookies only if the policy says so. Whoever means it writes `false`.
    func warnOfCookiesThatScriptsLack() {
        guard reader.problems.errorCount == 0, document.settings.cors != nil,
            !document.changes.has("cors.credentials"), let place = document.changes.place(of: "cors")
        else { return }
        for site in sites {
            let entries = entries(of: site)
            // Other credentials may be for scripts.
            guard entries.count == site.entries.count, entries.allSatisfy(knowsSource),
                entries.allSatisfy({ $0.sources.allSatisfy { $0.field == .cookie } })
            else { continue }
            for entry in entries {
                let shown =
                    entry.hidesSource ? "credential" : entry.readsCertificate ? "certificate" : "cookie"
                reader.problems.warning(
                    "cors.credentials is not set, so that scripts of other origins cannot send the \(shown) that "
                        + "\(Self.shown(entry)) reads", at: place)
            }
        }
    }

    /// The name of a claim without braces is a text, and all callers have the same one.
    func warnOfConstantClaims() {
        for entry in document.auth {
            var claims = Self.commonClaims
            switch entry.method {
            case .jwt(let tokens): claims.formUnion(tokens.required)
            case .authorize(let authorizer): claims.formUnion(authorizer.take.map(\.claim))
            case .clientCertificate: claims.formUnion(["dns", "uris", "sha256"])
            case .apiKeys: break
            }
            for field in entry.sent where !document.isSubstituted(field.value.place) {
                guard let text = field.value.value.constant else { continue }
                let claim = text.hasPrefix("claims.") ? String(text.dropFirst(7)) : text
                guard claim != text || claims.contains(claim) else { continue }
                let shown = Shown.text(text)
                reader.problems.warning(
                    "\(Self.shown(entry)).send.\(field.name.value): \"\(shown)\" is the same text for every caller; "
                        + "write \"{claims.\(Shown.text(claim))}\"", at: field.value.place)
            }
        }
    }

    /// Claims of RFC 7519, RFC 9068 and OpenID Connect, and others that many issuers have.
    private static let commonClaims: Set<String> = [
        "iss", "sub", "aud", "jti", "sid", "azp", "client_id", "scope", "scp", "roles", "groups",
        "entitlements", "name", "given_name", "family_name", "nickname", "preferred_username", "username",
        "email", "phone_number", "locale", "tenant", "tid", "oid", "org_id", "plan",
    ]

    /// A default for all endpoints does not count callers without an identity.
    func warnOfLimitsThatCountNobody() {
        guard reader.problems.errorCount == 0 else { return }
        let limits = Dictionary(document.rateLimits.map { ($0.name.value, $0) }) { first, _ in first }
        for site in sites where site.entries.isEmpty && !site.settings.limits.isEmpty {
            let own = site.settings.limits.compactMap { limits[$0.value] }
            guard own.count == site.settings.limits.count,
                own.allSatisfy({ $0.limit.needsIdentity && !$0.isUnknown })
            else { continue }
            let names = Words.list(own.map { "rateLimits.\($0.name.value)" }, "and")
            reader.problems.warning(
                "\(names) \(own.count == 1 ? "does" : "do") not count the requests of this endpoint, which requires no "
                    + "identity; write rateLimits: none if that is intended", at: site.place)
        }
    }
}

/// Checks that fields about the caller come from the gateway alone.
struct SentFieldCheck {
    let access: AccessCheck
    /// The fields that entries send, each with the first entry.
    private let senders: [CGIName: (field: HTTPFieldName, entry: String)]

    private var reader: ConfigReader { access.reader }

    init(access: AccessCheck) {
        self.access = access
        var senders: [CGIName: (field: HTTPFieldName, entry: String)] = [:]
        for entry in access.document.auth {
            for field in entry.sent where !access.reader.unread.contains(field.name.place) {
                let name = CGIName(field.name.value)
                if senders[name] == nil { senders[name] = (field.name.value, AccessCheck.shown(entry)) }
            }
        }
        self.senders = senders
    }

    func run() {
        guard !senders.isEmpty else { return }
        for entry in access.document.auth where access.knowsSource(of: entry) {
            guard case .authorize(let authorizer) = entry.method else { continue }
            // The service verifies these two, so it may get a client's while an entry sends its own.
            for name in authorizer.forward where name != .authorization && name != .cookie {
                guard let sender = senders[CGIName(name)] else { continue }
                reader.error(
                    "\(AccessCheck.shown(entry)).authorize.forward: \(sender.field) is sent by \(sender.entry), so a "
                        + "client's would be taken for it", at: entry.place(of: "authorize.forward"))
            }
        }
        for site in access.sites {
            check("forward", site.settings.forward)
            check("requestHeaders", site.passed)
            let own = access.entries(of: site)
            for call in site.calls { check(call, own) }
            check(site, own)
        }
    }

    /// Fields that a client sends.
    private func check(_ member: String, _ fields: [Located<HTTPFieldName>]) {
        for field in fields where !reader.unread.contains(field.place) {
            // The value of a variable is not shown, but the name that `send` has.
            guard let sender = senders[CGIName(field.value)] else { continue }
            reader.error(
                "\(member): \(sender.field) is sent by \(sender.entry), so a client's would be taken for it",
                at: field.place)
        }
    }

    /// Fields of a call.
    private func check(_ call: PlannedCall, _ entries: [ConfigAuth]) {
        for header in call.headers {
            let name = header.name.value
            guard let sender = senders[CGIName(name)] else { continue }
            if let reference = header.value.value.references.first(where: { isClients($0, of: call) }) {
                reader.error(
                    "headers: \(name) is sent by \(sender.entry), so \(reference.text) of a client would be taken for it",
                    at: header.value.place)
            } else if let own = entries.first(where: { $0.sends(name) }) {
                reader.error(
                    "headers: \(name) is sent by \(AccessCheck.shown(own)) with each call of this endpoint",
                    at: header.name.place)
            }
        }
    }

    /// Whether a client chooses the value of a reference.
    private func isClients(_ reference: PlanReference, of call: PlannedCall) -> Bool {
        switch reference.source {
        case .path, .query, .header, .body: true
        case .item: if case .body? = call.items?.source.source { true } else { false }
        case .claims, .step, .part: false
        }
    }

    /// Credentials that pass, and that an entry replaces.
    private func check(_ site: AccessCheck.Site, _ entries: [ConfigAuth]) {
        let passed: [(String, HTTPFieldName, [Located<String>])] = [
            ("credentials", .authorization, site.settings.credentials),
            ("cookies", .cookie, site.settings.cookies),
        ]
        for (member, name, upstreams) in passed {
            guard let place = upstreams.first?.place, let own = entries.first(where: { $0.sends(name) })
            else {
                continue
            }
            reader.error(
                "\(member): \(AccessCheck.shown(own)) sends \(name), so the client's cannot pass", at: place)
        }
    }
}

extension PlanReference {
    /// The field of the client that it reads.
    fileprivate var field: HTTPFieldName? {
        if case .header(let name) = source { HTTPFieldName(name) } else { nil }
    }
}

extension ConfigAuth {
    /// Whether upstreams get a field of this name from the entry.
    fileprivate func sends(_ name: HTTPFieldName) -> Bool {
        let name = CGIName(name)
        return sent.contains { CGIName($0.name.value) == name }
    }
}
