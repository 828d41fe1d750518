import Crypto
import GatewayCore
import Locking
import Networking
import Resilience

/// A store of rate limits in virtual time. It answers at once, and nothing else counts in it.
final class VirtualStore: RateLimitStore {
    private struct Key: Hashable, Sendable {
        let limit: String
        let digest: SHA256Digest
    }

    private let clock: VirtualClock
    private let rates = Lock<[Key: GCRA]>([:])

    init(_ clock: VirtualClock) { self.clock = clock }

    func take(
        _ limits: [StoreLimitRequest], within time: Int64,
        deliver: @escaping @Sendable (StoreOutcome) -> Void
    ) {
        let now = clock.elapsed.nanoseconds
        let decisions = rates.withLock { rates in
            var taken = rates
            let decisions = limits.map { limit in
                taken[Key(limit: limit.name, digest: limit.digest), default: GCRA(at: now)]
                    .take(limit.policy, at: now)
            }
            // A request that one limit refuses uses up nothing of the others.
            if decisions.allSatisfy(\.isAllowed) { rates = taken }
            return decisions
        }
        deliver(.decided(decisions))
    }
}
