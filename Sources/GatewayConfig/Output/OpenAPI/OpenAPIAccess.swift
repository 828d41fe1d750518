import ASCIIText
import EndpointPlans
import GatewayCore
import HTTPModel

/// Who may call endpoints, and how often. What a variable names is left out.
struct OpenAPIAccess {
    /// The fields that tell a client of limits.
    static let limitFields = ["RateLimit", "RateLimit-Policy"]

    let document: ConfigDocument

    init(_ document: ConfigDocument) { self.document = document }

    // MARK: Credentials

    /// The schemes of the entries that endpoints require.
    var schemes: OpenAPISchemas.Members {
        let used = Set(allSettings.flatMap(entries).map(\.name.value))
        var schemes = document.auth.filter { used.contains($0.name.value) }.map { entry in
            (name: Self.schemeName(entry), value: Self.scheme(entry))
        }
        if allSettings.contains(where: isHidden) {
            schemes.append(
                (
                    Self.hiddenScheme,
                    Self.apiKey(
                        in: "header", HTTPFieldName.authorization.description,
                        "A credential. It may be in another field.")
                ))
        }
        return schemes
    }

    /// Stands for entries that only variables describe. No entry has a point in its name.
    private static let hiddenScheme = "auth.unknown"

    /// Whether an endpoint needs a credential of which a variable says what it is, or where.
    private func isHidden(_ settings: PlannedSettings) -> Bool {
        settings.requirement?.entries.isEmpty == false && entries(of: settings).isEmpty
    }

    /// Returns the member with the alternatives of credentials; nothing if a client needs none.
    ///
    /// - Parameter passing: the scheme of the credentials that pass to upstreams; nil if none do.
    func security(of settings: PlannedSettings, passing: String?) -> OpenAPISchemas.Members {
        let scopes = (settings.requirement?.scopes ?? []).filter { !document.isSubstituted($0.place) }
        let needed = SchemaTree.list(scopes.map { .text($0.value) })
        let passed: OpenAPISchemas.Members = passing.map { [($0, .list([]))] } ?? []
        var alternatives: [OpenAPISchemas.Members] = []
        if isHidden(settings) { alternatives.append([(Self.hiddenScheme, needed)]) }
        for entry in entries(of: settings) {
            let own: OpenAPISchemas.Members = [(Self.schemeName(entry), needed)]
            alternatives.append(own)
            // A credential that stands in the field itself passes with it.
            if !passed.isEmpty, !entry.sources.contains(.field(.authorization)) {
                alternatives.append(own + passed)
            }
        }
        let isOpen = settings.requirement?.entries.isEmpty ?? true
        if isOpen || settings.requirement?.isOptional == true {
            // Nothing to say if nothing is sent.
            if !alternatives.isEmpty || !passed.isEmpty {
                alternatives.insert([], at: 0)
                if !passed.isEmpty { alternatives.insert(passed, at: 1) }
            }
        }
        guard !alternatives.isEmpty else { return [] }
        return [("security", .list(alternatives.map { .object($0) }))]
    }

    /// The entries that an endpoint requires, in the order of the file.
    private func entries(of settings: PlannedSettings) -> [ConfigAuth] {
        let names = (settings.requirement?.entries ?? []).filter { !document.isSubstituted($0.place) }
        let known = Set(names.map(\.value))
        return document.auth.filter { known.contains($0.name.value) && !$0.hidesSource }
    }

    private var allSettings: [PlannedSettings] {
        document.endpoints.map(\.settings) + document.proxies.map(\.settings)
    }

    /// Credentials that pass have the name of their field.
    private static func schemeName(_ entry: ConfigAuth) -> String {
        let name = entry.name.value
        return name == HTTPFieldName.authorization.description ? "\(name)-2" : name
    }

    private static func scheme(_ entry: ConfigAuth) -> SchemaTree {
        switch entry.method {
        case .apiKeys(let keys):
            return apiKey(in: "header", keys.header.description, "A key.")
        case .jwt(let tokens):
            if let cookie = tokens.cookie { return apiKey(in: "cookie", cookie, "A signed token (JWT).") }
            return .object([
                ("type", .text("http")), ("scheme", .text("bearer")), ("bearerFormat", .text("JWT")),
            ])
        case .clientCertificate:
            return .object([
                ("type", .text("mutualTLS")), ("description", .text("A certificate of the client.")),
            ])
        case .authorize(let authorizer):
            let names = authorizer.forward.map(\.description)
            return apiKey(
                in: "header", names.first ?? "",
                names.count > 1
                    ? "Another service decides by any of \(Words.list(names, "and"))."
                    : "Another service decides whether it is accepted.")
        }
    }

    private static func apiKey(in place: String, _ name: String, _ description: String) -> SchemaTree {
        .object([
            ("type", .text("apiKey")), ("in", .text(place)), ("name", .text(name)),
            ("description", .text(description)),
        ])
    }

    // MARK: Refusals

    /// Returns the statuses with which the gateway refuses callers.
    ///
    /// - Parameter canWrite: whether a method other than GET is served.
    func statuses(of settings: PlannedSettings, canWrite: Bool) -> Set<OpenAPIFailure.Status> {
        var statuses: Set<OpenAPIFailure.Status> = []
        let names = Set(settings.requirement?.entries.map(\.value) ?? [])
        if !names.isEmpty { statuses = [.unauthorized, .forbidden] }
        let named = document.auth.filter { names.contains($0.name.value) }
        if canWrite, settings.csrf ?? true,
            !settings.cookies.isEmpty
                || named.contains(where: \.isSentByBrowsers)
        {
            statuses.insert(.forbidden)
        }
        let asksService = named.contains { if case .authorize = $0.method { true } else { false } }
        if asksService || !settings.limits.isEmpty { statuses.insert(.tooManyRequests) }
        return statuses
    }

    /// Whether an endpoint has limits.
    var hasLimits: Bool { allSettings.contains { !$0.limits.isEmpty } }

    /// Returns the fields of an answer that tell of limits.
    func fields(of settings: PlannedSettings) -> [String] {
        let names = Set(settings.limits.map(\.value))
        let hasFields = document.rateLimits.contains { names.contains($0.name.value) && $0.limit.headers }
        return hasFields ? Self.limitFields : []
    }
}
