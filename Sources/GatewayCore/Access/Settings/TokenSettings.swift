@_exported public import enum Crypto.SignatureAlgorithm

/// Which signed tokens are accepted (RFC 7519, RFC 8725).
///
///     var tokens = TokenSettings(
///         keys: .upstream("id", get: "/jwks.json"), algorithms: [.es256], issuer: "https://id.example",
///         audience: ["app"])
///     tokens.required = ["exp", "sub"]
///     gateway.auth("mobile", .jwt(tokens))
public struct TokenSettings: Sendable, Hashable {
    /// Where the keys are that verify signatures.
    public enum Keys: Sendable, Hashable {
        /// A key set (RFC 7517) that an upstream serves at this path. The upstream's URL must be `https`, a
        /// Unix socket or a loopback address.
        case upstream(String, get: String)
        /// A key set in the file at this path.
        case file(String)
    }

    /// Where the keys are. Nil is a fault of the declaration.
    public var keys: Keys?
    /// The accepted signature algorithms. HS256 stands alone, and its keys come from a file.
    public var algorithms: [SignatureAlgorithm] = []
    /// What `iss` must equal.
    public var issuer = ""
    /// One of these must be in `aud`.
    public var audience: [String] = []
    /// Claims that each token must have. Default `exp`.
    public var required = ["exp"]
    /// How far clocks may differ when `exp` and `nbf` are checked. Default 30 s.
    public var leeway = Duration.seconds(30)
    /// What `typ` must be, such as `at+jwt` (RFC 9068). Default nil: anything.
    public var type: String?
    /// The cookie that has the token, instead of `Authorization`. Default nil.
    public var cookie: String?
    /// What the file of the keys contains; nil if the gateway reads it.
    package var contents: [UInt8]?

    /// Creates settings with the default values.
    public init(keys: Keys, algorithms: [SignatureAlgorithm], issuer: String, audience: [String]) {
        self.keys = keys
        self.algorithms = algorithms
        self.issuer = issuer
        self.audience = audience
    }

    /// Settings without keys.
    package init() {}
}
