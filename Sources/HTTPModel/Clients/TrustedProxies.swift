/// The proxies in front of a gateway whose word about a client counts.
public struct TrustedProxies: Hashable, Sendable, CustomStringConvertible {
    /// An entry that cannot be read. The description names it, and what is allowed.
    public struct Failure: Error, CustomStringConvertible {
        /// What is wrong, in words.
        public let description: String
    }

    static let mostNetworks = 256

    private static let loopback = networks(["127.0.0.0/8", "::1"])
    /// RFC 1918 and RFC 4193.
    private static let `private` = networks(["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"])

    private static func networks(_ texts: [String]) -> [IPNetwork] { texts.compactMap { IPNetwork($0) } }

    /// The networks of the proxies.
    public let networks: [IPNetwork]

    /// Trusts nobody: each client is the peer of its connection.
    public init() { networks = [] }

    /// Reads networks such as `10.0.0.0/8`, addresses, and the words `private` (RFC 1918 and `fc00::/7`) and
    /// `loopback`.
    ///
    /// - Throws: for an invalid entry, and for more than 256 networks.
    public init(_ entries: [String]) throws(Failure) {
        var networks: [IPNetwork] = []
        for entry in entries { networks += try Self.networks(of: entry) }
        guard networks.count <= Self.mostNetworks else {
            throw Failure(description: "there are \(networks.count) networks, more than \(Self.mostNetworks)")
        }
        self.networks = networks
    }

    private static func networks(of entry: String) throws(Failure) -> [IPNetwork] {
        switch entry {
        case "private": return `private`
        case "loopback": return loopback
        default: break
        }
        guard let network = IPNetwork(entry) else {
            throw Failure(
                description: "'\(entry)' is not a network such as 10.0.0.0/8, an address, private or loopback"
            )
        }
        // Peers that IPv6 maps are compared as IPv4 addresses.
        guard network.address.unmapped == network.address else {
            throw Failure(description: "'\(entry)' is an IPv4 address; write it without ::ffff:")
        }
        guard network.masked == network else {
            throw Failure(
                description: "'\(entry)' has bits behind its prefix; the network is \(network.masked)")
        }
        return [network]
    }

    /// Whether no proxy is trusted.
    public var isEmpty: Bool { networks.isEmpty }

    /// - Parameter address: not an IPv4 address that IPv6 maps.
    public func contains(_ address: IPAddress) -> Bool { networks.contains { $0.contains(address) } }

    /// `10.0.0.0/8, ::1`; `none` for nobody.
    public var description: String {
        isEmpty ? "none" : networks.map(\.description).joined(separator: ", ")
    }
}

/// The one source that tells who the client behind a trusted proxy is.
public struct ClientHeader: RawRepresentable, CaseIterable, Hashable, Sendable {
    /// `X-Forwarded-For`, with `X-Forwarded-Proto` and `X-Forwarded-Host`.
    public static let xForwardedFor = ClientHeader("x-forwarded-for")
    /// `Forwarded` (RFC 7239).
    public static let forwarded = ClientHeader("forwarded")
    /// `X-Real-IP`, with `X-Forwarded-Proto` and `X-Forwarded-Host`.
    public static let xRealIP = ClientHeader("x-real-ip")
    /// The PROXY protocol, version 1 or 2, at the beginning of each connection.
    public static let proxyProtocol = ClientHeader("proxy-protocol")

    /// All headers.
    public static let allCases: [ClientHeader] = [.xForwardedFor, .forwarded, .xRealIP, .proxyProtocol]

    /// The word in files and flags: `x-forwarded-for`.
    public let rawValue: String

    private init(_ word: String) { rawValue = word }

    /// Returns the header with this word; nil for another word.
    public init?(rawValue: String) {
        guard let header = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = header
    }
}
