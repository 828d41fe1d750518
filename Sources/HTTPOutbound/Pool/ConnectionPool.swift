internal import EventIO

/// Decides which call gets which connection of one origin on one loop. It opens and closes nothing; its
/// answers name connections by their slots, which are vacant, busy (connecting, or lent to one call) or idle:
///
///     vacant -> busy    callArrived (.open), connectionClosed (.open), mayOpenAgain
///     busy   -> vacant  connectionUnopened
///     busy   -> idle    connectionReleased (.keep)
///     busy   -> busy    connectionReleased (.lend), connectionReplaced
///     idle   -> busy    takeIdle (.reuse)
///     busy   -> vacant  connectionClosed
///     idle   -> vacant  connectionClosed
///
/// Calls wait while every slot is busy, or while no more connections may be opened. No call overtakes the
/// queue, with one exception: relays, the calls whose responses are passed on as they arrive, have only a
/// part of the slots. At that bound they wait for each other, and other calls overtake them.
struct ConnectionPool<Waiter> {
    typealias Slot = Int
    typealias Ticket = CallQueue<Waiter>.Ticket

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
        /// The call gets no connection now and cannot wait, because the queue is full. Or the pool is closed.
        case refuse
    }

    enum Release {
        case keep
        /// The connection goes to the first waiter that may have it.
        case lend(Waiter)
        /// The connection is used up: close it and tell the pool.
        case close
    }

    enum Vacancy {
        case none
        /// Open a connection for the first waiter that may have it, in the slot that has become vacant.
        case open(Slot, Waiter)
    }

    private enum State {
        case vacant
        case busy
        case idle
    }

    private struct Entry {
        var state = State.vacant
        /// Whether it is busy with a relay.
        var isRelay = false
        var oldest = MonotonicTime.distantFuture
        var expiry = MonotonicTime.distantFuture
        var requestsLeft = 0
    }

    private let limits: PoolLimits
    private var entries: [Entry] = []
    private var vacant: [Slot] = []
    private var idle: [Slot] = []
    private var queue = CallQueue<Waiter>()
    /// Busy slots with relays.
    private(set) var relays = 0
    private var isClosed = false
    private var opened = 0
    private var reused = 0

    init(limits: OutboundLimits) {
        self.limits = PoolLimits(limits)
    }

    var waiting: Int { queue.count }
    var idleCount: Int { idle.count }
    /// The slot that has been idle for longest; nil if none is idle.
    var longestIdle: Slot? { idle.first }
    var busyCount: Int { entries.count - vacant.count - idle.count }

    var isVacant: Bool { vacant.count == entries.count }

    var report: PoolReport {
        PoolReport(
            idle: idleCount, leased: busyCount, relays: relays, waiting: waiting, opened: opened,
            reused: reused)
    }

    /// Whether relays have all connections that they may have.
    var isRelayShareUsed: Bool { !mayRelay }

    private var mayRelay: Bool { relays < limits.relays }

    /// A call wants a connection. The one used last is lent first, so that surplus connections expire. If
    /// there is none, or none for a relay, call `callArrived`.
    mutating func takeIdle(isRelay: Bool = false, now: MonotonicTime) -> Idle {
        guard let slot = idle.last, !isClosed, !isRelay || mayRelay else { return .none }
        if entries[slot].expiry <= now { return .discard(slot) }
        idle.removeLast()
        lend(slot, isRelay: isRelay)
        return .reuse(slot)
    }

    /// Whether a slot is vacant.
    var hasVacantSlot: Bool { busyCount < limits.connections && !isClosed }

    /// A call wants a connection, and none is idle, or none for a relay.
    ///
    /// - Parameters:
    ///   - waiter: the call.
    ///   - isRelay: whether its response is passed on as it arrives.
    ///   - mayOpen: whether another connection may be opened. If not, a call waits for a connection in use,
    ///     or until `mayOpenAgain`.
    ///   - mayWait: whether the queue has room.
    ///   - now: the time.
    mutating func callArrived(
        _ waiter: @autoclosure () -> Waiter, isRelay: Bool = false, mayOpen: Bool = true, mayWait: Bool,
        now: MonotonicTime
    ) -> Arrival {
        if isClosed { return .refuse }
        if mayOpen, !isRelay || mayRelay, !queue.hasNext(mayRelay: mayRelay), let slot = vacantSlot() {
            occupy(slot, isRelay: isRelay, now: now)
            return .open(slot)
        }
        guard mayWait else { return .refuse }
        return .wait(queue.append(waiter(), isRelay: isRelay))
    }

    /// Another connection may be opened. Returns the first waiter that may have it and a slot for it; nil if
    /// there is no such waiter, or every slot is taken.
    mutating func mayOpenAgain(now: MonotonicTime) -> (slot: Slot, waiter: Waiter)? {
        guard queue.hasNext(mayRelay: mayRelay), let slot = vacantSlot() else { return nil }
        guard let next = queue.popFirst(mayRelay: mayRelay) else {
            vacant.append(slot)
            return nil
        }
        occupy(slot, isRelay: next.isRelay, now: now)
        return (slot, next.waiter)
    }

    /// The connection of this slot could not be opened now, though perhaps later. Its call waits for another
    /// one.
    mutating func connectionUnopened(_ slot: Slot, _ waiter: Waiter) -> Ticket {
        precondition(entries[slot].state == .busy, "slot \(slot) opened while \(entries[slot].state)")
        let isRelay = entries[slot].isRelay
        relays -= isRelay ? 1 : 0
        entries[slot] = Entry()
        vacant.append(slot)
        return queue.append(waiter, isRelay: isRelay)
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
        if entry.isRelay {
            relays -= 1
            entry.isRelay = false
        }
        if let next = queue.popFirst(mayRelay: mayRelay) {
            lend(slot, isRelay: next.isRelay)
            return .lend(next.waiter)
        }
        let idleTime = min(limits.idle, peer.idleTimeout ?? limits.idle)
        if idleTime <= .zero {
            entries[slot].isRelay = false
            return .close
        }
        entry.state = .idle
        entry.expiry = min(now + idleTime, entry.oldest)
        entries[slot] = entry
        idle.append(slot)
        return .keep
    }

    /// The busy connection of this slot was closed, and the same call opens another one.
    mutating func connectionReplaced(_ slot: Slot, now: MonotonicTime) {
        precondition(entries[slot].state == .busy, "slot \(slot) replaced while \(entries[slot].state)")
        relays -= entries[slot].isRelay ? 1 : 0
        occupy(slot, isRelay: entries[slot].isRelay, now: now)
    }

    /// The connection of this slot was closed, or could not be opened.
    mutating func connectionClosed(_ slot: Slot, now: MonotonicTime) -> Vacancy {
        switch entries[slot].state {
        case .vacant: preconditionFailure("slot \(slot) closed twice")
        case .busy: relays -= entries[slot].isRelay ? 1 : 0
        case .idle: idle.removeAll { $0 == slot }
        }
        if !isClosed, let next = queue.popFirst(mayRelay: mayRelay) {
            occupy(slot, isRelay: next.isRelay, now: now)
            return .open(slot, next.waiter)
        }
        entries[slot] = Entry()
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
        while let next = queue.popFirst(mayRelay: true) { waiters.append(next.waiter) }
        return (idle, waiters)
    }

    private mutating func vacantSlot() -> Slot? {
        if let slot = vacant.popLast() { return slot }
        guard entries.count < limits.connections else { return nil }
        entries.append(Entry())
        return entries.count - 1
    }

    private mutating func occupy(_ slot: Slot, isRelay: Bool, now: MonotonicTime) {
        opened += 1
        if isRelay { relays += 1 }
        entries[slot] = Entry(
            state: .busy, isRelay: isRelay, oldest: now + limits.age, requestsLeft: limits.requests - 1)
    }

    @inline(__always)
    private mutating func lend(_ slot: Slot, isRelay: Bool) {
        reused += 1
        if isRelay { relays += 1 }
        var entry = entries[slot]
        entry.state = .busy
        entry.isRelay = isRelay
        entry.requestsLeft -= 1
        entries[slot] = entry
    }
}

private struct PoolLimits {
    let connections: Int
    let relays: Int
    let requests: Int
    let idle: TimeAmount
    let age: TimeAmount

    init(_ limits: OutboundLimits) {
        connections = limits.connectionsPerUpstream
        relays = limits.relaysPerUpstream
        // Counted down from.
        requests = max(limits.requestsPerConnection, 1)
        idle = TimeAmount(limits.idleTimeout)
        age = TimeAmount(limits.connectionAge)
    }
}
