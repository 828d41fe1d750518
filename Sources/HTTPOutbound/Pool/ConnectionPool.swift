internal import EventIO

/// Decides, for one upstream on one loop, which call gets which connection. It opens and closes nothing itself:
/// the answers say what to do, and every connection is named by its slot.
///
/// A slot is vacant, busy (connecting or lent to one call) or idle. Its way:
///
///     vacant -> busy    callArrived (.open), connectionClosed (.open)
///     busy   -> idle    connectionReleased (.keep)
///     busy   -> busy    connectionReleased (.lend), connectionReplaced
///     idle   -> busy    callArrived (.reuse)
///     busy   -> vacant  connectionClosed
///     idle   -> vacant  connectionClosed
///
/// Somebody waits only while every slot is busy, so nobody can overtake the line.
struct ConnectionPool<Waiter> {
    typealias Slot = Int
    typealias Ticket = WaitingLine<Waiter>.Ticket

    enum Arrival {
        /// The idle connection in this slot is the call's.
        case reuse(Slot)
        /// Open a connection in this slot for the call.
        case open(Slot)
        /// The idle connection in this slot is too old: close it, tell the pool, and ask again.
        case discard(Slot)
        /// The call waits. The ticket is its way out.
        case wait(Ticket)
        /// Every slot is busy and there is no room to wait, or the pool is closed.
        case refuse
    }

    enum Release {
        /// It is idle now.
        case keep
        /// It is the first waiter's.
        case lend(Waiter)
        /// It is used up: close it and tell the pool.
        case close
    }

    enum Vacancy {
        case none
        /// Open a connection in the slot that just fell vacant, for the first waiter.
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
    private var line = WaitingLine<Waiter>()
    private var isClosed = false
    private var opened = 0
    private var reused = 0

    init(limits: OutboundLimits) {
        self.limits = PoolLimits(limits)
    }

    var waiting: Int { line.count }
    var idleCount: Int { idle.count }
    var busyCount: Int { entries.count - vacant.count - idle.count }

    /// Whether it has no connection at all.
    var isVacant: Bool { vacant.count == entries.count }

    var report: PoolReport {
        PoolReport(idle: idleCount, leased: busyCount, waiting: waiting, opened: opened, reused: reused)
    }

    /// A call wants a connection. The one used last is lent first, so that the ones not needed grow old.
    mutating func callArrived(_ waiter: @autoclosure () -> Waiter, mayWait: Bool, now: MonotonicTime)
        -> Arrival
    {
        if isClosed { return .refuse }
        if let slot = idle.last {
            if entries[slot].expiry <= now { return .discard(slot) }
            idle.removeLast()
            lend(slot)
            return .reuse(slot)
        }
        if let slot = vacantSlot() {
            occupy(slot, now: now)
            return .open(slot)
        }
        return mayWait ? .wait(line.append(waiter())) : .refuse
    }

    /// Whether it still was in the line.
    @discardableResult
    mutating func waiterLeft(_ ticket: Ticket) -> Bool {
        line.remove(ticket)
    }

    /// A call is through with its connection, the response was whole, and the peer allows another request.
    mutating func connectionReleased(_ slot: Slot, peer: KeepAlive, now: MonotonicTime) -> Release {
        // A copy, as each change in place asks whether the array is shared.
        var entry = entries[slot]
        precondition(entry.state == .busy, "slot \(slot) released while \(entry.state)")
        if let left = peer.requestsLeft {
            entry.requestsLeft = min(entry.requestsLeft, left)
            entries[slot].requestsLeft = entry.requestsLeft
        }
        if isClosed || entry.requestsLeft <= 0 || entry.oldest <= now { return .close }
        if let waiter = line.popFirst() {
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

    /// The busy connection of this slot is gone, and the same call opens another in its place.
    mutating func connectionReplaced(_ slot: Slot, now: MonotonicTime) {
        precondition(entries[slot].state == .busy, "slot \(slot) replaced while \(entries[slot].state)")
        occupy(slot, now: now)
    }

    /// The connection of this slot is gone, or never came to be.
    mutating func connectionClosed(_ slot: Slot, now: MonotonicTime) -> Vacancy {
        switch entries[slot].state {
        case .vacant: preconditionFailure("slot \(slot) closed twice")
        case .busy: break
        case .idle: idle.removeAll { $0 == slot }
        }
        if !isClosed, let waiter = line.popFirst() {
            occupy(slot, now: now)
            return .open(slot, waiter)
        }
        entries[slot].state = .vacant
        vacant.append(slot)
        return .none
    }

    /// The idle connections whose time is over. They stay idle until `connectionClosed` names them.
    func expired(now: MonotonicTime) -> [Slot] {
        idle.filter { entries[$0].expiry <= now }
    }

    /// When the next idle connection is too old, or nil when none is idle.
    var nextExpiry: MonotonicTime? {
        idle.lazy.map { entries[$0].expiry }.min()
    }

    /// Why the connection of this slot is used no more.
    func discardReason(of slot: Slot, now: MonotonicTime) -> DiscardReason {
        if isClosed { return .clientClosed }
        if entries[slot].requestsLeft <= 0 { return .requestsUsedUp }
        return entries[slot].oldest <= now ? .age : .idleTimeout
    }

    /// When this idle connection is too old.
    func expiry(of slot: Slot) -> MonotonicTime { entries[slot].expiry }

    /// No call is served from now on. Answers the idle slots, to be closed, and everybody who waited.
    mutating func close() -> (idle: [Slot], waiters: [Waiter]) {
        isClosed = true
        var waiters: [Waiter] = []
        while let waiter = line.popFirst() { waiters.append(waiter) }
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
