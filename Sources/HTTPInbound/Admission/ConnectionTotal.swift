internal import Synchronization

/// The client connections of all loops of a process, and their limit.
///
/// Pass the same total to the server of each loop. A loop may have more than its share while the total has
/// room.
public final class ConnectionTotal: Sendable {
    /// The most connections of the process.
    public let limit: Int
    private let count = Atomic(0)

    /// Creates a total without connections.
    public init(limit: Int) {
        self.limit = limit
    }

    /// Whether the limit has not been reached. Another loop may reach it at any time.
    var hasRoom: Bool { count.load(ordering: .relaxed) < limit }

    /// Counts a connection. Returns false at the limit.
    func add() -> Bool {
        var old = count.load(ordering: .relaxed)
        while old < limit {
            let (exchanged, original) = count.weakCompareExchange(
                expected: old, desired: old + 1, ordering: .relaxed)
            if exchanged { return true }
            old = original
        }
        return false
    }

    func remove() {
        count.subtract(1, ordering: .relaxed)
    }
}
