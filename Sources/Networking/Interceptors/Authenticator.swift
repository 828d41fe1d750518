public import FoundationEssentials
import HTTPModel
public import Rx

/// What authenticates a request, usually a token.
public protocol AuthenticationCredential: Sendable {
    /// Whether the credential is about to expire, so that the next request refreshes it first. Default false.
    var requiresRefresh: Bool { get }
}

extension AuthenticationCredential {
    /// Default: false.
    public var requiresRefresh: Bool { false }
}

/// Authenticates requests to an API, for `AuthenticationInterceptor` (Alamofire's `Authenticator`).
public protocol Authenticator: Sendable {
    /// The type of credential.
    associatedtype Credential: AuthenticationCredential

    /// Returns the request with the credential, usually in `Authorization`.
    func apply(_ credential: Credential, to request: HTTPRequest) -> HTTPRequest

    /// Returns a new credential for an old one, through a provider without this interceptor. That provider's
    /// policy limits the refresh; the deadline of a request does not.
    func refresh(_ credential: Credential) -> Single<Credential>

    /// Whether the upstream rejected the credential. Default: status 401.
    func didFailAuthentication(dueTo error: NetworkError) -> Bool

    /// Whether the request was sent with this credential. If not, it is sent again with it, without a
    /// refresh.
    func isRequest(_ request: HTTPRequest, authenticatedWith credential: Credential) -> Bool
}

extension Authenticator {
    /// Default: whether the status is 401.
    public func didFailAuthentication(dueTo error: NetworkError) -> Bool { error.statusCode == 401 }
}

/// Why a request could not be authenticated.
public enum AuthenticationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// No credential is set, usually because nobody has logged in.
    case missingCredential
    /// Too many refreshes within `RefreshWindow`: the upstream keeps rejecting the credentials it issues.
    case excessiveRefresh

    /// What is wrong, in words.
    public var description: String {
        switch self {
        case .missingCredential: "no credential is set"
        case .excessiveRefresh: "the credential was refreshed too often"
        }
    }
}

/// A bearer token (RFC 6750) and the token for refreshing it (RFC 6749 6).
public struct BearerCredential: AuthenticationCredential, Hashable {
    /// The token for `Authorization`, without its scheme.
    public var accessToken: String
    /// The refresh token. Nil if the API issues none.
    public var refreshToken: String?
    /// When the access token expires. Nil if unknown.
    public var expiresAt: RxTime?
    /// How long before expiry the token is refreshed. Default 30 s.
    public var leeway: Duration = .seconds(30)

    /// Creates a credential from the tokens of an account service.
    public init(accessToken: String, refreshToken: String? = nil, expiresAt: RxTime? = nil) {
        self.accessToken = accessToken
        self.refreshToken = refreshToken
        self.expiresAt = expiresAt
    }

    /// Whether the token has expired, or expires soon.
    public var requiresRefresh: Bool {
        guard let expiresAt else { return false }
        return expiresAt.timeIntervalSince(RxTime()) < Double(leeway.nanoseconds) / 1e9
    }
}

/// Authenticates with bearer tokens and refreshes them with a closure.
///
///     let accounts = Provider<AccountAPI>()
///     let token = AuthenticationInterceptor(BearerAuthenticator { old in
///         accounts.rx.request(.refresh(old.refreshToken)).map(Tokens.self).map(BearerCredential.init)
///     })
///     let tags = Provider<TagAPI>(interceptor: token)
public struct BearerAuthenticator: Authenticator {
    private let renew: @Sendable (BearerCredential) -> Single<BearerCredential>

    /// Creates an authenticator. The closure must obtain the next token through a provider without this
    /// interceptor.
    public init(refresh: @escaping @Sendable (BearerCredential) -> Single<BearerCredential>) {
        renew = refresh
    }

    /// Sets `Authorization` to the token.
    public func apply(_ credential: BearerCredential, to request: HTTPRequest) -> HTTPRequest {
        request.setAuthToken(credential.accessToken)
    }

    /// Asks the closure for another token.
    public func refresh(_ credential: BearerCredential) -> Single<BearerCredential> { renew(credential) }

    /// Whether the request was sent with this token.
    public func isRequest(_ request: HTTPRequest, authenticatedWith credential: BearerCredential) -> Bool {
        request.headers[.authorization] == "Bearer \(credential.accessToken)"
    }
}
