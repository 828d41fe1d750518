import HTTPModel
import Resilience

/// The limits that have counted a request, with what they have left.
package struct LimitUsage: Sendable {
    /// What a limit said. No reference is in it, so copies cost little.
    struct Taken: Sendable {
        /// Nil if this process holds no count: a store has counted, or the count was given back.
        var key: LimitKey?
        var decision: LimitDecision
        /// When it was counted, in nanoseconds of the monotonic clock.
        let time: Int64
    }

    struct Count: Sendable {
        let limit: KeptLimit
        var taken: Taken

        var decision: LimitDecision { taken.decision }
    }

    /// For which limits a store was asked last.
    enum Asked: Sendable {
        /// For those by `client` and `endpoint`, which come before the caller is known.
        case early
        /// For all others, because it has counted the early ones, or none of them counts in a store.
        case late
        case all
    }

    // Most requests have one limit. So it takes no array.
    private var firstLimit: KeptLimit?
    private var firstTaken: Taken?
    private var others: [Count] = []
    var asked = Asked.late
    /// Whether a store was asked for the limits by `client` and `endpoint`. It is asked once.
    var hasAskedEarly = false

    package init() {}

    /// Whether no limit has counted the request.
    package var isEmpty: Bool { firstLimit == nil }

    /// The names of the limits that have counted the request. Each access builds the list.
    package var names: [String] { counts.map(\.limit.name) }

    /// In the order in which they were asked. Each access builds the list.
    var counts: [Count] {
        var counts: [Count] = []
        forEach { counts.append(Count(limit: $0, taken: $1)) }
        return counts
    }

    mutating func add(_ limit: KeptLimit, _ taken: Taken) {
        if firstLimit == nil {
            firstLimit = limit
            firstTaken = taken
        } else {
            others.append(Count(limit: limit, taken: taken))
        }
    }

    /// Calls `body` with each limit in order.
    @inline(__always)
    func forEach(_ body: (KeptLimit, Taken) -> Void) {
        guard let firstLimit, let firstTaken else { return }
        body(firstLimit, firstTaken)
        for count in others { body(count.limit, count.taken) }
    }

    /// Gives back what was counted in this process: the request is refused, and uses up nothing.
    mutating func giveBack(at now: Int64) {
        guard let firstLimit else { return }
        firstTaken?.giveBack(to: firstLimit, at: now)
        for index in others.indices { others[index].taken.giveBack(to: others[index].limit, at: now) }
    }

    /// Gives back and forgets what limits have counted that come after identity: an earlier limit refuses the
    /// request, so the answer must not tell that somebody is known.
    mutating func forgetLate(at now: Int64) {
        let counts = counts
        (firstLimit, firstTaken, others) = (nil, nil, [])
        for var count in counts {
            if count.limit.precedesIdentity {
                add(count.limit, count.taken)
            } else {
                count.taken.giveBack(to: count.limit, at: now)
            }
        }
    }
}

extension LimitUsage.Taken {
    fileprivate mutating func giveBack(to limit: KeptLimit, at now: Int64) {
        guard let key, decision.isAllowed else { return }
        decision = limit.keys.giveBack(decision, of: key, takenAt: time, at: now)
        self.key = nil
    }
}
