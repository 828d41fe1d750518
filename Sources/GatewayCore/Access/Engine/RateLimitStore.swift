package import Crypto
package import Resilience

/// A limit that a store counts for one request.
package struct StoreLimitRequest: Sendable {
    /// The name of the limit, which is a part of its key in the store.
    package let name: String
    /// SHA-256 of what the request is counted by. All gateways compute the same, so without a secret.
    package let digest: SHA256Digest
    package let policy: RateLimitPolicy

    package init(name: String, digest: SHA256Digest, policy: RateLimitPolicy) {
        self.name = name
        self.digest = digest
        self.policy = policy
    }
}

/// What a store says.
package enum StoreOutcome: Sendable {
    /// One decision for each limit, in their order. If one of them refuses the request, none was used.
    case decided([LimitDecision])
    /// The store did not decide in time or at all. Nothing is known about what it counted.
    case unavailable
}

/// Counts limits for several gateways.
package protocol RateLimitStore: Sendable {
    /// Takes one request from each of the limits, or from none if one of them refuses it.
    ///
    /// Called on the loop of the request. `deliver` is called once, on that loop, possibly before this
    /// returns.
    ///
    /// - Parameters:
    ///   - limits: at least one, and at most 16.
    ///   - time: nanoseconds that the request has left. The store's own timeout may be shorter.
    func take(
        _ limits: [StoreLimitRequest], within time: Int64, deliver: @escaping @Sendable (StoreOutcome) -> Void
    )
}
