import Glibc

/// Which family comes first, by the rules of RFC 6724, section 6, that compare two destinations of different
/// families. c-ares sorts the addresses within a family.
enum AddressPreference {
    /// An entry of the policy table (RFC 6724 2.1).
    private struct Policy {
        let precedence: Int
        let label: Int

        static let ipv4 = Policy(precedence: 35, label: 4)

        init(precedence: Int, label: Int) {
            self.precedence = precedence
            self.label = label
        }

        init(_ address: SocketAddress) {
            guard case .ipv6(let high, let low, _, _) = address.form else {
                self = .ipv4
                return
            }
            self =
                switch (high, low) {
                case (0, 1): Policy(precedence: 50, label: 0)
                case (0, _) where low >> 32 == 0xffff: .ipv4
                case (0, _) where low >> 32 == 0: Policy(precedence: 1, label: 3)
                case _ where high >> 57 == 0xfc >> 1: Policy(precedence: 3, label: 13)
                case _ where high >> 48 == 0x2002: Policy(precedence: 30, label: 2)
                case _ where high >> 32 == 0x2001_0000: Policy(precedence: 5, label: 5)
                case _ where high >> 54 == 0xfec0 >> 6: Policy(precedence: 1, label: 11)
                case _ where high >> 48 == 0x3ffe: Policy(precedence: 1, label: 12)
                default: Policy(precedence: 40, label: 1)
                }
        }
    }

    /// Returns the addresses of both families, the preferred family first.
    static func ordered(_ ipv6: [SocketAddress], _ ipv4: [SocketAddress]) -> [SocketAddress] {
        guard let six = ipv6.first, let four = ipv4.first else { return ipv6 + ipv4 }
        return prefersIPv4(four, source(for: four), six, source(for: six)) ? ipv4 + ipv6 : ipv6 + ipv4
    }

    /// - Parameter fourSource: the source address for packets to `four`; nil without a route.
    static func prefersIPv4(
        _ four: SocketAddress, _ fourSource: SocketAddress?, _ six: SocketAddress, _ sixSource: SocketAddress?
    ) -> Bool {
        // Rule 1: avoid unusable destinations.
        guard let sixSource else { return fourSource != nil }
        guard fourSource != nil else { return false }
        let (destination, source) = (Policy(six), Policy(sixSource))
        // Rule 5: prefer matching labels. IPv4 labels always match.
        if destination.label != source.label { return true }
        // Rule 6: prefer the higher precedence.
        return destination.precedence < Policy.ipv4.precedence
    }

    /// Returns the address that the kernel would send from. Sends nothing.
    private static func source(for address: SocketAddress) -> SocketAddress? {
        let descriptor = socket(address.family, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        // Linux does not connect UDP to port 0 on every version.
        let isRouted = address.with(port: 53).withUnsafeSockaddr { connect(descriptor, $0, $1) == 0 }
        return isRouted ? Descriptor.localAddress(of: descriptor) : nil
    }
}
