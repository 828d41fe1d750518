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
    /// Nil where pages of other sites may write.
    let crossOrigin: CrossOriginRule?
    /// Nil without limits.
    let limits: EndpointLimits?
    /// Whether upstreams may get fields about the caller.
    let sends: Bool
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
        let all = entries.map { entry -> TokenPeer? in
            if case .tokens(let tokens) = entry.kind { TokenPeer(entry: entry, tokens: tokens) } else { nil }
        }
        peers = all.map { own in
            own.map { own in all.compactMap { $0?.tokens.cookie == own.tokens.cookie ? $0 : nil } } ?? []
        }
    }

    /// What a request without a credential lacks, for the log.
    var missingCredential: String {
        var names: [String] = []
        for name in entries.flatMap(\.credentials) where !names.contains(name) { names.append(name) }
        return "the request has no credential: no \(names.joined(separator: ", no "))"
    }

    func peers(ofEntry index: Int) -> [TokenPeer] { peers[index] }
}
