public import EventIO
internal import HTTPModel

/// Where requests go: scheme, host and port, or a Unix-domain socket, with the TLS configuration and the
/// proxy on the way, the address if it is fixed, and the owner if it has one. Origins that differ in any of
/// these share no connection.
public struct Origin: Sendable, Hashable, CustomStringConvertible {
    /// The scheme of the URL. The set may grow.
    public struct Scheme: Sendable, Hashable, CustomStringConvertible {
        /// The name as in a URL: `http`.
        public let name: String
        /// The port of a URL without one.
        public let defaultPort: UInt16

        /// Plain TCP.
        public static let http = Scheme(name: "http", defaultPort: 80)

        /// TLS over TCP (RFC 9110 4.2.2).
        public static let https = Scheme(name: "https", defaultPort: 443)

        /// The value as text, for logs and messages.
        public var description: String { name }
    }

    enum Endpoint: Sendable, Hashable {
        /// A name or a numeric address, without brackets.
        case tcp(host: String, port: UInt16)
        case unix(SocketAddress)
    }

    /// The scheme: `http` or `https`.
    public let scheme: Scheme
    let endpoint: Endpoint
    /// The value of the Host field: `host`, or `host:port` if the port is not the scheme's default (RFC
    /// 9110 7.2).
    public let authority: String
    /// nil for `http`.
    public let tls: TLSContext?
    /// The proxy that its connections go through; nil for none. Set by `through(_:)`.
    public private(set) var proxy: OutboundProxy?
    /// The only address that its connections go to; nil for all addresses of the host. Set by `at(_:)`.
    public private(set) var address: SocketAddress?
    /// Resolves the host; nil for the client's resolver.
    private(set) var ownResolver: OwnResolver?
    /// The limits of its calls and connections; nil for the client's. Set by `limited(by:)`.
    public private(set) var limits: OutboundLimits?

    /// The name of the upstream that alone uses its connections; nil if all calls may. Set by `owned(by:)`.
    package private(set) var owner: String?

    /// Creates an origin that is reached over TCP.
    ///
    /// - Parameters:
    ///   - scheme: `http` or `https`.
    ///   - host: a name, an IPv4 address, or an IPv6 address with or without brackets.
    ///   - port: nil for the scheme's default.
    ///   - tls: required for `https`, and only there; `TLSContext.shared()` trusts what the system trusts.
    /// - Returns: nil if the host is invalid, the port is 0, or `tls` does not match the scheme.
    public init?(scheme: Scheme = .http, host: String, port: UInt16? = nil, tls: TLSContext? = nil) {
        guard (scheme == .https) == (tls != nil) else { return nil }
        let port = port ?? scheme.defaultPort
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        let name = isBracketed ? String(host.dropFirst().dropLast()) : host
        let written = name.utf8.contains(UInt8(ascii: ":")) ? "[\(name)]" : name
        let authority = port == scheme.defaultPort ? written : "\(written):\(port)"
        guard port != 0, Array(authority.utf8).withUnsafeBytes({ Authority.isValid($0) }) else { return nil }
        self.scheme = scheme
        self.authority = authority
        self.tls = tls
        endpoint = .tcp(host: name, port: port)
    }

    /// Creates an origin that is reached over a Unix-domain socket.
    ///
    /// - Parameters:
    ///   - path: the path of the socket, at most 107 bytes (sockaddr_un).
    ///   - host: the value of Host.
    /// - Returns: nil if the path is empty or too long, or the host is invalid.
    public init?(unixSocket path: String, host: String = "localhost") {
        guard let address = try? SocketAddress(unixPath: path),
            Array(host.utf8).withUnsafeBytes({ Authority.isValid($0) })
        else { return nil }
        scheme = .http
        authority = host
        tls = nil
        endpoint = .unix(address)
    }

    /// Returns the same origin with limits of its own, and so with connections of its own.
    public func limited(by limits: OutboundLimits?) -> Origin {
        var origin = self
        origin.limits = limits
        return origin
    }

    /// Returns the same origin for one upstream, and so with connections of its own: calls of another
    /// upstream at the same address take none of them.
    package func owned(by owner: String?) -> Origin {
        var origin = self
        origin.owner = owner
        return origin
    }

    /// Returns the same origin, reached through this proxy or directly. Unix-domain sockets use no proxy.
    public func through(_ proxy: OutboundProxy?) -> Origin {
        var origin = self
        if case .tcp = endpoint { origin.proxy = proxy }
        return origin
    }

    /// Returns the same origin at one of its host's addresses, for clients that choose among them. Host field
    /// and server name stay the same. Does nothing for Unix-domain sockets and through a proxy.
    public func at(_ address: SocketAddress) -> Origin {
        var origin = self
        if case .tcp = endpoint, proxy == nil { origin.address = address }
        return origin
    }

    /// The same origin without a fixed address.
    public var atAnyAddress: Origin {
        var origin = self
        origin.address = nil
        return origin
    }

    /// Returns the same origin with a resolver of its own.
    public func resolved(by resolver: Resolver) -> Origin {
        var origin = self
        origin.ownResolver = OwnResolver(resolver: resolver)
        return origin
    }

    /// The name and the port whose addresses its connections go to; nil for a numeric host, a Unix-domain
    /// socket, through a proxy and at a fixed address.
    public var resolvedName: (host: String, port: UInt16)? {
        guard case .tcp(let host, let port) = endpoint, proxy == nil, address == nil,
            SocketAddress(host: host, port: Int(port)) == nil
        else { return nil }
        return (host, port)
    }

    /// `host:port`, or the Host field for a Unix-domain socket. The target of CONNECT (RFC 9110 9.3.6) and
    /// the key of TLS sessions.
    public var hostAndPort: String {
        switch endpoint {
        case .tcp(let host, let port):
            host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)"
        case .unix: authority
        }
    }

    /// The scheme and authority, without the proxy.
    public var description: String {
        switch endpoint {
        case .tcp: "\(scheme)://\(authority)"
        case .unix(let address): "\(scheme)+\(address)"
        }
    }
}

/// A resolver as a part of an origin's identity.
struct OwnResolver: Sendable, Hashable {
    let resolver: Resolver

    static func == (one: OwnResolver, other: OwnResolver) -> Bool { one.resolver === other.resolver }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(resolver)) }
}
