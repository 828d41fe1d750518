internal import EventIO
internal import HTTPWire
internal import Metrics

/// At the connection limit a newcomer replaces a connection of this loop, or is accepted above the limit to
/// ask for one thing. A loop cannot close the connections of another one.
extension InboundServer {
    /// How often paused listeners look for room, which another loop may have made.
    private static var acceptRetryInterval: TimeAmount { .milliseconds(50) }
    /// Connections with unread input or unsent output that are passed over for one newcomer.
    static var activePerNewcomer: Int { 8 }

    // MARK: Newcomers

    /// Whether there is room for another newcomer. If not, the listeners pause.
    func mayAccept() -> Bool {
        if !hasNoRoomForHandshakes, hasRoom { return true }
        if acceptRetry == nil { acceptRetry = loop.setTimer(after: Self.acceptRetryInterval, target: self) }
        return false
    }

    private var hasRoom: Bool {
        if total.hasRoom || order.countAboveLimit < limits.connectionsAboveLimit { return true }
        if nextToEvict({ $0.next(at: $1) }) != nil || nextToEvict({ $0.nextAboveLimit(at: $1) }) != nil {
            return true
        }
        return false
    }

    /// Ends the pause of the listeners.
    func acceptAgain() {
        guard let retry = acceptRetry.take() else { return }
        loop.cancelTimer(retry)
        for listener in listeners { listener.resume() }
    }

    func accept(_ stream: SocketStream) {
        makeRoomForHandshake()
        let holdsPlace = takePlace()
        // A drain accepts the whole backlog, and another loop may take the place that `mayAccept` saw, so
        // there may be more of them.
        if !holdsPlace, order.countAboveLimit >= limits.connectionsAboveLimit,
            let (slow, reason) = nextToEvict({ $0.nextAboveLimit(at: $1) })
        {
            evict(slow, reason)
        }
        let index = order.insert(
            AddressPrefix(stream.remoteAddress), isAboveLimit: !holdsPlace, at: loop.wakeTime)
        if index == connections.count { connections.append(nil) }
        counts.accepted.add()
        counts.connections.add(1)
        let expectsHeader = InboundConnection.needsProxyHeader(stream.remoteAddress, clients)
        guard tls == nil, !expectsHeader else {
            let arriving = ArrivingConnection(
                stream: stream, server: self, holdsPlace: holdsPlace, expectsProxyHeader: expectsHeader)
            arriving.index = index
            connections[index] = arriving
            stream.start(handler: arriving)
            arriving.begin()
            return announce(to: arriving)
        }
        let peer = InboundPeer(stream.remoteAddress, loop: loop)
        let connection = InboundConnection(
            stream: stream, server: self, peer: peer, holdsPlace: holdsPlace, acceptedAt: loop.wakeTime)
        connection.index = index
        connections[index] = connection
        stream.start(handler: connection)
        begin(connection)
    }

    /// Starts a connection that may send requests.
    func begin(_ connection: InboundConnection) {
        announce(to: connection)
        connection.settle()
    }

    /// Tells a newcomer that the server is leaving, if so.
    private func announce(to connection: any ClientConnection) {
        switch phase {
        case .serving: break
        case .announced: connection.drainAnnounced()
        case .leaving(let since): connection.listenerClosed(at: since)
        }
    }

    /// Takes a place within the limit: a free one, or one of a connection that it closes.
    private func takePlace() -> Bool {
        if total.add() { return true }
        guard let (connection, reason) = nextToEvict({ $0.next(at: $1) }) else { return false }
        // The newcomer has its place now. Another loop might take a place that is given back.
        connection.holdsPlace = false
        evict(connection, reason)
        return true
    }

    /// Gives a connection above the limit a place when its head has arrived. Returns false if there is still
    /// none.
    func givePlace(to connection: InboundConnection) -> Bool {
        guard takePlace() else { return false }
        connection.holdsPlace = true
        order.gotPlace(connection.index)
        return true
    }

    func refusedProxyHeader(_ fault: ProxyHeaderFault, from address: SocketAddress) {
        refusedProxyHeaders += 1
        onProxyHeaderRefused?(fault.rawValue, address)
    }

    func refusedAboveLimit() {
        count(ShedCounts(refused: 1))
    }

    // MARK: Choosing

    /// Returns the next connection of an order that may be closed now.
    private func nextToEvict(
        _ next: (inout EvictionOrder, MonotonicTime) -> EvictionOrder.Candidate?
    ) -> (any ClientConnection, EvictionOrder.Reason)? {
        var active = 0
        while active < Self.activePerNewcomer, let candidate = next(&order, loop.wakeTime) {
            guard let connection = connections[candidate.slot] else {
                preconditionFailure("a closed connection is still in the order")
            }
            switch connection.evictability {
            case .evictable:
                return (connection, candidate.reason)
            case .busy:
                // Reported only now, to save work for each request.
                order.becameBusy(candidate.slot)
                connection.forgetIdleReport()
            case .active:
                order.waitsAnew(candidate.slot, at: loop.wakeTime)
                active += 1
            }
        }
        return nil
    }

    /// Returns the connection to reset when too much output waits in memory.
    func slowestReader() -> (any ClientConnection)? {
        var readers: [WaitingReaders.Reader] = []
        for case let connection? in connections where connection.waitingBytes > 0 {
            readers.append(
                WaitingReaders.Reader(
                    connection: connection.index, client: connection.client,
                    bytes: connection.waitingBytes, dueAt: connection.readerDueAt))
        }
        var waiting = WaitingReaders(readers, at: loop.wakeTime)
        return waiting.next { connections[$0]?.askWhenReaderIsDue() ?? .distantFuture }.flatMap {
            connections[$0]
        }
    }

    private func evict(_ connection: any ClientConnection, _ reason: EvictionOrder.Reason) {
        // A client that has its last answer loses nothing.
        let isServed = connection.isServed
        connection.giveWay()
        if isServed { return }
        switch reason {
        case .idle: count(ShedCounts(idle: 1))
        case .slowHead: count(ShedCounts(slowHeads: 1))
        }
    }

    private func count(_ more: ShedCounts) {
        shed = shed + more
        counts.shed(more)
        onShed?(more)
    }
}
