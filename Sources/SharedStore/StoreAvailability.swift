public import EventIO
internal import Locking
internal import Synchronization

/// What a process knows about a store, from the connections of all its loops.
///
/// The store is away from the first failure until it has decided about a request and no failure has followed
/// within a second, and until all loops have reached it. So a store that answers now and then, or only some
/// loops, is reported once, and not with each of its answers.
/// A connection alone brings it back only if no request has missed it: a store that accepts connections may
/// still refuse to count, for instance without memory.
///
/// The connections of other loops that rest after a failed attempt are told when one loop reaches the store.
/// Otherwise they would refuse requests for the old reason for up to five seconds.
public final class StoreAvailability: Sendable {
    /// A change that operators should know.
    public enum Change: Sendable, Hashable {
        /// The store is away, for this reason.
        case lost(StoreFailure)
        /// The store answers again, after this time. In between, it did not decide about this many requests.
        case back(after: TimeAmount, failures: Int)
    }

    private struct State {
        var lostAt: MonotonicTime?
        /// When the first answer after the last failure came; nil without one.
        var answeredAt: MonotonicTime?
        var missed = 0
        /// What ends the rest of each connection that waits for its next attempt.
        var resting: [ObjectIdentifier: @Sendable () -> Void] = [:]
        /// The connections that have rested and have not reached the store since.
        var unconnected: Set<ObjectIdentifier> = []
        var status = StoreStatus()
    }

    /// How long no failure may come after an answer before the store counts as back.
    static let quiet = TimeAmount.seconds(1)

    private let state = Lock(State())
    /// A copy of whether the store is away, so that answers usually take no lock.
    private let isAway = Atomic(false)
    private let report: @Sendable (Change) -> Void

    /// - Parameter report: called for each change, on the loop that notices it.
    public init(report: @escaping @Sendable (Change) -> Void) { self.report = report }

    /// How the store is doing.
    public var status: StoreStatus { state.withLock { $0.status } }

    /// A command failed, or a connection could not be made.
    func failed(_ failure: StoreFailure, isCommand: Bool, at now: MonotonicTime) {
        let isNew = state.withLock { state in
            state.answeredAt = nil
            if isCommand {
                state.status.failures[failure.kind, default: 0] += 1
                state.missed += 1
            }
            guard state.lostAt == nil else { return false }
            state.lostAt = now
            state.status.isAvailable = false
            isAway.store(true, ordering: .relaxed)
            return true
        }
        if isNew { report(.lost(failure)) }
    }

    /// The store has decided. Returns when to call `check`, if it is not certain yet that the store is back.
    func answered(at now: MonotonicTime) -> MonotonicTime? {
        guard isAway.load(ordering: .relaxed) else { return nil }
        state.withLock { $0.answeredAt = $0.answeredAt ?? max(now, $0.lostAt ?? now) }
        return check(at: now)
    }

    /// Decides whether the store is back. Returns when to call it again; nil if it is back or has not
    /// answered.
    func check(at now: MonotonicTime) -> MonotonicTime? {
        let (change, later) = state.withLock { state -> (Change?, MonotonicTime?) in
            guard let lostAt = state.lostAt, let answeredAt = state.answeredAt else { return (nil, nil) }
            let quietAt = answeredAt + Self.quiet
            guard now >= quietAt else { return (nil, quietAt) }
            guard state.unconnected.isEmpty else { return (nil, now + Self.quiet) }
            let change = Change.back(after: answeredAt - lostAt, failures: state.missed)
            state.lostAt = nil
            state.answeredAt = nil
            state.missed = 0
            state.status.isAvailable = true
            isAway.store(false, ordering: .relaxed)
            return (change, nil)
        }
        if let change { report(change) }
        return later
    }

    /// A connection has been made. Returns when to call `check`, as `answered` does.
    func connected(_ connection: ObjectIdentifier, at now: MonotonicTime) -> MonotonicTime? {
        let (resting, hasMissed) = state.withLock { state in
            state.status.connections += 1
            state.unconnected.remove(connection)
            defer { state.resting = [:] }
            return (state.resting, state.missed > 0)
        }
        for wake in resting.values { wake() }
        return hasMissed ? nil : answered(at: now)
    }

    /// A connection that had been made is lost. What the store answered before is old now.
    func disconnected() {
        state.withLock { state in
            state.status.connections -= 1
            state.answeredAt = nil
        }
    }

    /// A connection waits for its next attempt. `wake` is called, on any thread, if another loop is faster.
    func rests(_ connection: ObjectIdentifier, wake: @escaping @Sendable () -> Void) {
        state.withLock { state in
            state.resting[connection] = wake
            state.unconnected.insert(connection)
        }
    }

    /// A connection waits no longer.
    ///
    /// - Parameter isLast: whether its owner has closed it.
    func restEnded(_ connection: ObjectIdentifier, isLast: Bool = false) {
        // Released outside the lock.
        let wake = state.withLock { state in
            if isLast { state.unconnected.remove(connection) }
            return state.resting.removeValue(forKey: connection)
        }
        withExtendedLifetime(wake) {}
    }

    func replyWasLate() { state.withLock { $0.status.lateReplies += 1 } }
}

/// How a store is doing, with counts since the start.
public struct StoreStatus: Sendable, Hashable {
    /// Whether the store answers, as far as the gateway knows.
    public internal(set) var isAvailable = true
    /// The loops that are connected.
    public internal(set) var connections = 0
    /// The requests that were not counted in the store, by the kind of failure.
    public internal(set) var failures: [StoreFailure.Kind: Int] = [:]
    /// Replies that came after their time and were dropped. The store counted their requests.
    public internal(set) var lateReplies = 0
}
