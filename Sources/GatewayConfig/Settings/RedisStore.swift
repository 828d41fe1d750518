public import EventIO
import HTTPModel

/// A Redis or Valkey server, in which several processes count the requests of one limit together.
///
///     configuration.stores["main"] = RedisStore("rediss://cache:6380")
///
/// Redis 6 or later. The gateway starts without the server. While the server is away, limits follow
/// `RateLimit.onStoreFailure`.
public struct RedisStore: Sendable, Hashable {
    /// Where a server is.
    package enum Address: Sendable, Hashable {
        case tcp(host: String, port: Int, isEncrypted: Bool)
        case unix(SocketAddress)
    }

    /// Why text is not the address of a server, phrased to follow the key that has it.
    package struct Fault: Error, Sendable, Hashable, CustomStringConvertible {
        package let description: String
    }

    /// `redis://host[:port]`, `rediss://host[:port]` for TLS, or `unix:/path`. The default port is 6379.
    public var url: String
    /// The user of the server's access list (ACL). Default nil: the server's default user.
    public var user: String?
    /// The user's password. Default nil: none.
    public var password: String?
    /// The number of the database. Default 0.
    public var database = 0
    /// TLS to a `rediss` address. Default nil: certificates are verified with the system's roots.
    public var tls: TLSConfiguration?
    /// How long a request waits for the server. Default 20 ms.
    public var timeout = Duration.milliseconds(20)
    /// The prefix of all keys. Default `sluice:`.
    public var prefix = "sluice:"

    package enum Ranges {
        package static let database = 0...65_535
        package static let timeout = Duration.milliseconds(1)...(.seconds(10))
        /// Bytes of a prefix.
        package static let prefix = 0...64
    }

    private static let encryptedScheme = "rediss://"
    private static let plainScheme = "redis://"

    /// The port of an address without one.
    package static let standardPort = 6379

    /// Creates a store with the default values.
    public init(_ url: String) { self.url = url }

    /// Whether the address asks for TLS.
    package var isEncrypted: Bool { url.hasPrefix(Self.encryptedScheme) }

    /// Returns the address.
    package func address() throws(Fault) -> Address { try Self.address(url) }

    /// Returns the address that a text names.
    package static func address(_ text: String) throws(Fault) -> Address {
        if text.hasPrefix("unix:") {
            let path = text.dropFirst("unix:".count)
            guard path.hasPrefix("/"), path.utf8.count > 1 else {
                throw Fault(
                    description: "the path of a Unix socket begins with a slash: unix:/run/redis.sock")
            }
            guard let address = try? SocketAddress(unixPath: String(path)) else {
                throw Fault(description: "the path of a Unix socket has at most 107 bytes")
            }
            return .unix(address)
        }
        let isEncrypted = text.hasPrefix(encryptedScheme)
        guard isEncrypted || text.hasPrefix(plainScheme) else { throw Fault(description: rule) }
        let rest = text.dropFirst(isEncrypted ? encryptedScheme.count : plainScheme.count)
        guard !rest.contains("@") else {
            throw Fault(
                description:
                    "the user and the password belong in the keys user and password, not in the address")
        }
        let url: HTTPURL
        do {
            url = try HTTPURL("http://\(rest)")
        } catch {
            throw Fault(description: rule)
        }
        guard url.path == "/", url.query == nil else {
            throw Fault(
                description: "the number of the database belongs in the key database, not in the address")
        }
        // The parser puts the port of http where none is written.
        let authority = rest.prefix { $0 != "/" }
        let hostEnd = authority.lastIndex(of: "]") ?? authority.startIndex
        let hasPort = authority[hostEnd...].contains(":") && !authority.hasSuffix(":")
        return .tcp(host: url.host, port: hasPort ? url.port : standardPort, isEncrypted: isEncrypted)
    }

    /// What an address is.
    package static let rule = "takes redis://host[:port], rediss://host[:port] or unix:/path"
}
