internal import EventIO

/// Decides which call gets which connection of one origin on one loop. It opens and closes nothing; its answers name
/// connections by their slots, which are vacant, busy (connecting, or lent to one call) or idle:
///
///     vacant -> busy    callArrived (.open), connectionClosed (.open), mayOpenAgain
///     busy   -> idle    connectionReleased (.keep)
///     busy   -> busy    connectionReleased (.lend), connectionReplaced
///     idle   -> busy    takeIdle (.reuse)
///     busy   -> vacant  connectionClosed
///     idle   -> vacant  connectionClosed
///
/// Calls wait while every slot is busy, or while no more connections may be opened. No call overtakes the queue.
struct ConnectionPool<Waiter> {
    typealias Slot = Int
    typealias Ticket = WaitQueue<Waiter>.Ticket

    enum Idle {
        /// The call gets the idle connection of this slot.
        case reuse(Slot)
        /// The idle connection of this slot is too old: close it, tell the pool, and ask again.
        case discard(Slot)
        case none
    }

    enum Arrival {
        /// Open a connection in this slot for the call.
        case open(Slot)
        /// The call waits. It leaves the queue by this ticket.
        case wait(Ticket)
        /// No connection is idle or may be opened, and the call cannot wait: the queue is full, or no connection is in use.
        /// Or the pool is closed.
        case refuse
    }

    enum Release {
        case keep
        /// The connection goes to the first waiter.
        case lend(Waiter)
        /// The connection is used up: close it and tell the pool.
        case close
    }

    enum Vacancy {
        case none
        /// Open a connection for the first waiter, in the slot that has become vacant.
        case open(Slot, Waiter)
    }

    private enum State {
        case vacant
        case busy
        case idle
    }

    private struct Entry {
        var state = State.vacant
        var oldest = MonotonicTime.distantFuture
        var expiry = MonotonicTime.distantFuture
        var requestsLeft = 0
    }

    private let limits: PoolLimits
    private var entries: [Entry] = []
    private var vacant: [Slot] = []
    private var idle: [Slot] = []
    private var queue = WaitQueue<Waiter>()
    private var isClosed = false
    private var opened = 0
    private var reused = 0

    init(limits: OutboundLimits) {
        self.limits = PoolLimits(limits)
    }

    var waiting: Int { queue.count }
    var idleCount: Int { idle.count }
    var busyCount: Int { entries.count - vacant.count - idle.count }

    var isVacant: Bool { vacant.count == entries.count }

    var report: PoolReport {
        PoolReport(idle: idleCount, leased: busyCount, waiting: waiting, opened: opened, reused: reused)
    }

    /// A call wants a connection. The one used last is lent first, so that surplus connections expire. If there is none, call
    /// `callArrived`.
    mutating func takeIdle(now: MonotonicTime) -> Idle {
        guard let slot = idle.last, !isClosed else { return .none }
        if entries[slot].expiry <= now { return .discard(slot) }
        idle.removeLast()
        lend(slot)
        return .reuse(slot)
    }

    /// Whether a slot is vacant.
    var hasVacantSlot: Bool { busyCount < limits.connections && !isClosed }

    /// A call wants a connection, and none is idle.
    ///
    /// - Parameters:
    ///   - mayOpen: whether another connection may be opened. If not, a call waits for one of those in use.
    ///   - mayWait: whether the queue has room.
    mutating func callArrived(
        _ waiter: @autoclosure () -> Waiter, mayOpen: Bool = true, mayWait: Bool, now: MonotonicTime
    ) -> Arrival {
        if isClosed { return .refuse }
        if mayOpen, queue.count == 0, let slot = vacantSlot() {
            occupy(slot, now: now)
            return .open(slot)
        }
        // Without a busy connection nothing would end the wait.
        return mayWait && (mayOpen || busyCount > 0) ? .wait(queue.append(waiter())) : .refuse
    }

    /// Another connection may be opened. Returns the first waiter and a slot for its connection; nil if none waits, or
    /// every slot is busy.
    mutating func mayOpenAgain(now: MonotonicTime) -> (slot: Slot, waiter: Waiter)? {
        guard queue.count > 0, let slot = vacantSlot() else { return nil }
        guard let waiter = queue.popFirst() else {
            vacant.append(slot)
            return nil
        }
        occupy(slot, now: now)
        return (slot, waiter)
    }

    /// Returns whether it was still in the queue.
    @discardableResult
    mutating func waiterLeft(_ ticket: Ticket) -> Bool {
        queue.remove(ticket)
    }

    /// The response is complete, and the peer allows another request on this connection.
    mutating func connectionReleased(_ slot: Slot, peer: KeepAlive, now: MonotonicTime) -> Release {
        // Changed as a copy: each change in place would check whether the array is shared.
        var entry = entries[slot]
        precondition(entry.state == .busy, "slot \(slot) released while \(entry.state)")
        if let left = peer.requestsLeft {
            entry.requestsLeft = min(entry.requestsLeft, left)
            entries[slot].requestsLeft = entry.requestsLeft
        }
        if isClosed || entry.requestsLeft <= 0 || entry.oldest <= now { return .close }
        if let waiter = queue.popFirst() {
            lend(slot)
            return .lend(waiter)
        }
        let idleTime = min(limits.idle, peer.idleTimeout ?? limits.idle)
        if idleTime <= .zero { return .close }
        entry.state = .idle
        entry.expiry = min(now + idleTime, entry.oldest)
        entries[slot] = entry
        idle.append(slot)
        return .keep
    }

    /// The busy connection of this slot was closed, and the same call opens another one.
    mutating func connectionReplaced(_ slot: Slot, now: MonotonicTime) {
        precondition(entries[slot].state == .busy, "slot \(slot) replaced while \(entries[slot].state)")
        occupy(slot, now: now)
    }

    /// The connection of this slot was closed, or could not be opened.
    mutating func connectionClosed(_ slot: Slot, now: MonotonicTime) -> Vacancy {
        switch entries[slot].state {
        case .vacant: preconditionFailure("slot \(slot) closed twice")
        case .busy: break
        case .idle: idle.removeAll { $0 == slot }
        }
        if !isClosed, let waiter = queue.popFirst() {
            occupy(slot, now: now)
            return .open(slot, waiter)
        }
        entries[slot].state = .vacant
        vacant.append(slot)
        return .none
    }

    /// They stay idle until `connectionClosed`.
    func expired(now: MonotonicTime) -> [Slot] {
        idle.filter { entries[$0].expiry <= now }
    }

    /// When the next idle connection expires; nil if none is idle.
    var nextExpiry: MonotonicTime? {
        idle.lazy.map { entries[$0].expiry }.min()
    }

    func discardReason(of slot: Slot, now: MonotonicTime) -> DiscardReason {
        if isClosed { return .clientClosed }
        if entries[slot].requestsLeft <= 0 { return .requestsUsedUp }
        return entries[slot].oldest <= now ? .age : .idleTimeout
    }

    func expiry(of slot: Slot) -> MonotonicTime { entries[slot].expiry }

    /// Serves no call from now on. Returns the idle slots, to be closed, and all waiters.
    mutating func close() -> (idle: [Slot], waiters: [Waiter]) {
        isClosed = true
        var waiters: [Waiter] = []
        while let waiter = queue.popFirst() { waiters.append(waiter) }
        return (idle, waiters)
    }

    private mutating func vacantSlot() -> Slot? {
        if let slot = vacant.popLast() { return slot }
        guard entries.count < limits.connections else { return nil }
        entries.append(Entry())
        return entries.count - 1
    }

    private mutating func occupy(_ slot: Slot, now: MonotonicTime) {
        opened += 1
        entries[slot] = Entry(
            state: .busy, oldest: now + limits.age, requestsLeft: limits.requests - 1)
    }

    private mutating func lend(_ slot: Slot) {
        reused += 1
        var entry = entries[slot]
        entry.state = .busy
        entry.requestsLeft -= 1
        entries[slot] = entry
    }
}

private struct PoolLimits {
    let connections: Int
    let requests: Int
    let idle: TimeAmount
    let age: TimeAmount

    init(_ limits: OutboundLimits) {
        connections = limits.connectionsPerUpstream
        requests = limits.requestsPerConnection
        idle = TimeAmount(limits.idleTimeout)
        age = TimeAmount(limits.connectionAge)
    }
}
