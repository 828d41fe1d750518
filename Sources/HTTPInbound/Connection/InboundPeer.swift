internal import EventIO
internal import HTTPModel

/// The peer of a connection, and the client for whom it speaks. Its exchanges know it even after they are
/// over.
final class InboundPeer {
    let loop: EventLoop
    let address: SocketAddress
    /// What trusted proxies tell about the client; nil if the peer is the client.
    let client: ForwardedClient?
    /// Nil without TLS.
    let security: ConnectionSecurity?
    private var knownText: String?
    private var knownClientText: String?

    init(_ address: SocketAddress, loop: EventLoop, client: ForwardedClient? = nil) {
        self.address = address
        self.loop = loop
        self.client = client
        security = nil
    }

    /// The peer with a client.
    convenience init(_ peer: InboundPeer, client: ForwardedClient) {
        self.init(peer, client: client, security: peer.security)
    }

    /// The peer after the handshake.
    convenience init(_ peer: InboundPeer, security: ConnectionSecurity) {
        self.init(peer, client: peer.client, security: security)
    }

    private init(_ peer: InboundPeer, client: ForwardedClient?, security: ConnectionSecurity?) {
        address = peer.address
        loop = peer.loop
        self.client = client
        self.security = security
        knownText = peer.knownText
    }

    /// The peer's address and port.
    var text: String {
        if let knownText { return knownText }
        let text = address.description
        knownText = text
        return text
    }

    /// The client's address without a port.
    var clientText: String {
        if let client, client.address != nil { return client.text }
        if let knownClientText { return knownClientText }
        let text = address.host
        knownClientText = text
        return text
    }

    /// The client's address; nil on a Unix socket.
    var clientAddress: IPAddress? { client?.address?.unmapped ?? IPAddress(address) }

    /// Identifies the client where something is shared between clients.
    var clientPrefix: AddressPrefix { AddressPrefix(client?.address.map { SocketAddress($0) } ?? address) }
}

extension SocketAddress {
    init(_ address: IPAddress) { self.init(bits: address.bits, isIPv4: address.isIPv4) }
}

extension IPAddress {
    /// Nil on a Unix socket. An IPv4 address that IPv6 maps is an IPv4 address.
    init?(_ address: SocketAddress) {
        guard let bits = address.bits else { return nil }
        self =
            (bits.isIPv4
            ? IPAddress(ipv4: UInt32(truncatingIfNeeded: bits.number)) : IPAddress(ipv6: bits.number))
            .unmapped
    }
}
