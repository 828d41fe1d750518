internal import EventIO

/// The order in which the connections of a loop are closed to make room for newcomers.
///
/// It has neither sockets nor a clock. The longest-idle connection of the client that holds most connections
/// goes first. If no connection is idle, the one that has waited longest for a head goes, after
/// `headPatience`. Connections above the limit hold no place, so they only make room for each other.
///
/// Each event takes constant time, so that a flood of newcomers costs the same with many connections as with
/// few. Only `next` may walk down from the largest client to the next smaller one.
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

    private struct Client {
        let prefix: AddressPrefix
        /// All its connections on this loop.
        var count = 0
        /// The idle ones, longest idle first.
        var idle = IndexLists.List()
    }

    private var entries: [Entry] = []
    private var freeSlots: [Slot] = []
    private var links = IndexLists()
    /// Connections that wait for a head, longest first.
    private var heads = IndexLists.List()
    private var headsAboveLimit = IndexLists.List()

    private var clients: [Client] = []
    private var freeClients: [Int] = []
    private var clientByPrefix: [AddressPrefix: Int] = [:]
    private var clientLinks = IndexLists()
    /// The clients with idle connections, by their number of connections.
    private var clientsByCount: [IndexLists.List] = []
    /// No client with idle connections has more connections than this.
    private var largestCount = 0

    private(set) var countAboveLimit = 0
    var count: Int { entries.count - freeSlots.count }

    // MARK: Events

    /// A connection was accepted and waits for its first head.
    mutating func insert(_ prefix: AddressPrefix, isAboveLimit: Bool, at now: MonotonicTime) -> Slot {
        let entry = Entry(client: client(prefix), isAboveLimit: isAboveLimit, since: now)
        let slot: Slot
        if let free = freeSlots.popLast() {
            slot = free
            entries[slot] = entry
        } else {
            slot = entries.count
            entries.append(entry)
            links.addIndex()
        }
        if isAboveLimit { countAboveLimit += 1 }
        changeCount(of: entry.client, by: 1)
        waitsForHead(slot, at: now)
        return slot
    }

    /// A proxy has told whose connection it is, while that waits for its first head.
    mutating func clientKnown(_ slot: Slot, _ prefix: AddressPrefix) {
        let (old, new) = (entries[slot].client, client(prefix))
        guard old != new else { return }
        entries[slot].client = new
        changeCount(of: new, by: 1)
        changeCount(of: old, by: -1)
    }

    mutating func becameIdle(_ slot: Slot, at now: MonotonicTime) {
        if case .idle = entries[slot].position, now < entries[slot].since + Self.precision { return }
        isIdleAnew(slot, at: now)
    }

    private mutating func isIdleAnew(_ slot: Slot, at now: MonotonicTime) {
        becameBusy(slot)
        let client = entries[slot].client
        let isFirst = clients[client].idle.isEmpty
        links.append(slot, to: &clients[client].idle)
        entries[slot].position = .idle
        entries[slot].since = now
        if isFirst { list(client) }
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
        case .idle:
            let client = entries[slot].client
            links.remove(slot, from: &clients[client].idle)
            if clients[client].idle.isEmpty { unlist(client) }
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
        changeCount(of: entries[slot].client, by: -1)
        freeSlots.append(slot)
    }

    // MARK: Choosing

    /// The connection that makes room for a newcomer. It stays in the order.
    mutating func next(at now: MonotonicTime) -> Candidate? {
        while largestCount > 0, clientsByCount[largestCount].isEmpty { largestCount -= 1 }
        if largestCount > 0, let client = clientsByCount[largestCount].first,
            let slot = clients[client].idle.first
        {
            return Candidate(slot: slot, reason: .idle)
        }
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

    // MARK: Clients

    private mutating func client(_ prefix: AddressPrefix) -> Int {
        if let known = clientByPrefix[prefix] { return known }
        let client: Int
        if let free = freeClients.popLast() {
            client = free
            clients[client] = Client(prefix: prefix)
        } else {
            client = clients.count
            clients.append(Client(prefix: prefix))
            clientLinks.addIndex()
        }
        clientByPrefix[prefix] = client
        return client
    }

    private mutating func changeCount(of client: Int, by change: Int) {
        let isListed = !clients[client].idle.isEmpty
        if isListed { unlist(client) }
        clients[client].count += change
        if isListed { list(client) }
        guard clients[client].count == 0 else { return }
        clientByPrefix[clients[client].prefix] = nil
        freeClients.append(client)
    }

    /// Lists a client with idle connections, behind the others with as many connections. So of clients that
    /// always had one connection each, the longest idle goes first.
    private mutating func list(_ client: Int) {
        let count = clients[client].count
        while clientsByCount.count <= count { clientsByCount.append(IndexLists.List()) }
        clientLinks.append(client, to: &clientsByCount[count])
        largestCount = max(largestCount, count)
    }

    private mutating func unlist(_ client: Int) {
        clientLinks.remove(client, from: &clientsByCount[clients[client].count])
    }
}
