internal import EventIO
internal import Metrics

/// TLS of a server, and the connections that have not arrived.
extension InboundServer {
    /// TLS handshakes on this loop that are not done.
    public var unfinishedHandshakes: Int { unfinished.count }

    /// Replaces the TLS of a server that has TLS. Open connections keep theirs. If the policy for clients
    /// differs, they finish within a minute, each at a random moment. Whether a server has TLS never changes.
    public func use(tls new: InboundTLS) {
        guard let old = tls else { return }
        tls = new
        date.strictTransportSecurity = new.strictTransportSecurity
        guard !new.context.acceptsClients(like: old.context) else { return }
        for case let connection? in connections { connection.clientPolicyChanged() }
    }

    /// Whether a newcomer would be one handshake too many, and none may give way.
    var hasNoRoomForHandshakes: Bool { hasMostHandshakes && nextHandshakeToEnd() == nil }

    /// Ends an unfinished handshake for a newcomer, if there are too many.
    func makeRoomForHandshake() {
        if hasMostHandshakes { nextHandshakeToEnd()?.giveWay() }
    }

    private var hasMostHandshakes: Bool { tls != nil && unfinished.count >= mostHandshakes }

    private var mostHandshakes: Int {
        limits.handshakes ?? InboundLimits.handshakes(connections: total.limit, loops: 1)
    }

    private func nextHandshakeToEnd() -> (any ClientConnection)? {
        for _ in 0..<Self.activePerNewcomer {
            guard let slot = unfinished.next(at: loop.wakeTime) else { return nil }
            guard let connection = connections[slot] else {
                preconditionFailure("a closed connection is still among the handshakes")
            }
            switch connection.evictability {
            case .evictable: return connection
            case .active, .busy: unfinished.hasSent(slot)
            }
        }
        return nil
    }

    /// Serves the requests of a connection that has arrived.
    func arrived(_ arriving: ArrivingConnection, _ security: ConnectionSecurity?) -> InboundConnection {
        let peer = security.map { InboundPeer(arriving.peer, security: $0) } ?? arriving.peer
        // The time for the first head begins behind the handshake.
        let began = security == nil ? arriving.acceptedAt : loop.wakeTime
        let connection = InboundConnection(
            stream: arriving.stream, server: self, peer: peer, holdsPlace: arriving.holdsPlace,
            acceptedAt: began)
        connection.index = arriving.index
        connections[arriving.index] = connection
        if security != nil { order.waitsForHead(arriving.index, at: began) }
        arriving.stream.handler = connection
        begin(connection)
        if let context = arriving.context, let current = tls?.context, !current.acceptsClients(like: context)
        {
            connection.retire()
        }
        // There is room for another handshake.
        if arriving.context != nil { acceptAgain() }
        return connection
    }

    /// Counts a handshake.
    func handshakeEnded(_ result: HandshakeResult) {
        switch result {
        case .full: handshakes.full += 1
        case .resumed: handshakes.resumed += 1
        case .failed: handshakes.failed += 1
        case .timeout: handshakes.timeout += 1
        case .shed: handshakes.shed += 1
        }
        counts.handshakeEnded(result)
    }

    /// Counts a handshake that did not succeed.
    func handshakeEnded(_ result: HandshakeResult, _ reason: String, _ peer: SocketAddress) {
        handshakeEnded(result)
        onHandshakeFailed?(reason, peer, result == .shed)
    }
}

/// The results that are counted.
enum HandshakeResult: String, CaseIterable {
    case full, resumed, failed, timeout, shed
}
