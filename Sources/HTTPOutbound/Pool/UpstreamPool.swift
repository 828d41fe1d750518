internal import EventIO
internal import HTTPModel
internal import HTTPWire
public import Rx

/// The connections of one origin on one loop: performs what `ConnectionPool` decides.
///
/// A connection refers to its pool until it is closed, and the timer for idle ones is set only while there are
/// connections, so a pool that is let go of ends with its last one.
public final class UpstreamPool: TimerTarget {
    let origin: Origin
    /// The value of Host.
    let host: RequestSerializer.Host
    let opener: ConnectionOpener
    /// What the proxy wants of each request; nil where none sees them.
    let proxied: ProxiedRequests?
    let loop: EventLoop
    let limits: OutboundLimits
    let callLimits: CallLimits
    let shared: LoopState
    // Touched by the loop's thread alone, each time for one step of `ConnectionPool`, which calls nobody.
    private var pool: ConnectionPool<OutboundCall>
    /// What `pool` holds, for every thread to see: each step is followed by `publish`.
    let gauge = PoolGauge()
    private var connections: [Connection?] = []
    /// Where connections went of late, the oldest first: they share the text.
    private var addresses: [(socket: SocketAddress, text: PeerAddress)] = []
    private var sweepTimer: TimerToken?
    private var sweepDeadline = MonotonicTime.distantFuture

    init(origin: Origin, limits: OutboundLimits, shared: LoopState) {
        self.origin = origin
        self.limits = limits
        self.shared = shared
        loop = shared.loop
        callLimits = CallLimits(limits)
        proxied = ProxiedRequests(origin)
        guard
            let host = try? RequestSerializer.Host(
                Array(origin.authority.utf8)[...], isTargetAbsolute: proxied != nil)
        else { preconditionFailure("an origin whose authority is none") }
        self.host = host
        opener = ConnectionOpener(
            origin: origin, resolver: shared.resolver, loop: shared.loop,
            attemptDelay: TimeAmount(limits.connectAttemptDelay))
        pool = ConnectionPool(limits: limits)
    }

    /// Whether its client has forgotten it, so that nothing may be sent through it any more.
    public internal(set) var isForgotten = false

    /// What it holds.
    public var report: PoolReport { pool.report }

    /// An address as text. One object for the connections of the last eight addresses.
    func address(_ socket: SocketAddress) -> PeerAddress {
        if let known = addresses.last(where: { $0.socket == socket }) { return known.text }
        let text = PeerAddress(socket.description)
        if addresses.count == 8 { addresses.removeFirst() }
        addresses.append((socket, text))
        return text
    }

    // MARK: Calls

    func start(_ call: OutboundCall) {
        if shared.isClosed { return call.failSoon(.destinationUnavailable, "the client is closed") }
        while true {
            let mayWait = shared.waitingCalls < limits.waitingCalls
            let arrival = pool.callArrived(call, mayWait: mayWait, now: loop.wakeTime)
            publish()
            switch arrival {
            case .reuse(let slot):
                guard let connection = connections[slot] else {
                    preconditionFailure("slot \(slot) was lent without a connection")
                }
                serve(call, on: connection, isReused: true)
                return
            case .open(let slot):
                open(slot, for: call)
                return
            case .discard(let slot): discard(slot)
            case .wait(let ticket):
                shared.waitingCalls += 1
                call.joinedLine(of: self, ticket)
                return
            case .refuse:
                call.failSoon(
                    .connectionLimitReached, "\(limits.waitingCalls) calls wait for a connection already")
                return
            }
        }
    }

    func callLeftLine(_ ticket: ConnectionPool<OutboundCall>.Ticket) {
        if pool.waiterLeft(ticket) { shared.waitingCalls -= 1 }
        publish()
    }

    /// The connection turned out to be stale and is closed: a new one in its slot, so that nobody else's is taken.
    func replace(_ connection: Connection, for call: OutboundCall) {
        pool.connectionReplaced(connection.slot, now: loop.wakeTime)
        publish()
        open(connection.slot, for: call)
    }

    // MARK: Connections

    /// The connection is open, for this call.
    func connected(_ connection: Connection, for call: OutboundCall) {
        serve(call, on: connection, isReused: false)
    }

    /// The connection is whole and free again: it is the next waiter's, or the pool's.
    func released(_ connection: Connection, peer: KeepAlive) {
        guard let waiter = nextWaiter(for: connection, peer: peer) else { return }
        serve(waiter, on: connection, isReused: true)
    }

    /// The connection is closed. Its slot is the first waiter's, or free.
    func closed(_ connection: Connection) {
        connections[connection.slot] = nil
        let vacancy = pool.connectionClosed(connection.slot, now: loop.wakeTime)
        publish()
        switch vacancy {
        case .none: if pool.isVacant { stopSweeping() }
        case .open(let slot, let waiter):
            shared.waitingCalls -= 1
            open(slot, for: waiter)
        }
    }

    /// The time of an idle connection is over.
    public func timerFired(_ token: TimerToken) {
        stopSweeping()
        for slot in pool.expired(now: loop.wakeTime) { discard(slot) }
        if let next = pool.nextExpiry { sweep(by: next) }
    }

    /// Refuses calls from now on, fails those that wait, and closes what is idle; calls that run go on. With
    /// `atOnce` they end as well.
    func close(atOnce: Bool) {
        let (idle, waiters) = pool.close()
        publish()
        shared.waitingCalls -= waiters.count
        for slot in idle { connections[slot]?.discard(.clientClosed) }
        stopSweeping()
        for waiter in waiters { waiter.fail(.destinationUnavailable, "the client was closed") }
        guard atOnce else { return }
        for connection in connections { connection?.fail(.destinationUnavailable, "the client was closed") }
    }

    /// Closes what is idle, and whether nothing is left then. Such a pool may be forgotten.
    func closeIdle() -> Bool {
        guard pool.busyCount == 0, pool.waiting == 0 else { return false }
        for connection in connections { connection?.discard(.idleTimeout) }
        return pool.isVacant
    }

    /// The loop closes what is open on it: nothing can be opened any more.
    func loopEnded() {
        shared.isClosed = true
        close(atOnce: true)
    }

    /// One timer for all idle connections. Most often it is set already and comes early enough.
    private func sweep(by expiry: MonotonicTime) {
        guard expiry < sweepDeadline else { return }
        stopSweeping()
        sweepDeadline = expiry
        sweepTimer = loop.setTimer(at: expiry, target: self)
    }

    private func stopSweeping() {
        if let sweepTimer { loop.cancelTimer(sweepTimer) }
        sweepTimer = nil
        sweepDeadline = .distantFuture
    }

    /// Sends the call's request on this connection. A request that is no HTTP fails its call, and the connection
    /// is the next one's: those that failed are told when the connection is settled.
    private func serve(_ call: OutboundCall, on connection: Connection, isReused: Bool) {
        guard let error = tryServing(call, on: connection, isReused: isReused) else { return }
        var failed = [(call, error)]
        while let next = nextWaiter(for: connection, peer: .unspecified),
            let error = tryServing(next, on: connection, isReused: true)
        {
            failed.append((next, error))
        }
        for (call, error) in failed { call.failSoon(.requestError, error.description) }
    }

    /// Why the request cannot be sent; nil when it goes out.
    private func tryServing(
        _ call: OutboundCall, on connection: Connection, isReused: Bool
    ) -> SerializationError? {
        if isReused, let observer = shared.observer {
            observer.connectionReused(to: origin, address: connection.address)
        }
        guard let error = connection.run(call, isReused: isReused) else { return nil }
        call.leftConnection()
        return error
    }

    private func nextWaiter(for connection: Connection, peer: KeepAlive) -> OutboundCall? {
        let release = pool.connectionReleased(connection.slot, peer: peer, now: loop.wakeTime)
        publish()
        switch release {
        case .keep: sweep(by: pool.expiry(of: connection.slot))
        case .close: discard(connection.slot)
        case .lend(let waiter):
            shared.waitingCalls -= 1
            return waiter
        }
        return nil
    }

    private func publish() { gauge.publish(pool.report) }

    /// The connection in this slot is used up or too old.
    private func discard(_ slot: Int) {
        connections[slot]?.discard(pool.discardReason(of: slot, now: loop.wakeTime))
    }

    private func open(_ slot: Int, for call: OutboundCall) {
        let connection = Connection(pool: self, slot: slot)
        if slot == connections.count {
            connections.append(connection)
        } else {
            connections[slot] = connection
        }
        connection.open(for: call)
    }
}
