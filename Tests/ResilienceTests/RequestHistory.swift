import Resilience

/// A naive model of one key: it keeps every request that was allowed, and starts from the first each time.
struct RequestHistory {
    let policy: RateLimitPolicy
    private(set) var allowed: [Int64] = []

    init(_ policy: RateLimitPolicy) { self.policy = policy }

    /// Nanoseconds until all is back.
    func backlog(at now: Int64) -> Int64 {
        var backlog: Int64 = 0
        var last = allowed.first ?? now
        for time in allowed {
            backlog = max(backlog - (time - last), 0) + policy.step
            last = time
        }
        return max(backlog - (now - last), 0)
    }

    mutating func take(at now: Int64) -> Bool {
        let backlog = backlog(at: now)
        // Nothing before counts any more.
        if backlog == 0 { allowed = [] }
        guard backlog + policy.step <= policy.capacity else { return false }
        allowed.append(now)
        return true
    }

    mutating func giveBackLast() { allowed.removeLast() }
}

/// Random numbers that are the same in each run (SplitMix64).
struct SeededNumbers: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var number = state
        number = (number ^ number >> 30) &* 0xbf58_476d_1ce4_e5b9
        number = (number ^ number >> 27) &* 0x94d0_49bb_1331_11eb
        return number ^ number >> 31
    }
}
