internal import EventIO

/// The connections of a loop whose TLS handshake is not done, and which of them makes room for a newcomer.
///
/// It has neither sockets nor a clock. Each event takes constant time: see `ClientOrder`. A connection whose
/// ClientHello is not complete has cost nothing, so it gives way at once, and a flood of them neither delays
/// newcomers nor ends the handshakes of others. Of both kinds the one with more connections gives way first,
/// so whoever fills the places makes room.
struct UnfinishedHandshakes {
    private enum Stage {
        /// The ClientHello is not complete.
        case hello
        /// Its next step waits for its turn. It never gives way: the delay is ours.
        case turn
        /// The server has answered, and waits for the client.
        case answered
    }

    private struct Entry {
        var stage: Stage
        var prefix: AddressPrefix
        /// Its number in the order of its stage. Without a meaning while it waits for its turn.
        var client: Int
        /// When the server answered first.
        var answeredAt: MonotonicTime?
    }

    /// Time that a client has, from the server's first answer, before its connection may be closed for a
    /// newcomer.
    static let patience = TimeAmount.seconds(1)

    /// By slot.
    private var entries: [Entry] = []
    private var hello = ClientOrder()
    private var helloCount = 0
    private var answered = ClientOrder()
    private var answeredCount = 0
    /// The same connections as in `answered`, longest first.
    private var longest = IndexLists.List()
    private var links = IndexLists()
    private(set) var count = 0

    // MARK: Events

    /// A connection was accepted.
    ///
    /// - Parameter slot: of the server's order.
    mutating func insert(_ slot: Int, _ prefix: AddressPrefix) {
        let entry = Entry(stage: .hello, prefix: prefix, client: 0, answeredAt: nil)
        while entries.count <= slot {
            entries.append(entry)
            hello.addSlot()
            answered.addSlot()
            links.addIndex()
        }
        entries[slot] = entry
        enter(slot, .hello)
        count += 1
    }

    /// A proxy has told whose connection it is.
    mutating func clientKnown(_ slot: Int, _ prefix: AddressPrefix) {
        let stage = entries[slot].stage
        leave(slot)
        entries[slot].prefix = prefix
        enter(slot, stage)
    }

    /// Bytes have arrived, and the step that they allow waits for its turn.
    mutating func awaitsTurn(_ slot: Int) {
        leave(slot)
        enter(slot, .turn)
    }

    /// It has had its turn, and waits for the client behind the others.
    ///
    /// - Parameter hasAnswered: whether anything was sent to the client.
    mutating func hadTurn(_ slot: Int, hasAnswered: Bool, at now: MonotonicTime) {
        leave(slot)
        if hasAnswered, entries[slot].answeredAt == nil { entries[slot].answeredAt = now }
        enter(slot, hasAnswered ? .answered : .hello)
    }

    /// It has sent bytes that were not read yet, so others make room before it.
    mutating func hasSent(_ slot: Int) {
        let stage = entries[slot].stage
        leave(slot)
        enter(slot, stage)
    }

    /// Removes one that was inserted.
    mutating func remove(_ slot: Int) {
        leave(slot)
        count -= 1
    }

    private mutating func enter(_ slot: Int, _ stage: Stage) {
        entries[slot].stage = stage
        switch stage {
        case .turn: break
        case .hello:
            entries[slot].client = hello.join(entries[slot].prefix)
            hello.append(slot, of: entries[slot].client)
            helloCount += 1
        case .answered:
            entries[slot].client = answered.join(entries[slot].prefix)
            answered.append(slot, of: entries[slot].client)
            links.append(slot, to: &longest)
            answeredCount += 1
        }
    }

    private mutating func leave(_ slot: Int) {
        let client = entries[slot].client
        switch entries[slot].stage {
        case .turn: break
        case .hello:
            hello.remove(slot, of: client)
            hello.leave(client)
            helloCount -= 1
        case .answered:
            answered.remove(slot, of: client)
            answered.leave(client)
            links.remove(slot, from: &longest)
            answeredCount -= 1
        }
    }

    // MARK: Choosing

    /// The connection that makes room for a newcomer; nil if none may be closed now. It stays unfinished.
    ///
    /// It is the longest one of the client with the most such connections. One whose ClientHello is not
    /// complete goes at once, and any other after `patience`.
    mutating func next(at now: MonotonicTime) -> Int? {
        // Most wait for the server. A newcomer can wait as well, and the few others have done nothing wrong.
        if count - helloCount - answeredCount > count / 2 { return nil }
        if helloCount < answeredCount, let slot = overdue(at: now) { return slot }
        return hello.first() ?? overdue(at: now)
    }

    /// One that was answered and has had its time, even if the client with the most has none.
    private mutating func overdue(at now: MonotonicTime) -> Int? {
        if let slot = answered.first(), isOverdue(slot, at: now) { return slot }
        return longest.first.flatMap { isOverdue($0, at: now) ? $0 : nil }
    }

    private func isOverdue(_ slot: Int, at now: MonotonicTime) -> Bool {
        entries[slot].answeredAt.map { $0 + Self.patience <= now } ?? false
    }
}
