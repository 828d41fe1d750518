public import HTTPModel

/// Which proxies in front of the server tell who a client is, and who learns of it.
public struct ClientSettings: Sendable, Hashable {
    /// The peers whose word counts. Any other peer is the client itself, and its forwarding fields are
    /// ignored. Default: none.
    public var trusted = TrustedProxies()
    /// The only source that is read of what a trusted peer tells. Default `X-Forwarded-For`.
    public var header = ClientHeader.xForwardedFor
    /// What upstreams learn of a client, unless their policy says otherwise. Default nothing.
    public var forward = ClientForwarding.none
    /// Whose `X-Request-Id` is kept. Default anybody's.
    public var requestID = RequestIDSource.any
    /// The scheme of a request of which no trusted proxy tells one. Default `http`.
    public var scheme = URLScheme.http

    /// Creates the default values.
    public init() {}
}

/// The clients and proxies whose `X-Request-Id` is kept.
public enum RequestIDSource: String, Sendable, CaseIterable {
    case any
    /// Trusted proxies.
    case trusted
    case never
}

/// The schemes of requests to a gateway.
public enum URLScheme: String, Sendable, CaseIterable {
    case http, https
}
