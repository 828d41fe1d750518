public import EventIO
internal import Locking
internal import Synchronization

/// What a process knows about a store, from the connections of all its loops.
///
/// The store is away from the first failure until an answer has come and no failure has followed within a
/// second. So a store that answers now and then is reported once, and not with each of its answers.
public final class StoreAvailability: Sendable {
    /// A change that operators should know.
    public enum Change: Sendable, Hashable {
        /// The store is away, for this reason.
        case lost(StoreFailure)
        /// The store answers again. In between, this many requests were not counted in it.
        case back(after: TimeAmount, failures: Int)
    }

    private struct State {
        var lostAt: MonotonicTime?
        var lastFailureAt = MonotonicTime(nanoseconds: 0)
        var hasAnswered = false
        var missed = 0
        var status = StoreStatus()
    }

    /// How long no failure may come before the store counts as back.
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
            state.lastFailureAt = max(now, state.lastFailureAt)
            state.hasAnswered = false
            state.status.lastFailure = failure
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

    /// The store answered. Returns when to call `check`, if it is not certain yet that the store is back.
    func answered(at now: MonotonicTime) -> MonotonicTime? {
        guard isAway.load(ordering: .relaxed) else { return nil }
        state.withLock { $0.hasAnswered = true }
        return check(at: now)
    }

    /// Decides whether the store is back. Returns when to call it again; nil if it is back or has not
    /// answered.
    func check(at now: MonotonicTime) -> MonotonicTime? {
        let (change, later) = state.withLock { state -> (Change?, MonotonicTime?) in
            guard let lostAt = state.lostAt, state.hasAnswered else { return (nil, nil) }
            let quietAt = state.lastFailureAt + Self.quiet
            guard now >= quietAt else { return (nil, quietAt) }
            let change = Change.back(after: now - lostAt, failures: state.missed)
            state.lostAt = nil
            state.missed = 0
            state.status.isAvailable = true
            isAway.store(false, ordering: .relaxed)
            return (change, nil)
        }
        if let change { report(change) }
        return later
    }

    func replyWasLate() { state.withLock { $0.status.lateReplies += 1 } }

    func connectionsChanged(by number: Int) { state.withLock { $0.status.connections += number } }
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
    /// The last failure.
    public internal(set) var lastFailure: StoreFailure?
}
