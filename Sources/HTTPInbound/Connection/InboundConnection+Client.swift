internal import EventIO
internal import HTTPModel
internal import HTTPWire

/// Who the client behind a proxy is.
extension InboundConnection {
    /// How the connection finds out about its clients.
    struct ClientRules {
        /// Whether the peer's fields tell who the client of each request is.
        fileprivate var readsFields = false
        /// Whether requests lose their `X-Request-Id`.
        fileprivate var dropsRequestID = false
        /// Whether a trusted proxy sends the requests.
        fileprivate(set) var trustsSender = false
        /// False for most connections, whose peer is the client.
        var areNeeded: Bool { readsFields || dropsRequestID }
    }

    /// Whether a connection from this address has to begin with a header of the PROXY protocol.
    static func needsProxyHeader(_ address: SocketAddress, _ settings: ClientSettings) -> Bool {
        settings.header == .proxyProtocol && trusts(address, settings)
    }

    private static func trusts(_ address: SocketAddress, _ settings: ClientSettings) -> Bool {
        !settings.trusted.isEmpty && IPAddress(address).map(settings.trusted.contains) == true
    }

    /// The rules for the next requests.
    static func clientRules(of peer: InboundPeer, _ settings: ClientSettings) -> ClientRules {
        var rules = ClientRules()
        let trustsPeer = trusts(peer.address, settings)
        // The requests behind a header of the PROXY protocol are the client's own.
        rules.readsFields = trustsPeer && settings.header != .proxyProtocol && peer.client == nil
        rules.trustsSender = (peer.client?.address).map(settings.trusted.contains) ?? trustsPeer
        switch settings.requestID {
        case .any: break
        case .never: rules.dropsRequestID = true
        case .trusted: rules.dropsRequestID = !rules.trustsSender
        }
        return rules
    }

    /// Applies the rules to a request. Returns the peer with the request's client; nil if it is the
    /// connection's.
    func identifyClient(_ head: inout HTTPRequestHead) -> InboundPeer? {
        if clientRules.dropsRequestID { head.fields.remove(.xRequestID) }
        guard clientRules.readsFields else { return nil }
        let settings = server.clients
        let client = settings.trusted.client(of: head.fields, by: settings.header)
        let identified = client.map { InboundPeer(peer, client: $0) }
        // The client has its turns by itself, whatever connection of the proxy its request comes by.
        stream.client = identified?.clientPrefix
        return identified
    }

    /// The client of the latest request, or of the connection.
    var client: AddressPrefix { (request.peer ?? peer).clientPrefix }
}
