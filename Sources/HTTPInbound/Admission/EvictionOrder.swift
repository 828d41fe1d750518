internal import EventIO

/// The order in which the connections of a loop are closed to make room for newcomers.
///
/// It has neither sockets nor a clock. The longest-idle connection of the client that holds most connections
/// goes first. If no connection is idle, the one that has waited longest for a head goes, after
/// `headPatience`. Connections above the limit hold no place, so they only make room for each other.
///
/// Each event takes constant time: see `ClientOrder`.
struct EvictionOrder {
    /// Identifies a connection from `insert` to `remove`. Numbers are used again.
    typealias Slot = Int

    enum Reason {
        /// It waits for another request.
        case idle
        /// It has sent no complete head for `headPatience`, or has not closed after its last answer.
        case slowHead
    }

    struct Candidate: Equatable {
        var slot: Slot
        var reason: Reason
    }

    /// Time that a client has for a complete head before its connection may be closed for a newcomer.
    static let headPatience = TimeAmount.seconds(1)

    /// The same above the limit. There are few such connections, so clients that send nothing must not keep
    /// health checks waiting in the kernel; a head that has arrived there is read at once.
    static let headPatienceAboveLimit = TimeAmount.milliseconds(100)

    /// How exact the order of idle connections is: a connection that serves many requests a second moves in
    /// it only this often, so that most requests cost no work here.
    static let precision = TimeAmount.milliseconds(100)

    private enum Position {
        /// In no list: it is busy, or nothing is known yet.
        case busy
        /// In its client's list.
        case idle
        /// In `heads`, or in `headsAboveLimit`.
        case head
    }

    private struct Entry {
        var client: Int
        var position = Position.busy
        var isAboveLimit: Bool
        var since: MonotonicTime
    }

    private var entries: [Entry] = []
    private var freeSlots: [Slot] = []
    private var links = IndexLists()
    /// Connections that wait for a head, longest first.
    private var heads = IndexLists.List()
    private var headsAboveLimit = IndexLists.List()

    /// The idle connections by client.
    private var idle = ClientOrder()

    private(set) var countAboveLimit = 0
    var count: Int { entries.count - freeSlots.count }

    // MARK: Events

    /// A connection was accepted and waits for its first head.
    mutating func insert(_ prefix: AddressPrefix, isAboveLimit: Bool, at now: MonotonicTime) -> Slot {
        let entry = Entry(client: idle.join(prefix), isAboveLimit: isAboveLimit, since: now)
        let slot: Slot
        if let free = freeSlots.popLast() {
            slot = free
            entries[slot] = entry
        } else {
            slot = entries.count
            entries.append(entry)
            links.addIndex()
            idle.addSlot()
        }
        if isAboveLimit { countAboveLimit += 1 }
        waitsForHead(slot, at: now)
        return slot
    }

    /// A proxy has told whose connection it is, while that waits for its first head.
    mutating func clientKnown(_ slot: Slot, _ prefix: AddressPrefix) {
        let old = entries[slot].client
        entries[slot].client = idle.join(prefix)
        idle.leave(old)
    }

    mutating func becameIdle(_ slot: Slot, at now: MonotonicTime) {
        if case .idle = entries[slot].position, now < entries[slot].since + Self.precision { return }
        isIdleAnew(slot, at: now)
    }

    private mutating func isIdleAnew(_ slot: Slot, at now: MonotonicTime) {
        becameBusy(slot)
        idle.append(slot, of: entries[slot].client)
        entries[slot].position = .idle
        entries[slot].since = now
    }

    /// A head began, or the last answer was sent and the client has not closed yet.
    mutating func waitsForHead(_ slot: Slot, at now: MonotonicTime) {
        becameBusy(slot)
        if entries[slot].isAboveLimit {
            links.append(slot, to: &headsAboveLimit)
        } else {
            links.append(slot, to: &heads)
        }
        entries[slot].position = .head
        entries[slot].since = now
    }

    /// It may not be closed until the next event. This may be reported late: when `next` has returned it.
    mutating func becameBusy(_ slot: Slot) {
        switch entries[slot].position {
        case .busy: return
        case .idle: idle.remove(slot, of: entries[slot].client)
        case .head:
            if entries[slot].isAboveLimit {
                links.remove(slot, from: &headsAboveLimit)
            } else {
                links.remove(slot, from: &heads)
            }
        }
        entries[slot].position = .busy
    }

    /// Waits from now on, behind the others that wait for the same.
    mutating func waitsAnew(_ slot: Slot, at now: MonotonicTime) {
        switch entries[slot].position {
        case .busy: break
        case .idle: isIdleAnew(slot, at: now)
        case .head: waitsForHead(slot, at: now)
        }
    }

    /// A connection above the limit got a place, for a request that has arrived.
    mutating func gotPlace(_ slot: Slot) {
        guard entries[slot].isAboveLimit else { return }
        becameBusy(slot)
        entries[slot].isAboveLimit = false
        countAboveLimit -= 1
    }

    mutating func remove(_ slot: Slot) {
        becameBusy(slot)
        if entries[slot].isAboveLimit { countAboveLimit -= 1 }
        idle.leave(entries[slot].client)
        freeSlots.append(slot)
    }

    // MARK: Choosing

    /// The connection that makes room for a newcomer. It stays in the order.
    mutating func next(at now: MonotonicTime) -> Candidate? {
        if let slot = idle.first() { return Candidate(slot: slot, reason: .idle) }
        return slowest(of: heads, after: Self.headPatience, at: now)
    }

    /// The connection above the limit that makes room for another one above the limit. It stays in the order.
    func nextAboveLimit(at now: MonotonicTime) -> Candidate? {
        slowest(of: headsAboveLimit, after: Self.headPatienceAboveLimit, at: now)
    }

    private func slowest(
        of list: IndexLists.List, after patience: TimeAmount, at now: MonotonicTime
    ) -> Candidate? {
        guard let slot = list.first, entries[slot].since + patience <= now else { return nil }
        return Candidate(slot: slot, reason: .slowHead)
    }
}
