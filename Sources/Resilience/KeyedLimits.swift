internal import Locking
internal import Synchronization

/// The keys of one limit, each with its own count. Used from any thread.
///
/// Keys are spread over sixteen shards, each behind its own lock, so that loops rarely meet. At most
/// `maxKeys` keys are counted one by one. New keys beyond them share one count until others are full again: a
/// crowd of strangers can fill the table, but takes nothing from the keys that are in it.
///
/// A key that is full again is like one without requests, so it is removed. Each `take` removes a few of
/// them, the earliest first. So the table needs no timer.
///
/// Times are nanoseconds of a monotonic clock. If it goes back, time stands still in a shard until it has
/// caught up.
public final class KeyedLimits: Sendable {
    /// What each key is allowed.
    public let policy: RateLimitPolicy
    /// The most keys that are counted one by one.
    public let maxKeys: Int

    private let shards: [Shard]
    /// Keys in all shards.
    private let keyCount = Atomic(0)
    /// The keys without room for a count of their own.
    private let shared = AdaptiveLock(GCRA(at: .min))

    /// Creates a limit without keys.
    ///
    /// - Parameter maxKeys: 1 or more.
    public init(_ policy: RateLimitPolicy, maxKeys: Int) {
        self.policy = policy
        self.maxKeys = maxKeys
        shards = (0..<Shard.count).map { _ in Shard() }
    }

    /// The number of keys that are counted one by one. Some may be full again.
    public var liveKeys: Int { keyCount.load(ordering: .relaxed) }

    /// Counts a request if it is within the policy. A request that is refused uses up nothing.
    public func take(_ key: LimitKey, at now: Int64) -> LimitDecision {
        let now = min(now, GCRA.latest)
        let shard = shards[Shard.index(of: key)]
        if let decision = take(key, from: shard, at: now) { return decision }
        // No room: keys of other shards may be full by now.
        if removeFull(at: now), let decision = take(key, from: shard, at: now) { return decision }
        var decision = shared.withLock { $0.take(policy, at: now) }
        decision.isShared = true
        return decision
    }

    /// Returns nil if the key is new and has no room.
    private func take(_ key: LimitKey, from shard: Shard, at now: Int64) -> LimitDecision? {
        shard.keys.withLock { keys in
            // A known key first: if it is full by now, it need not be removed and made again.
            let decision = keys.take(key, policy, at: now)
            let removed = keys.advance(to: now, looking: Shard.lookedAtByTake)
            if removed > 0 { keyCount.wrappingSubtract(removed, ordering: .relaxed) }
            defer { shard.note(keys.nextDue) }
            if let decision { return decision }
            guard keyCount.wrappingAdd(1, ordering: .relaxed).newValue <= maxKeys else {
                keyCount.wrappingSubtract(1, ordering: .relaxed)
                return nil
            }
            return keys.insert(key, policy)
        }
    }

    /// Removes a few full keys of each shard that has any. Returns whether there was one.
    private func removeFull(at now: Int64) -> Bool {
        var removed = 0
        for shard in shards where shard.mayHaveFull(at: now) {
            removed += shard.keys.withLock { keys in
                defer { shard.note(keys.nextDue) }
                return keys.advance(to: now, removing: Shard.removedForRoom)
            }
        }
        keyCount.wrappingSubtract(removed, ordering: .relaxed)
        return removed > 0
    }

    /// Gives back what a request has taken, because something else has refused the request. Returns what the
    /// key has left then.
    ///
    /// Nothing that has come back by itself is given back a second time.
    ///
    /// - Parameters:
    ///   - decision: what `take` returned for the request.
    ///   - key: whose request it is.
    ///   - start: when it was taken.
    ///   - now: not before `start`.
    @discardableResult
    public func giveBack(
        _ decision: LimitDecision, of key: LimitKey, takenAt start: Int64, at now: Int64
    ) -> LimitDecision {
        guard decision.isAllowed else { return decision }
        let now = min(now, GCRA.latest)
        let expected = min(start, GCRA.latest) &+ decision.resetNanoseconds
        let backlog: Int64
        if decision.isShared {
            backlog = shared.withLock { rate in
                rate.giveBack(takenWithFullAt: expected, policy, at: now)
                return rate.backlog(at: now)
            }
        } else {
            backlog = shards[Shard.index(of: key)].keys.withLock {
                $0.giveBack(key, takenWithFullAt: expected, policy, at: now)
            }
        }
        var left = LimitDecision(isAllowed: true, backlog: backlog, policy)
        left.isShared = decision.isShared
        return left
    }
}

/// A part of the keys.
private final class Shard: Sendable {
    static let count = 16
    /// More than one, because each take adds one key.
    static let lookedAtByTake = 4
    static let removedForRoom = 16

    let keys = AdaptiveLock(ShardKeys())
    /// `ShardKeys.nextDue`, for threads without the lock.
    private let nextDue = Atomic(Int64.max)

    /// Called with the lock.
    func note(_ time: Int64) {
        if nextDue.load(ordering: .relaxed) != time { nextDue.store(time, ordering: .relaxed) }
    }

    func mayHaveFull(at now: Int64) -> Bool { nextDue.load(ordering: .relaxed) <= now }

    static func index(of key: LimitKey) -> Int { Int(truncatingIfNeeded: key.low & 15) }
}

/// The keys of a shard, with the order in which they are full again.
///
/// The order is a heap with one item for each key. A request of a key that is in it changes only the key: the
/// item is put right when its time has come, and so costs each request a constant at most, and each removed
/// key the logarithm of the shard's keys.
private struct ShardKeys {
    private struct Due {
        /// Not later than the key is full, except for what was given back meanwhile.
        var time: Int64
        var key: LimitKey
    }

    private var rates: [LimitKey: GCRA] = [:]
    private var queue: [Due] = []
    private var clock = Int64.min

    /// When the next key may be full; `Int64.max` without keys.
    var nextDue: Int64 { queue.first?.time ?? .max }

    /// Moves the clock on, and removes keys that are full. Returns how many it removed.
    ///
    /// - Parameters:
    ///   - looks: the most keys to look at.
    ///   - most: the most keys to remove.
    mutating func advance(to now: Int64, looking looks: Int = .max, removing most: Int = .max) -> Int {
        clock = max(clock, now)
        var removed = 0
        var seen = 0
        while seen < looks, removed < most, let due = queue.first, due.time <= clock {
            seen += 1
            if let rate = rates[due.key], !rate.isFull(at: clock) {
                // It had requests since.
                replaceFirst(with: Due(time: rate.fullAt, key: due.key))
            } else {
                rates[due.key] = nil
                removeFirst()
                removed += 1
            }
        }
        return removed
    }

    /// Returns nil for a new key.
    mutating func take(_ key: LimitKey, _ policy: RateLimitPolicy, at now: Int64) -> LimitDecision? {
        clock = max(clock, now)
        guard let index = rates.index(forKey: key) else { return nil }
        return rates.values[index].take(policy, at: clock)
    }

    mutating func insert(_ key: LimitKey, _ policy: RateLimitPolicy) -> LimitDecision {
        var rate = GCRA(at: clock)
        let decision = rate.take(policy, at: clock)
        rates[key] = rate
        add(Due(time: rate.fullAt, key: key))
        return decision
    }

    /// Returns the key's backlog then.
    mutating func giveBack(
        _ key: LimitKey, takenWithFullAt expected: Int64, _ policy: RateLimitPolicy, at now: Int64
    ) -> Int64 {
        clock = max(clock, now)
        // It is full and removed.
        guard let index = rates.index(forKey: key) else { return 0 }
        rates.values[index].giveBack(takenWithFullAt: expected, policy, at: clock)
        return rates.values[index].backlog(at: clock)
    }

    // MARK: Heap

    private mutating func add(_ due: Due) {
        queue.append(due)
        var index = queue.count - 1
        while index > 0 {
            let parent = (index - 1) / 2
            guard queue[parent].time > due.time else { break }
            queue[index] = queue[parent]
            index = parent
        }
        queue[index] = due
    }

    private mutating func removeFirst() {
        guard let last = queue.popLast(), !queue.isEmpty else { return }
        replaceFirst(with: last)
    }

    private mutating func replaceFirst(with due: Due) {
        var index = 0
        while true {
            var child = 2 * index + 1
            guard child < queue.count else { break }
            if child + 1 < queue.count, queue[child + 1].time < queue[child].time { child += 1 }
            guard queue[child].time < due.time else { break }
            queue[index] = queue[child]
            index = child
        }
        queue[index] = due
    }
}
