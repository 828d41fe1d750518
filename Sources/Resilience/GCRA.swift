/// The requests of one key within a limit, by the generic cell rate algorithm (ITU-T I.371, A.1): one number
/// for a bucket that fills evenly.
///
/// Each request moves `fullAt` on by a step, from now if it has passed. A request is refused, and moves
/// nothing, if `fullAt` were more than a whole burst of steps ahead. No timer is needed, and no count.
///
/// Times are nanoseconds of a monotonic clock. If the clock goes back, requests are refused until it has
/// caught up: nothing comes back twice.
public struct GCRA: Sendable, Hashable {
    /// When the whole burst is back, as long as no request comes. In the past for a key without requests.
    public private(set) var fullAt: Int64

    /// Creates a key without requests.
    public init(at now: Int64) { fullAt = now }

    /// Whether the key is like one without requests.
    public func isFull(at now: Int64) -> Bool { fullAt <= now }

    /// Counts a request if it is within the policy.
    ///
    /// - Parameter now: at most `latest`.
    public mutating func take(_ policy: RateLimitPolicy, at now: Int64) -> LimitDecision {
        let backlog = backlog(at: now)
        guard backlog <= policy.capacity &- policy.step else {
            return LimitDecision(isAllowed: false, backlog: backlog, policy)
        }
        fullAt = max(fullAt, now) &+ policy.step
        return LimitDecision(isAllowed: true, backlog: backlog &+ policy.step, policy)
    }

    /// Gives a counted request back, except for the part that has come back by itself.
    ///
    /// - Parameters:
    ///   - expected: when the burst would have been back after the request.
    ///   - policy: the policy that has counted it.
    ///   - now: at most `latest`.
    public mutating func giveBack(
        takenWithFullAt expected: Int64, _ policy: RateLimitPolicy, at now: Int64
    ) {
        guard expected > now, fullAt > now else { return }
        fullAt = fullAt &- min(policy.step, Int64(clamping: UInt64(bitPattern: expected &- now)))
    }

    /// Returns the nanoseconds until the whole burst is back.
    func backlog(at now: Int64) -> Int64 {
        // The difference of any two times fits 64 bits without a sign.
        fullAt <= now ? 0 : Int64(clamping: UInt64(bitPattern: fullAt &- now))
    }

    /// The last time that may be passed, so that no sum overflows. A clock reaches it after 291 years.
    public static let latest = Int64.max - (1 << 54)
}
