import ASCIIText
import AccessControl
import EndpointPlans
import HTTPModel
import Networking
import Synchronization

/// The entries and limits of one generation of a gateway, made from its declarations.
struct AccessDirectory: Sendable {
    /// By name.
    private(set) var entries: [String: AuthEntry] = [:]
    /// In the order of the declarations.
    private(set) var limits: [KeptLimit] = []
    /// The keys of the entries with tokens, and where they come from; nil for a file.
    private(set) var keys: [(keys: SigningKeys, source: SigningKeys.Source?)] = []
    /// The names of the entries that send fields, by the fields' names.
    private(set) var sent: [CGIName: String] = [:]
    private(set) var faults: [String] = []
    /// In the order of the declarations.
    let names: [String]

    private let environment: GatewayEnvironment
    private let cors: CORSPolicy?
    private var ruleNumbers: [AccessRule: Int] = [:]
    /// The limits that an endpoint with a requirement has.
    private var limitsOfKnownCallers: Set<String> = []
    private var usedLimits: Set<String> = []

    /// - Parameter gateway: makes the providers of calls to authorizers and key sets.
    init(_ declarations: AccessDeclarations, of gateway: Gateway) {
        environment = gateway.environment
        cors = gateway.cors
        names = declarations.entries.map(\.name)
        if names.count > AccessDeclarations.mostEntries {
            faults.append("auth has \(names.count) entries, more than \(AccessDeclarations.mostEntries)")
        }
        for declaration in declarations.entries { add(declaration, gateway) }
        for (name, limit) in declarations.limits { add(limit, named: name) }
    }

    // MARK: - Entries

    private mutating func add(_ declaration: AuthDeclaration, _ gateway: Gateway) {
        let subject = "auth.\(declaration.name)"
        if !AccessDeclarations.isName(declaration.name) {
            faults.append(
                "\"\(declaration.name)\" is not a name for an entry of auth: \(AccessDeclarations.nameRule)")
        }
        if entries[declaration.name] != nil { faults.append("\(subject) is declared twice") }
        for field in declaration.send {
            if let fault = field.fault { faults.append("\(subject) \(fault)") }
            sent[CGIName(field.name)] = declaration.name
        }
        let kind: AuthEntry.Kind?
        switch declaration.method {
        case .apiKeys(let settings): kind = keyEntry(settings, declaration).map { .keys($0) }
        case .jwt(let settings): kind = tokenEntry(settings, declaration, gateway).map { .tokens($0) }
        case .authorize(let settings):
            kind = authorizerEntry(settings, subject, gateway).map { .authorizer($0) }
        case .clientCertificate(let settings):
            kind = .certificate(certificateEntry(settings, subject))
        }
        guard let kind else { return }
        entries[declaration.name] = AuthEntry(name: declaration.name, kind: kind, send: declaration.send)
    }

    private mutating func certificateEntry(
        _ settings: ClientCertificateSettings, _ subject: String
    ) -> CertificateEntry {
        let subject = "\(subject).clientCertificate"
        if !environment.seesCertificates {
            faults.append(
                "\(subject): the gateway asks no client for a certificate: set the authorities of clients, with "
                    + "--tls-client-ca or listen.tls.clients")
        }
        for name in settings.names {
            if let fault = CertificateNames.fault(of: name) {
                faults.append("\(subject).names: \"\(name)\" \(fault)")
            }
        }
        return CertificateEntry(settings)
    }

    private mutating func keyEntry(_ settings: APIKeySettings, _ declaration: AuthDeclaration) -> KeyEntry? {
        let subject = "auth.\(declaration.name).apiKeys"
        if TransportFields.areInRequest(settings.header) {
            faults.append("\(subject): no client can send the header \(settings.header)")
        }
        guard let table = keyTable(settings, subject) else { return nil }
        return KeyEntry(declaration.name, settings.header, table, send: declaration.send)
    }

    private mutating func keyTable(_ settings: APIKeySettings, _ subject: String) -> APIKeyTable? {
        if let table = settings.table { return table }
        guard
            let contents = contents(
                settings.contents, of: settings.file, subject, atMost: APIKeyTable.maxLength)
        else { return nil }
        do throws(APIKeyFault) {
            return try APIKeyTable(parsing: contents[...])
        } catch {
            faults.append(
                "\(subject): \(settings.file.isEmpty ? "" : "\(settings.file), ")\(error.description)")
            return nil
        }
    }

    private mutating func tokenEntry(
        _ settings: TokenSettings, _ declaration: AuthDeclaration, _ gateway: Gateway
    ) -> TokenEntry? {
        let subject = "auth.\(declaration.name).jwt"
        let count = faults.count
        if let fault = TokenRules.fault(of: settings.algorithms) {
            faults.append("\(subject).algorithms: \(fault)")
        }
        if settings.issuer.isEmpty { faults.append("\(subject) needs an issuer") }
        if settings.audience.isEmpty { faults.append("\(subject) needs an audience") }
        if settings.leeway < .zero { faults.append("\(subject).leeway is less than zero") }
        // The times in tokens are whole seconds.
        let (seconds, rest) = settings.leeway.nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        let rules = TokenRules(
            algorithms: settings.algorithms, issuer: settings.issuer, audience: settings.audience,
            required: settings.required, leeway: seconds + (rest > 0 ? 1 : 0),
            type: settings.type)
        guard let keys = signingKeys(settings, rules, declaration, gateway), faults.count == count else {
            return nil
        }
        return TokenEntry(
            cookie: settings.cookie.map { Array($0.utf8) }, verifier: TokenVerifier(rules), keys: keys)
    }

    private mutating func signingKeys(
        _ settings: TokenSettings, _ rules: TokenRules, _ declaration: AuthDeclaration, _ gateway: Gateway
    ) -> SigningKeys? {
        let subject = "auth.\(declaration.name).jwt.keys"
        switch settings.keys {
        case nil:
            faults.append("\(subject): it must be an upstream or a file")
            return nil
        case .file(let path):
            guard
                let contents = contents(
                    settings.contents, of: path, subject, atMost: KeySet.maxLength)
            else { return nil }
            var read = settings
            read.contents = contents
            return fixedKeys(read, rules, declaration, subject)
        case .upstream(let name, let path):
            if rules.algorithms.contains(.hs256) {
                faults.append("\(subject): the keys of HS256 are secrets, so they must be in a file")
                return nil
            }
            guard let provider = provider(of: name, at: path, subject, gateway),
                let upstream = provider.configuredUpstream
            else { return nil }
            guard upstream.unixSocketPath != nil || upstream.baseURLs.allSatisfy(\.isProtected) else {
                faults.append(
                    "\(subject): the upstream \"\(name)\" is reached by http, so anyone on the network path could "
                        + "replace the keys: use https, a Unix socket or an address of this machine")
                return nil
            }
            let identity = SigningKeys.Identity(
                entry: declaration.name, settings: settings, send: declaration.send,
                addresses: upstream.baseURLs.map { "\($0)" } + [upstream.unixSocketPath ?? ""])
            let source = SigningKeys.Source(
                entry: declaration.name, path: RequestPath(encoded: path),
                headers: gateway.declarations.callFields(of: name),
                provider: provider, transport: environment.transport, report: environment.reportAccess)
            let keys =
                environment.access.keys(identity)
                ?? SigningKeys(identity, from: source, pause: environment.access.unknownKeyPause)
            self.keys.append((keys, source))
            return keys
        }
    }

    private mutating func fixedKeys(
        _ settings: TokenSettings, _ rules: TokenRules, _ declaration: AuthDeclaration, _ subject: String
    ) -> SigningKeys? {
        let identity = SigningKeys.Identity(
            entry: declaration.name, settings: settings, send: declaration.send, addresses: [])
        do throws(KeySetFault) {
            let set = try KeySet(
                parsing: (settings.contents ?? [])[...], allowsSecrets: rules.allowsSecrets)
            guard set.fits(settings.algorithms) else {
                faults.append("\(subject): the file has no usable key for the algorithms")
                return nil
            }
            let keys = environment.access.keys(identity) ?? SigningKeys(identity, fixed: set)
            self.keys.append((keys, nil))
            return keys
        } catch {
            faults.append("\(subject): \(error)")
            return nil
        }
    }

    private mutating func authorizerEntry(
        _ settings: AuthorizerSettings, _ subject: String, _ gateway: Gateway
    ) -> AuthorizerEntry? {
        let subject = "\(subject).authorize"
        if settings.forward.isEmpty { faults.append("\(subject).forward: it needs at least one field") }
        for name in settings.forward
        where SentField.isSetByGateway(name) || ClientForwarding.isField(name) {
            faults.append("\(subject).forward: the gateway itself sets \(name)")
        }
        for name in settings.answer
        where Renderer.isGatewayField(name, ofMadeBody: true)
            || CORSPolicy.fields.contains(where: { CGIName($0) == CGIName(name) })
        {
            faults.append("\(subject).answer: the gateway itself sets \(name)")
        }
        if settings.timeout <= .zero { faults.append("\(subject).timeout must be more than 0") }
        guard let provider = provider(of: settings.upstream, at: settings.get, subject, gateway) else {
            return nil
        }
        var headers = gateway.declarations.callFields(of: settings.upstream)
        // Also if the client sends no such field: the gateway's own credential does not stand for a caller's.
        headers.remove(settings.forward.map { CGIName($0) })
        headers.remove { HTTPFieldName(bytes: $0).map(ClientForwarding.isField) ?? false }
        return AuthorizerEntry(settings, provider, headers: headers)
    }

    /// Returns a provider for the gateway's own calls to an upstream. It follows no redirects: they could
    /// lead away from a protected address, or to a login page.
    private mutating func provider(
        of upstream: String, at path: String, _ subject: String, _ gateway: Gateway
    ) -> Provider<AccessTarget>? {
        guard path.utf8.first == UInt8(ascii: "/"), RequestTarget(path) != nil else {
            faults.append("\(subject): \"\(path)\" is not a path")
            return nil
        }
        var policy = gateway.declarations.callPolicy(of: upstream)
        policy.redirects = .never
        if let known = gateway.declarations.upstreams.configured.first(where: { $0.name == upstream }) {
            return Provider(upstream: known, transport: environment.transport, policy: policy)
        }
        let provider = gateway.provider(AccessTarget.self, upstream: upstream, policy: policy)
        guard provider.configuredUpstream != nil else {
            faults.append("\(subject): the upstream \"\(upstream)\" has no address")
            return nil
        }
        return provider
    }

    private mutating func contents(
        _ known: [UInt8]?, of file: String, _ subject: String, atMost most: Int
    ) -> [UInt8]? {
        if let known { return known }
        guard !file.isEmpty else {
            faults.append("\(subject): it needs a file")
            return nil
        }
        do throws(KeyFile.Fault) {
            return try KeyFile.contents(of: file, atMost: most)
        } catch {
            faults.append("\(subject): the file \(file) \(error)")
            return nil
        }
    }

    /// The CORS policy, by which scripts may read the fields of limits, if there are any.
    var exposingCORS: CORSPolicy? {
        guard var policy = cors, !limits.isEmpty else { return cors }
        for name in [HTTPFieldName.rateLimit, .rateLimitPolicy, .retryAfter]
        where !policy.exposedHeaders.contains(name) {
            policy.exposedHeaders.append(name)
        }
        return policy
    }

    // MARK: - Limits

    private mutating func add(_ limit: RateLimit, named name: String) {
        let subject = "rateLimits.\(name)"
        if !AccessDeclarations.isName(name) {
            faults.append("\"\(name)\" is not a name for a limit: \(AccessDeclarations.nameRule)")
        }
        if limits.contains(where: { $0.name == name }) { faults.append("\(subject) is declared twice") }
        let own = limit.faults
        guard own.isEmpty else { return faults += own.map { "\(subject): \($0)" } }
        if let store = limit.store, environment.rateLimitStores[store] == nil {
            faults.append("\(subject): the store \"\(store)\" is not declared")
        }
        limits.append(environment.access.limits.kept(name, limit))
    }

    // MARK: - Endpoints

    /// Returns what an endpoint asks of its requests; nil if it asks nothing. Collects faults.
    ///
    /// - Parameter method: what the endpoint serves. Only what writes is checked for other sites' pages.
    mutating func plan(
        of endpoint: String, _ method: HTTPMethod, _ settings: EndpointSettings
    ) -> AccessPlan? {
        let requirement = settings.requirement ?? .none
        faults += requirement.faults.map { "\(endpoint) \($0)" }
        let entries = requirement.any.compactMap { name in
            let entry = self.entries[name]
            if entry == nil, !names.contains(name) {
                faults.append(
                    "\(endpoint) requires the unknown entry \"\(name)\""
                        + Suggestion.textOrNames(for: name, among: names))
            }
            return entry
        }
        faults += Self.conflicts(among: entries).map { "\(endpoint) \($0)" }
        let limits = endpointLimits(of: endpoint, settings, isKnown: !requirement.isNone)
        let isAmbient =
            entries.contains(where: \.isSentByBrowsers) || !settings.cookieUpstreams.isEmpty
            || settings.passesCookie
        let isChecked = settings.checksCSRF && isAmbient && CrossOriginRule.concerns(method)
        let crossOrigin = isChecked ? CrossOriginRule(cors: cors) : nil
        guard !requirement.isNone || limits != nil || crossOrigin != nil else { return nil }
        let number = ruleNumbers[requirement.rule] ?? AccessPlan.newRuleNumber()
        ruleNumbers[requirement.rule] = number
        return AccessPlan(
            endpoint: endpoint, entries: entries, isOptional: requirement.isOptional,
            rule: requirement.rule, ruleNumber: number, crossOrigin: crossOrigin, limits: limits)
    }

    private mutating func endpointLimits(
        of endpoint: String, _ settings: EndpointSettings, isKnown: Bool
    ) -> EndpointLimits? {
        guard !settings.rateLimits.isEmpty else { return nil }
        usedLimits.formUnion(settings.rateLimits)
        if isKnown { limitsOfKnownCallers.formUnion(settings.rateLimits) }
        let limits = settings.rateLimits.compactMap { name in
            let limit = self.limits.first { $0.name == name }
            if limit == nil {
                faults.append(
                    "\(endpoint) has the unknown limit \"\(name)\""
                        + Suggestion.textOrNames(for: name, among: self.limits.map(\.name)))
            }
            return limit
        }
        guard !limits.isEmpty else { return nil }
        let all = EndpointLimits(limits, stores: environment.rateLimitStores)
        if let fault = all.fault { faults.append("\(endpoint) \(fault)") }
        return all
    }

    /// Two entries on one field would make the order decide who somebody is.
    private static func conflicts(among entries: [AuthEntry]) -> [String] {
        var faults: [String] = []
        for (index, entry) in entries.enumerated() {
            for other in entries[..<index] {
                guard let field = entry.fields.first(where: other.fields.contains) else { continue }
                if case .tokens(let own) = entry.kind, case .tokens(let others) = other.kind {
                    // The issuer chooses between them.
                    guard own.cookie == others.cookie, own.issuer == others.issuer else { continue }
                }
                faults.append(
                    "requires \(other.name) and \(entry.name), which both read \(field): require one of them, or "
                        + "give one a header or cookie of its own")
            }
        }
        return faults
    }

    /// Finds what only the whole of the endpoints shows.
    ///
    /// - Parameter proxies: proxies with the fields that they pass on besides the standard ones.
    mutating func endpointsAreKnown(
        _ endpoints: [Endpoint], proxies: [(path: String, fields: [HTTPFieldName])]
    ) {
        for limit in limits where limit.settings.needsIdentity && usedLimits.contains(limit.name) {
            if !limitsOfKnownCallers.contains(limit.name) {
                faults.append(
                    "rateLimits.\(limit.name): no endpoint with this limit requires an identity: add require, or count "
                        + "by client")
            }
        }
        for name in names {
            guard case .authorizer(let authorizer)? = entries[name]?.kind else { continue }
            // The service verifies these two, so it may get a client's while an entry sends its own.
            let claimed = authorizer.forward.filter { $0 != .authorization && $0 != .cookie }
            check(claimed, of: "auth.\(name).authorize forwards")
        }
        for endpoint in endpoints { check(endpoint.forwarded, of: "\(endpoint.origin.endpoint) forwards") }
        for proxy in proxies { check(proxy.fields, of: "the proxy \(proxy.path) passes on") }
    }

    private mutating func check(_ names: [HTTPFieldName], of subject: String) {
        for name in names {
            guard let entry = sent[CGIName(name)] else { continue }
            faults.append(
                "\(subject) \(name), which auth.\(entry) sends, so a client's would be taken for it")
        }
    }
}

extension AccessPlan {
    private static let ruleNumbers = Atomic(0)

    static func newRuleNumber() -> Int { ruleNumbers.wrappingAdd(1, ordering: .relaxed).oldValue }
}
