import HTTPModel
import Resilience

/// The limits that have counted a request, with what they have left.
package struct LimitUsage: Sendable {
    struct Count: Sendable {
        let limit: KeptLimit
        /// Nil if this process holds no count: a store has counted, or the count was given back.
        var key: LimitKey?
        var decision: LimitDecision
        /// When it was counted, in nanoseconds of the monotonic clock.
        let time: Int64
    }

    // Most requests have one limit. So it takes no array.
    private var first: Count?
    private var others: [Count] = []
    /// Whether a store was asked only for limits that count before the caller is known.
    var asksEarly = false

    package init() {}

    /// The number of limits.
    var count: Int { first == nil ? 0 : others.count + 1 }

    /// Whether no limit has counted the request.
    package var isEmpty: Bool { first == nil }

    /// The names of the limits that have counted the request.
    package var names: [String] { counts.map(\.limit.name) }

    var counts: [Count] { first.map { [$0] + others } ?? [] }

    mutating func add(_ count: Count) {
        if first == nil { first = count } else { others.append(count) }
    }

    /// Calls `body` with each limit in order.
    @inline(__always)
    func forEach(_ body: (Count) -> Void) {
        guard let first else { return }
        body(first)
        for count in others { body(count) }
    }

    /// Gives back what was counted in this process: the request is refused, and uses up nothing.
    mutating func giveBack(at now: Int64) {
        guard first != nil else { return }
        first?.giveBack(at: now)
        for index in others.indices { others[index].giveBack(at: now) }
    }
}

extension LimitUsage.Count {
    fileprivate mutating func giveBack(at now: Int64) {
        guard let key, decision.isAllowed else { return }
        decision = limit.keys.giveBack(decision, of: key, takenAt: time, at: now)
        self.key = nil
    }
}
