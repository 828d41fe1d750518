internal import EventIO

/// The connections of a loop whose TLS handshake is not done, longest first.
struct UnfinishedHandshakes {
    /// Time that a client has for its handshake before its connection may be closed for a newcomer.
    static let patience = TimeAmount.seconds(1)

    private var links = IndexLists()
    private var list = IndexLists.List()
    /// By slot.
    private var since: [MonotonicTime] = []
    private(set) var count = 0

    /// - Parameter slot: of the server's order.
    mutating func insert(_ slot: Int, at now: MonotonicTime) {
        while since.count <= slot {
            since.append(now)
            links.addIndex()
        }
        since[slot] = now
        links.append(slot, to: &list)
        count += 1
    }

    /// Removes one that was inserted.
    mutating func remove(_ slot: Int) {
        links.remove(slot, from: &list)
        count -= 1
    }

    /// The longest unfinished one, if its client has had its time. It stays in the list.
    func oldest(at now: MonotonicTime) -> Int? {
        guard let slot = list.first, since[slot] + Self.patience <= now else { return nil }
        return slot
    }
}
