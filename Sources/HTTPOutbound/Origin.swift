internal import EventIO
internal import HTTPModel

/// Where requests go: one scheme, host and port, or a Unix-domain socket. One pool belongs to each on a loop.
public struct Origin: Sendable, Hashable, CustomStringConvertible {
    /// How the bytes travel. A set that may grow.
    public struct Scheme: Sendable, Hashable, CustomStringConvertible {
        public let name: String
        public let defaultPort: UInt16

        /// Plain TCP.
        public static let http = Scheme(name: "http", defaultPort: 80)

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

    /// - Parameter host: a name, an IPv4 address, or an IPv6 address with or without brackets.
    /// - Returns: nil when the host is none, or the port is 0.
    public init?(scheme: Scheme = .http, host: String, port: UInt16? = nil) {
        let port = port ?? scheme.defaultPort
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        let name = isBracketed ? String(host.dropFirst().dropLast()) : host
        let written = name.utf8.contains(UInt8(ascii: ":")) ? "[\(name)]" : name
        let authority = port == scheme.defaultPort ? written : "\(written):\(port)"
        guard port != 0, Array(authority.utf8).withUnsafeBytes({ Authority.isValid($0) }) else { return nil }
        self.scheme = scheme
        self.authority = authority
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
        endpoint = .unix(address)
    }

    public var description: String {
        switch endpoint {
        case .tcp: "\(scheme)://\(authority)"
        case .unix(let address): "\(scheme)+\(address)"
        }
    }
}
