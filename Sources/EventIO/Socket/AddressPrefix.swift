/// The part of an address that identifies a client: an IPv4 address, or the first 64 bits of an IPv6 address,
/// because a host chooses the other 64 itself (RFC 4291 2.5.4). All Unix sockets count as one client.
public struct AddressPrefix: Hashable, Sendable {
    private enum Form: Hashable {
        case ipv4(UInt32)
        case ipv6(UInt64)
        case unix
    }

    private let form: Form

    /// Takes the prefix of an address.
    public init(_ address: SocketAddress) {
        switch address.form {
        case .ipv4(let address, _): form = .ipv4(address)
        // A listener on `[::]` sees IPv4 clients as ::ffff:0:0/96 (RFC 4291 2.5.5.2).
        case .ipv6(0, let low, _, _) where low >> 32 == 0xffff: form = .ipv4(UInt32(truncatingIfNeeded: low))
        case .ipv6(let high, _, _, _): form = .ipv6(high)
        case .unix: form = .unix
        }
    }

    /// Reads an address as `SocketAddress.description` writes it; nil for any other text.
    init?(_ text: String) {
        if text.hasPrefix("unix:") {
            self.init(.unix)
        } else if let colon = text.lastIndex(of: ":"),
            let address = SocketAddress(host: String(text[..<colon]), port: 0)
        {
            self.init(address)
        } else {
            return nil
        }
    }

    private init(_ form: Form) {
        self.form = form
    }
}
