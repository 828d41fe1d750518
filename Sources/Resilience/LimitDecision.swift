/// What a limit says to one request, and how much is left after it.
public struct LimitDecision: Sendable, Hashable {
    /// Whether the request is within the limit.
    public var isAllowed: Bool
    /// The number of requests that may follow at once.
    public var remaining: Int
    /// Nanoseconds until the whole burst is back.
    public var resetNanoseconds: Int64
    /// Nanoseconds until the next request is allowed. 0 if this one is.
    public var retryNanoseconds: Int64
    /// Whether the request was counted together with others, because the limit has too many keys.
    public var isShared = false

    /// Makes the decision of a limit that is `backlog` away from being full again.
    ///
    /// - Parameters:
    ///   - isAllowed: whether the request was counted.
    ///   - backlog: nanoseconds until the whole burst is back, with this request if it was counted.
    ///   - policy: the policy of the limit.
    public init(isAllowed: Bool, backlog: Int64, _ policy: RateLimitPolicy) {
        self.isAllowed = isAllowed
        remaining = Int(max(policy.capacity &- max(backlog, 0), 0) / policy.step)
        resetNanoseconds = max(backlog, 0)
        retryNanoseconds = isAllowed ? 0 : max(backlog &- (policy.capacity - policy.step), 1)
    }
}
