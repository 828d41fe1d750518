/// How names are resolved: which servers are asked, and how long their answers are used.
///
/// Names in `/etc/hosts` come first, with the time to live 0. `localhost` and the names below it are always
/// loopback addresses (RFC 6761 6.3). Search domains and options come from resolv.conf(5), also for
/// `servers`. A change of either file counts from the next lookup on. The IPv6 and the IPv4 addresses of a
/// name are asked for at once, and one family is enough to connect (RFC 8305).
public struct DNSSettings: Sendable, Hashable {
    /// The shortest time that an answer is fresh, even if its time to live is shorter: 100 ms to 1 day.
    /// Default 1 s.
    public var minTTL = Duration.seconds(1)
    /// The longest time that an answer is fresh, even if its time to live is longer: `minTTL` to 1 day.
    /// Default 5 min.
    public var maxTTL = Duration.seconds(300)
    /// How long the addresses of an expired answer stay in use if no new answer arrives: 0 to 1 day. An
    /// answer that the name does not exist ends their use at once. Default 5 min.
    public var stale = Duration.seconds(300)
    /// The servers to ask, replacing resolv.conf(5), in this order: numeric addresses with or
    /// without a port, such as `10.0.0.2`, `127.0.0.1:5353` and `[::1]:5353`; at most 8. Default none.
    public var servers: [String] = []
    /// Whether the system's `getaddrinfo` looks names up. It does not tell their time to live: addresses are
    /// fresh for 30 s, and `minTTL` and `maxTTL` have no effect.
    public let usesSystem: Bool
    /// The time limits of lookups and the sizes of the cache.
    package var limits = Resolver.Limits()

    /// Creates the default settings: c-ares asks the servers in resolv.conf(5).
    public init() { usesSystem = false }

    private init(usesSystem: Bool) { self.usesSystem = usesSystem }

    /// Looks names up with the system's `getaddrinfo`, for systems that find names by other means than
    /// `/etc/hosts` and DNS (nsswitch.conf(5)).
    public static let system = DNSSettings(usesSystem: true)
}

/// The error of DNS settings that cannot be used.
public struct InvalidDNSSettings: Error, Sendable, Hashable, CustomStringConvertible {
    /// Names each such setting, its value and what is allowed.
    public let description: String
}

extension DNSSettings {
    package static let ttlRange = Duration.milliseconds(100)...(.seconds(86_400))
    package static let staleRange = Duration.zero...(.seconds(86_400))
    package static let mostServers = 8

    /// Returns the addresses of `servers`.
    ///
    /// - Throws: `InvalidDNSSettings` with everything that is wrong with these settings.
    func validated() throws(InvalidDNSSettings) -> [SocketAddress] {
        var complaints: [String] = []
        func check(_ name: String, _ value: Duration, from least: Duration, _ leastName: String) {
            guard value < least || value > Self.ttlRange.upperBound else { return }
            complaints.append("dns.\(name): \(Self.text(value)) is not between \(leastName) and 1 day")
        }
        check("minTTL", minTTL, from: Self.ttlRange.lowerBound, Self.text(Self.ttlRange.lowerBound))
        check("maxTTL", maxTTL, from: minTTL, "dns.minTTL (\(Self.text(minTTL)))")
        check("stale", stale, from: Self.staleRange.lowerBound, "0 s")
        var addresses: [SocketAddress] = []
        for server in servers {
            guard let address = Self.address(of: server) else {
                complaints.append("dns.servers: \"\(server)\" is not an address or address:port")
                continue
            }
            addresses.append(address)
        }
        if servers.count > Self.mostServers {
            complaints.append("dns.servers: \(servers.count) servers, at most \(Self.mostServers)")
        }
        if usesSystem, !servers.isEmpty {
            complaints.append("dns.servers: getaddrinfo asks only the servers in resolv.conf")
        }
        guard complaints.isEmpty else {
            throw InvalidDNSSettings(description: complaints.joined(separator: "; "))
        }
        return addresses
    }

    /// Parses `10.0.0.2`, `10.0.0.2:5353`, `::1`, `[::1]` or `[::1]:5353`. c-ares accepts no scope such as
    /// `%eth0`.
    private static func address(of server: String) -> SocketAddress? {
        guard !server.contains("%") else { return nil }
        if let address = SocketAddress(host: server, port: 53) { return address }
        guard let colon = server.lastIndex(of: ":") else { return nil }
        let (host, digits) = (server[..<colon], server[server.index(after: colon)...])
        guard !host.contains(":") || host.hasPrefix("["), digits.allSatisfy({ $0.isASCII && $0.isNumber }),
            let port = UInt16(digits), port > 0
        else { return nil }
        return SocketAddress(host: String(host), port: Int(port))
    }

    private static func text(_ time: Duration) -> String {
        let (seconds, attoseconds) = time.components
        let (milliseconds, isBeyond) = seconds.multipliedReportingOverflow(by: 1000)
        // No reader misses the milliseconds of 290 million years.
        if attoseconds == 0 || isBeyond { return "\(seconds) s" }
        let (sum, overflow) = milliseconds.addingReportingOverflow(attoseconds / 1_000_000_000_000_000)
        return overflow ? "\(seconds) s" : "\(sum) ms"
    }
}
