import ASCIIText

/// A range of addresses with a common prefix: `10.0.0.0/8`, `2001:db8::/32`, or a single address.
public struct IPNetwork: Hashable, Sendable, CustomStringConvertible {
    /// The first address of the network.
    public let address: IPAddress
    /// The bits that all addresses of the network have in common.
    public let prefixLength: Int

    /// A network of one address.
    public init(_ address: IPAddress) {
        self.address = address
        prefixLength = address.width
    }

    /// Parses an address, with or without brackets, and an optional prefix length.
    public init?(_ text: some StringProtocol) {
        let halves = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let host = halves.first, let address = IPAddress(Self.withoutBrackets(Substring(host))) else {
            return nil
        }
        guard halves.count == 2 else {
            self.init(address)
            return
        }
        let digits = halves[1].utf8
        guard (1...3).contains(digits.count), digits.allSatisfy(ASCII.isDigit),
            let length = Int(halves[1]), length <= address.width
        else { return nil }
        self.init(address, length)
    }

    package static func withoutBrackets(_ host: Substring) -> Substring {
        host.hasPrefix("[") && host.hasSuffix("]") ? host.dropFirst().dropLast() : host
    }

    /// An IPv4 address is not in a network of IPv6 addresses, even if that maps it.
    public func contains(_ other: IPAddress) -> Bool {
        // A shift by the whole width leaves 0.
        other.isIPv4 == address.isIPv4
            && (other.bits ^ address.bits) >> (address.width - prefixLength) == 0
    }

    /// The network with zeros behind its prefix: `10.0.0.0/8` for `10.1.2.3/8`.
    package var masked: IPNetwork {
        let rest = address.width - prefixLength
        let bits = (address.bits >> rest) << rest
        return IPNetwork(
            address.isIPv4 ? IPAddress(ipv4: UInt32(truncatingIfNeeded: bits)) : IPAddress(ipv6: bits),
            prefixLength)
    }

    private init(_ address: IPAddress, _ prefixLength: Int) {
        self.address = address
        self.prefixLength = prefixLength
    }

    /// The value as text, for logs and messages.
    public var description: String {
        prefixLength == address.width ? address.description : "\(address)/\(prefixLength)"
    }
}
