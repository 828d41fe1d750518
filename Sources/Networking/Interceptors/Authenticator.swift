public import FoundationEssentials
import HTTPModel
public import Rx

/// What requests show to be let in: a token, mostly.
public protocol AuthenticationCredential: Sendable {
    /// Whether it will not be good for much longer, so that it is refreshed before a request is sent with it. Default false.
    var requiresRefresh: Bool { get }
}

extension AuthenticationCredential {
    public var requiresRefresh: Bool { false }
}

/// How one API is authenticated against: what `AuthenticationInterceptor` asks (Alamofire's `Authenticator`).
public protocol Authenticator: Sendable {
    /// What requests show to be let in.
    associatedtype Credential: AuthenticationCredential

    /// The request with the credential in it, mostly in `Authorization`.
    func apply(_ credential: Credential, to request: HTTPRequest) -> HTTPRequest

    /// Gets a new credential for an old one. Through another provider than the intercepted one. It is held to no request's
    /// deadline, but to the limits of the provider that makes the call.
    func refresh(_ credential: Credential) -> Single<Credential>

    /// Whether the upstream refused the credential. Default: status 401.
    func didFailAuthentication(dueTo error: NetworkError) -> Bool

    /// Whether the request was sent with this very credential: one that was not is sent again with it, without a refresh.
    func isRequest(_ request: HTTPRequest, authenticatedWith credential: Credential) -> Bool
}

extension Authenticator {
    public func didFailAuthentication(dueTo error: NetworkError) -> Bool { error.statusCode == 401 }
}

/// Why a request could not be authenticated.
public enum AuthenticationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// There is no credential: nobody has logged in.
    case missingCredential
    /// Refreshed too often within `RefreshWindow`: the upstream does not take what its own refresh gives.
    case excessiveRefresh

    public var description: String {
        switch self {
        case .missingCredential: "there is no credential"
        case .excessiveRefresh: "the credential was refreshed too often"
        }
    }
}

/// A bearer token (RFC 6750) and the token that gets the next one (RFC 6749 6).
public struct BearerCredential: AuthenticationCredential, Hashable {
    /// What goes into `Authorization`, without its scheme.
    public var accessToken: String
    /// Nil where the API gives none.
    public var refreshToken: String?
    /// Nil where it is not known.
    public var expiresAt: RxTime?
    /// How long before its end it is refreshed. Default 30 s.
    public var leeway: Duration = .seconds(30)

    /// A token as an account service gave it.
    public init(accessToken: String, refreshToken: String? = nil, expiresAt: RxTime? = nil) {
        self.accessToken = accessToken
        self.refreshToken = refreshToken
        self.expiresAt = expiresAt
    }

    public var requiresRefresh: Bool {
        guard let expiresAt else { return false }
        return expiresAt.timeIntervalSince(RxTime()) < Double(leeway.nanoseconds) / 1e9
    }
}

/// Bearer tokens, refreshed by a closure.
///
///     let accounts = Provider<AccountAPI>()
///     let token = AuthenticationInterceptor(BearerAuthenticator { old in
///         accounts.rx.request(.refresh(old.refreshToken)).map(Tokens.self).map(BearerCredential.init)
///     })
///     let tags = Provider<TagAPI>(interceptor: token)
public struct BearerAuthenticator: Authenticator {
    private let renew: @Sendable (BearerCredential) -> Single<BearerCredential>

    /// Bearer tokens, the next of which a closure gets, through another provider than the intercepted one.
    public init(refresh: @escaping @Sendable (BearerCredential) -> Single<BearerCredential>) {
        renew = refresh
    }

    public func apply(_ credential: BearerCredential, to request: HTTPRequest) -> HTTPRequest {
        request.setAuthToken(credential.accessToken)
    }

    public func refresh(_ credential: BearerCredential) -> Single<BearerCredential> { renew(credential) }

    public func isRequest(_ request: HTTPRequest, authenticatedWith credential: BearerCredential) -> Bool {
        request.headers[.authorization] == "Bearer \(credential.accessToken)"
    }
}
