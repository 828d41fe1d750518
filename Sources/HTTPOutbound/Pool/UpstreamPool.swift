public import EventIO
internal import HTTPModel
internal import HTTPWire
public import Resilience
public import Timers

/// The connections of one origin on one loop. Does what `ConnectionPool` decides.
///
/// A connection refers to its pool until it is closed, and the sweep timer runs only while there are
/// connections. So an otherwise unreferenced pool ends with its last connection.
public final class UpstreamPool: TimerTarget {
    let origin: Origin
    let host: RequestSerializer.Host
    let opener: ConnectionOpener
    /// nil if no proxy sees the requests.
    let forwardProxy: ForwardProxy?
    let loop: EventLoop
    let limits: OutboundLimits
    let callLimits: CallLimits
    let shared: SharedClientState
    /// The memory that bodies of responses may use. Set it before the first call; nil for no limit.
    public var bodyMemory: FairBudget.Share?
    /// The connections that this upstream may have, as its part of the process's. Set it before the first
    /// call; nil for no limit but `OutboundLimits.connectionsPerUpstream`.
    public var connectionPlaces: FairBudget.Share?
    /// Counts the calls that wait here together with calls in other pools, which then share their part of the
    /// places in the queue. Set it before the first call; nil to count them alone.
    public var sharedWaiters: WaitingCalls?
    // Touched only on the loop. No step of `ConnectionPool` calls back.
    var pool: ConnectionPool<OutboundCall>
    /// The numbers of `pool` that are counted. Each step is followed by `publish`.
    private var published = PoolReport()
    /// Counts this pool for its upstream. Set it before the first call; nil to count it only for its client.
    public var counts: PoolCounts? { didSet { cells = counts?.cells } }
    private var cells: PoolCounts.Cells?
    var connections: [Connection?] = []
    /// The places of the busy and idle slots; empty without `connectionPlaces`.
    var places: [FairBudget.Charge?] = []
    /// The addresses of recent connections, oldest first, so that they share the text.
    private var addresses: [(socket: SocketAddress, text: PeerAddress)] = []
    /// The slots of connections whose calls were cancelled, and which are not free yet, oldest first. A call
    /// that finds no other connection takes their place.
    private var spare: [Int] = []
    private var sweepTimer: TimerToken?
    private var sweepDeadline = MonotonicTime.distantFuture
    private var callsAtLastSweep: Int?
    /// Runs while calls wait for a descriptor.
    var descriptorTimer: TimerToken?

    init(origin: Origin, limits: OutboundLimits, shared: SharedClientState) {
        self.origin = origin
        self.limits = limits
        self.shared = shared
        loop = shared.loop
        callLimits = CallLimits(limits)
        forwardProxy = ForwardProxy(origin)
        guard
            let host = try? RequestSerializer.Host(
                Array(origin.authority.utf8)[...], isTargetAbsolute: forwardProxy != nil)
        else { preconditionFailure("invalid authority \(origin.authority)") }
        self.host = host
        opener = ConnectionOpener(
            origin: origin, resolver: origin.ownResolver?.resolver ?? shared.resolver, loop: shared.loop,
            attemptDelay: TimeAmount(limits.connectAttemptDelay))
        pool = ConnectionPool(limits: limits)
    }

    /// Whether the client has forgotten this pool. Start no more calls on it then.
    public internal(set) var isForgotten = false

    /// What the pool has now.
    public var report: PoolReport { pool.report }

    /// Whether another call would have to wait.
    public var isFull: Bool { pool.idleCount == 0 && pool.busyCount >= limits.connectionsPerUpstream }

    /// Calls that are on a connection or wait for one.
    public var callsInFlight: Int { pool.busyCount + pool.waiting }

    /// The address of the last connection that was opened; nil before the first, and through a proxy.
    public private(set) var lastOpened: SocketAddress?

    func opened(_ connection: Connection) {
        // There are descriptors again.
        if descriptorTimer != nil { openForWaiter() }
        guard origin.proxy == nil else { return }
        lastOpened = connection.stream?.remoteAddress
    }

    /// Returns the address as text: one object per address, for the last eight.
    func address(_ socket: SocketAddress) -> PeerAddress {
        if let known = addresses.last(where: { $0.socket == socket }) { return known.text }
        let text = PeerAddress(socket.description)
        if addresses.count == 8 { addresses.removeFirst() }
        addresses.append((socket, text))
        return text
    }

    // MARK: Calls

    /// Sends the call's request as soon as it has a connection. Call it once per call, on the loop.
    public func start(_ call: OutboundCall) {
        if shared.isClosed { return call.failLater(.destinationUnavailable, "the client is closed") }
        while true {
            switch pool.takeIdle(isRelay: call.isRelay, now: loop.wakeTime) {
            case .reuse(let slot):
                publish()
                guard let connection = connections[slot] else {
                    preconditionFailure("slot \(slot) was lent without a connection")
                }
                return serve(call, on: connection, isReused: true)
            case .discard(let slot): discard(slot)
            case .none: return startWithoutIdle(call)
            }
        }
    }

    /// Opens a connection for the call, or lets it wait.
    @inline(never)
    private func startWithoutIdle(_ call: OutboundCall) {
        let mayWait = mayWait
        if !pool.hasVacantSlot { closeSpare() }
        var place: FairBudget.Charge?
        var mayOpen = true
        if pool.hasVacantSlot, let connectionPlaces {
            place = connectionPlaces.charge(1)
            if place == nil, closeSpare() { place = connectionPlaces.charge(1) }
            mayOpen = place != nil
        }
        let arrival = pool.callArrived(
            call, isRelay: call.isRelay, mayOpen: mayOpen, mayWait: mayWait, now: loop.wakeTime)
        publish()
        switch arrival {
        case .open(let slot):
            take(place, for: slot)
            open(slot, for: call)
        case .wait(let ticket):
            waiters(changedBy: 1)
            call.joinedQueue(of: self, ticket)
            if !mayOpen { awaitDescriptors() }
            // The place is for the call that has waited longest.
            if let place, let (slot, first) = pool.mayOpenAgain(now: loop.wakeTime) {
                publish()
                waiters(changedBy: -1)
                take(place, for: slot)
                open(slot, for: first)
            }
        case .refuse:
            call.failLater(
                .concurrencyLimit,
                "\(waiters) calls to this upstream and \(shared.waitingCalls) to all are already "
                    + "waiting for a connection; at most \(limits.waitingCalls) may")
        }
    }

    /// Adds why a call waits, if there is more to say.
    func explainWait(of call: OutboundCall, in detail: inout String) {
        if call.lacksDescriptors || descriptorTimer != nil {
            detail += "; no further connection to this upstream could be opened"
        }
        guard call.isRelay, pool.isRelayShareUsed else { return }
        detail += "; responses that go to clients hold all connections that they may have, \(pool.relays)"
    }

    /// Whether the queue has room for a call. A fair share: no upstream takes all places in the queue of the
    /// loop.
    var mayWait: Bool { waiters < limits.waitingCalls - shared.waitingCalls }

    private var waiters: Int { sharedWaiters?.count ?? pool.waiting }

    func waiters(changedBy number: Int) {
        shared.waitingCalls += number
        sharedWaiters?.count += number
    }

    func callLeftQueue(_ ticket: ConnectionPool<OutboundCall>.Ticket) {
        if pool.waiterLeft(ticket) { waiters(changedBy: -1) }
        publish()
    }

    /// The connection was stale and is closed. The call gets a new one in the same slot, so it takes no other
    /// call's.
    func replace(_ connection: Connection, for call: OutboundCall) {
        pool.connectionReplaced(connection.slot, now: loop.wakeTime)
        publish()
        open(connection.slot, for: call)
    }

    // MARK: Connections

    /// Whether calls wait for a connection.
    var hasWaiters: Bool { pool.waiting > 0 }

    /// The call of the connection was cancelled. It is freed soon, or closed if its place is needed.
    func becameSpare(_ connection: Connection) { spare.append(connection.slot) }

    private func endSpare(_ connection: Connection) {
        if !spare.isEmpty { spare.removeAll { $0 == connection.slot } }
    }

    /// Closes the oldest spare connection. Returns false without a spare one.
    @discardableResult
    func closeSpare() -> Bool {
        guard let slot = spare.first, let connection = connections[slot] else { return false }
        // A response that is read to its end has a call, which leaves with a timer.
        if let drained = connection.call { drained.cancel() } else { connection.discard(.callCancelled) }
        return true
    }

    /// The connection is free again: it serves the next waiter or becomes idle.
    func released(_ connection: Connection, peer: KeepAlive) {
        endSpare(connection)
        guard let waiter = nextWaiter(for: connection, peer: peer) else { return }
        serve(waiter, on: connection, isReused: true)
    }

    /// The connection is being closed, or could not be opened.
    func closes(_ connection: Connection, _ reason: DiscardReason) {
        counts?.connectionClosed(reason)
        shared.observer?.connectionDiscarded(to: origin, address: connection.address, reason)
    }

    /// The connection is closed. Its slot goes to the first waiter or becomes vacant.
    func closed(_ connection: Connection) {
        endSpare(connection)
        connections[connection.slot] = nil
        let vacancy = pool.connectionClosed(connection.slot, now: loop.wakeTime)
        publish()
        switch vacancy {
        case .none:
            if connection.slot < places.count { places[connection.slot] = nil }
            if pool.isVacant { becameVacant() }
        case .open(let slot, let waiter):
            waiters(changedBy: -1)
            open(slot, for: waiter)
        }
    }

    func becameVacant() {
        stopSweeping()
        shared.vacancySweep?.poolIsVacant()
    }

    /// An idle connection has expired.
    public func timerFired(_ token: TimerToken) {
        if token == descriptorTimer { return descriptorsDue() }
        stopSweeping()
        for slot in pool.expired(now: loop.wakeTime) { discard(slot) }
        if let next = pool.nextExpiry { sweep(by: next) }
    }

    /// Closes all connections, fails the calls that run or wait, and refuses new ones.
    func close() {
        let (idle, waiters) = pool.close()
        publish()
        self.waiters(changedBy: -waiters.count)
        for slot in idle { connections[slot]?.discard(.clientClosed) }
        stopSweeping()
        stopAwaitingDescriptors()
        for waiter in waiters { waiter.fail(.destinationUnavailable, "the client was closed") }
        for connection in connections { connection?.fail(.destinationUnavailable, "the client was closed") }
    }

    var isVacant: Bool { pool.isVacant }

    /// Whether the pool serves no call and has served none since this was asked last.
    func isUncalled() -> Bool {
        let report = pool.report
        let calls = report.opened + report.reused
        defer { callsAtLastSweep = calls }
        return calls == callsAtLastSweep && report.leased == 0 && report.waiting == 0
    }

    /// Closes idle connections if no call runs or waits. Returns whether the pool is vacant then and may be
    /// forgotten.
    func closeIdle() -> Bool {
        guard pool.busyCount == 0, pool.waiting == 0 else { return false }
        for connection in connections { connection?.discard(.idleTimeout) }
        return pool.isVacant
    }

    /// Closes the connections to other addresses than these: idle ones at once, the others when their calls
    /// have ended. Connections that are being opened serve the call that they are opened for.
    public func closeConnections(except addresses: Set<SocketAddress> = []) {
        for connection in connections { connection?.retire(except: addresses) }
    }

    func loopEnded() {
        shared.isClosed = true
        close()
    }

    /// Sets the one timer for all idle connections. Usually it is already set early enough.
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

    /// Sends the call's request on this connection. If it cannot be written as HTTP, the call fails and the
    /// next waiter gets the connection. Failures are reported once the connection is settled.
    func serve(_ call: OutboundCall, on connection: Connection, isReused: Bool) {
        guard let error = tryServing(call, on: connection, isReused: isReused) else { return }
        var failed = [(call, error)]
        while let next = nextWaiter(for: connection, peer: .unspecified),
            let error = tryServing(next, on: connection, isReused: true)
        {
            failed.append((next, error))
        }
        for (call, error) in failed { call.failLater(.requestError, error.description) }
    }

    /// Returns why the request cannot be written; nil if it goes out.
    private func tryServing(
        _ call: OutboundCall, on connection: Connection, isReused: Bool
    ) -> SerializationError? {
        if isReused, let observer = shared.observer {
            observer.connectionReused(to: origin, address: connection.address)
        }
        guard let error = connection.send(call, isReused: isReused) else { return nil }
        call.leftConnection()
        return error
    }

    private func nextWaiter(for connection: Connection, peer: KeepAlive) -> OutboundCall? {
        let peer = connection.isRetired ? KeepAlive(requestsLeft: 0) : peer
        let release = pool.connectionReleased(connection.slot, peer: peer, now: loop.wakeTime)
        publish()
        switch release {
        case .keep: sweep(by: pool.expiry(of: connection.slot))
        case .close: discard(connection.slot)
        case .lend(let waiter):
            waiters(changedBy: -1)
            return waiter
        }
        return nil
    }

    @inline(__always)
    func publish() {
        let report = pool.report
        if report != published { count(report) }
    }

    private func count(_ report: PoolReport) {
        shared.counts.change(from: published, to: report)
        cells?.change(from: published, to: report)
        published = report
    }

    func discard(_ slot: Int) {
        guard let connection = connections[slot] else { return }
        let reason = connection.isRetired ? .addressGone : pool.discardReason(of: slot, now: loop.wakeTime)
        connection.discard(reason)
    }

    func take(_ place: FairBudget.Charge?, for slot: Int) {
        guard let place else { return }
        while places.count <= slot { places.append(nil) }
        places[slot] = place
    }

    func open(_ slot: Int, for call: OutboundCall) {
        let connection = Connection(pool: self, slot: slot)
        if slot == connections.count {
            connections.append(connection)
        } else {
            connections[slot] = connection
        }
        connection.open(for: call)
    }
}
