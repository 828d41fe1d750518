import AccessControl
import HTTPModel

/// What an endpoint asks of its requests. Nil at an endpoint that asks nothing.
final class AccessPlan: Sendable {
    /// The endpoint's name, by which limits count: `GET /products/{id}`.
    let endpoint: String
    /// In the order of the requirement. Empty at an endpoint that everybody may call.
    let entries: [AuthEntry]
    let isOptional: Bool
    let rule: AccessRule
    /// Equal rules of a gateway have one number.
    let ruleNumber: Int
    /// Nil where pages of other sites may write, and for methods that only read.
    let crossOrigin: CrossOriginRule?
    /// Nil without limits.
    let limits: EndpointLimits?
    /// Whether upstreams may get fields about the caller.
    let sends: Bool
    /// Whether an entry has tokens, which are valid for a time.
    let hasTokens: Bool
    /// What a request without a credential lacks, for the log.
    let missingCredential: String
    /// The answer to a request without a credential.
    let noCredential: GatewayError
    /// For each entry with tokens, those that read the same field, itself included: the unverified `iss`
    /// chooses among them. Empty for any other entry.
    private let peers: [[TokenPeer]]

    struct TokenPeer: Sendable {
        let entry: AuthEntry
        let tokens: TokenEntry
    }

    init(
        endpoint: String, entries: [AuthEntry], isOptional: Bool, rule: AccessRule, ruleNumber: Int,
        crossOrigin: CrossOriginRule?, limits: EndpointLimits?
    ) {
        self.endpoint = endpoint
        self.entries = entries
        self.isOptional = isOptional
        self.rule = rule
        self.ruleNumber = ruleNumber
        self.crossOrigin = crossOrigin
        self.limits = limits
        sends = entries.contains { !$0.send.isEmpty }
        hasTokens = entries.contains { if case .tokens = $0.kind { true } else { false } }
        var credentials: [String] = []
        for name in entries.flatMap(\.credentials) where !credentials.contains(name) {
            credentials.append(name)
        }
        missingCredential = "the request has no credential: no \(credentials.joined(separator: ", no "))"
        noCredential = .noCredential(entries)
        let all = entries.map { entry -> TokenPeer? in
            if case .tokens(let tokens) = entry.kind { TokenPeer(entry: entry, tokens: tokens) } else { nil }
        }
        peers = all.map { own in
            own.map { own in all.compactMap { $0?.tokens.cookie == own.tokens.cookie ? $0 : nil } } ?? []
        }
    }

    /// Returns what the log says of a request without a credential of these entries.
    ///
    /// - Parameter certificate: of the connection, which no entry accepts; nil without one.
    func missing(_ certificate: ClientCertificate?) -> (result: AccessNote.Result, reason: String) {
        let readsCertificates = entries.contains { if case .certificate = $0.kind { true } else { false } }
        guard certificate != nil, readsCertificates else { return (.none, missingCredential) }
        return (.invalid, "no entry accepts a name of the certificate")
    }

    func peers(ofEntry index: Int) -> [TokenPeer] { peers[index] }
}
