public import EventIO
internal import HTTPModel

/// Where requests go, and how: one scheme, host and port, or a Unix-domain socket; the configuration of its TLS; the proxy
/// on the way. One pool belongs to each on a loop: whatever differs here shares no connection.
public struct Origin: Sendable, Hashable, CustomStringConvertible {
    /// How the bytes travel. A set that may grow.
    public struct Scheme: Sendable, Hashable, CustomStringConvertible {
        public let name: String
        public let defaultPort: UInt16

        /// Plain TCP.
        public static let http = Scheme(name: "http", defaultPort: 80)

        /// TLS over TCP (RFC 9110 4.2.2).
        public static let https = Scheme(name: "https", defaultPort: 443)

        public var description: String { name }
    }

    /// What a connection is opened to.
    enum Endpoint: Sendable, Hashable {
        /// A name or a numeric address, without brackets.
        case tcp(host: String, port: UInt16)
        case unix(SocketAddress)
    }

    public let scheme: Scheme
    let endpoint: Endpoint
    /// The value of the Host field: `host`, or `host:port` where the port is not the scheme's own (RFC 9110 7.2).
    public let authority: String
    /// By what its connections are encrypted: nil for `http`.
    public let tls: TLSContext?
    /// The proxy that its connections go through; nil for none, as in the beginning.
    public private(set) var proxy: ProxyConfiguration?

    /// - Parameters:
    ///   - host: a name, an IPv4 address, or an IPv6 address with or without brackets.
    ///   - port: the scheme's own where nil.
    ///   - tls: for `https`; `TLSContext.shared()` verifies servers as the system does.
    /// - Returns: nil when the host is none, the port is 0, or `tls` is missing where it is due or given where it is not.
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

    /// - Parameters:
    ///   - unixSocket: the path of the socket, at most 107 bytes (sockaddr_un).
    ///   - host: what Host says to the server behind it.
    /// - Returns: nil when the path is empty or too long, or the host is none.
    public init?(unixSocket path: String, host: String = "localhost") {
        guard let address = try? SocketAddress(unixPath: path),
            Array(host.utf8).withUnsafeBytes({ Authority.isValid($0) })
        else { return nil }
        scheme = .http
        authority = host
        tls = nil
        endpoint = .unix(address)
    }

    /// The same origin by way of a proxy, or of none. A Unix-domain socket has no way to be on.
    public func through(_ proxy: ProxyConfiguration?) -> Origin {
        var origin = self
        if case .tcp = endpoint { origin.proxy = proxy }
        return origin
    }

    /// `host:port`, what a proxy is asked for by CONNECT (RFC 9110 9.3.6), and what servers of TLS are told apart by.
    var hostAndPort: String {
        switch endpoint {
        case .tcp(let host, let port):
            host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)"
        case .unix: authority
        }
    }

    /// Without the proxy's user and password, and without the proxy.
    public var description: String {
        switch endpoint {
        case .tcp: "\(scheme)://\(authority)"
        case .unix(let address): "\(scheme)+\(address)"
        }
    }
}
