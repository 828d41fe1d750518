public import HTTPModel

/// Another service that decides who may call, by the answer to a GET (nginx `auth_request`, Traefik
/// ForwardAuth).
///
///     var session = AuthorizerSettings(upstream: "session", get: "/oauth2/auth", forward: [.cookie])
///     session.take = [TakenField("sub", from: "X-Auth-Request-User")]
///     session.answer = [.setCookie]
///     gateway.auth("web", .authorize(session))
public struct AuthorizerSettings: Sendable, Hashable {
    /// The upstream that decides.
    public var upstream: String
    /// The path that is asked.
    public var get: String
    /// The client's fields that it gets. Any of them is a credential. Default `Authorization`.
    public var forward: [HTTPFieldName]
    /// Fields of its response that become claims.
    public var take: [TakenField] = []
    /// Fields of its response that the client gets with any answer, such as `Set-Cookie`. Default none.
    public var answer: [HTTPFieldName] = []
    /// The time of the call, with its retries. Default 1 s.
    public var timeout = Duration.seconds(1)

    /// Creates settings with the default values.
    public init(upstream: String, get: String, forward: [HTTPFieldName] = [.authorization]) {
        self.upstream = upstream
        self.get = get
        self.forward = forward
    }

    /// Settings without an upstream.
    package init() { self.init(upstream: "", get: "") }
}

/// A field of an authorizer's response that becomes a claim.
public struct TakenField: Sendable, Hashable {
    /// The name of the claim: `sub`.
    public var claim: String
    /// The field with its value.
    public var field: HTTPFieldName

    /// Creates a claim from a field.
    public init(_ claim: String, from field: HTTPFieldName) {
        self.claim = claim
        self.field = field
    }
}
