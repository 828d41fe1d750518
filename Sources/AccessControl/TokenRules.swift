public import Crypto

/// What a token must be to be accepted (RFC 8725 3).
public struct TokenRules: Sendable, Hashable {
    /// The accepted values of `alg`.
    public var algorithms: [SignatureAlgorithm]
    /// The value of `iss`, compared exactly.
    public var issuer: String
    /// `aud` must contain one of these.
    public var audience: [String]
    /// Claims that must be there and not null.
    public var required: [String]
    /// How many seconds the clocks of issuer and gateway may differ. Default 30.
    public var leeway: Int64
    /// The value of `typ`, such as `at+jwt` (RFC 9068 2.1). nil: any.
    public var type: String?

    /// Creates rules.
    public init(
        algorithms: [SignatureAlgorithm], issuer: String, audience: [String], required: [String] = [],
        leeway: Int64 = 30, type: String? = nil
    ) {
        self.algorithms = algorithms
        self.issuer = issuer
        self.audience = audience
        self.required = required
        self.leeway = leeway
        self.type = type
    }

    /// Whether keys for these rules may be secrets: HS256 must be the only algorithm. A secret together
    /// with public keys is the confusion of RFC 8725 2.1.
    public var allowsSecrets: Bool { algorithms == [.hs256] }

    /// Returns what is wrong with a list of algorithms, in words for a configuration; nil if nothing is.
    public static func fault(of algorithms: [SignatureAlgorithm]) -> String? {
        guard let first = algorithms.first else { return "at least one algorithm is needed" }
        if algorithms.contains(.hs256), let other = algorithms.first(where: { $0 != .hs256 }) {
            return "with HS256 and \(other.name) together, a public key could sign tokens"
        }
        var known: Set<SignatureAlgorithm> = []
        let repeated = algorithms.first { !known.insert($0).inserted } ?? first
        return known.count == algorithms.count ? nil : "\(repeated.name) is listed twice"
    }
}
