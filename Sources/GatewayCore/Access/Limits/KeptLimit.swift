import AccessControl
import Crypto
import Locking
import Resilience

/// A limit with its counts, which outlives the generations that use it with equal settings.
package final class KeptLimit: Sendable {
    /// The name in files and fields.
    package let name: String
    package let settings: RateLimit
    let policy: RateLimitPolicy
    /// The counts of this process. They are empty if a store counts, unless it fails.
    let keys: KeyedLimits
    /// Nil if the limit applies to all callers.
    private let rule: AccessRule?
    private let ruleNumber = AccessPlan.newRuleNumber()
    private let needsIdentity: Bool
    /// Whether it counts before the caller is known.
    let precedesIdentity: Bool
    /// Whether answers tell of it.
    let isShown: Bool

    /// `"perUser";q=100;w=60`: the member of `RateLimit-Policy`.
    let policyText: [UInt8]
    /// `"perUser";r=`: the beginning of the member of `RateLimit`.
    let stateText: [UInt8]

    init(_ name: String, _ settings: RateLimit) {
        self.name = name
        self.settings = settings
        let policy = settings.policy
        self.policy = policy
        keys = KeyedLimits(policy, maxKeys: settings.maxKeys)
        rule = settings.when.isEmpty ? nil : Requirement(any: [], claims: settings.when).rule
        needsIdentity = settings.needsIdentity
        precedesIdentity = settings.precedesIdentity
        isShown = settings.headers
        policyText = Array("\"\(name)\";q=\(policy.burst);w=\(policy.windowSeconds)".utf8)
        stateText = Array("\"\(name)\";r=".utf8)
    }

    /// The number of keys that this process counts now.
    package var liveKeys: Int { keys.liveKeys }

    /// Whether the limit counts a request.
    func applies(to request: borrowing LimitedRequest) -> Bool {
        guard needsIdentity else { return true }
        guard let identity = request.identity else { return false }
        return rule.map { identity.check($0, number: ruleNumber) == .granted } ?? true
    }

    /// The key of a request for the counts of this process.
    func localKey(of request: borrowing LimitedRequest) -> LimitKey {
        LocalKeyHasher.key { request.write(settings.key, to: &$0) }
    }

    /// What a store counts for a request.
    func storeRequest(of request: borrowing LimitedRequest) -> StoreLimitRequest {
        var bytes = StoreKeyBytes()
        request.write(settings.key, to: &bytes)
        return StoreLimitRequest(name: name, digest: bytes.digest, policy: policy)
    }
}

/// The limits of all generations of a gateway.
package final class LimitState: Sendable {
    private let limits = Lock<[KeptLimit]>([])

    package init() {}

    /// Returns the limit with this name and equal settings, with its counts, or a new one.
    package func kept(_ name: String, _ settings: RateLimit) -> KeptLimit {
        limits.withLock { limits in
            if let known = limits.first(where: { $0.name == name && $0.settings == settings }) {
                return known
            }
            let limit = KeptLimit(name, settings)
            limits.append(limit)
            return limit
        }
    }

    /// Forgets all others: a generation with these limits is in use.
    package func keep(only used: [KeptLimit]) {
        let forgotten = limits.withLock { limits -> [KeptLimit] in
            defer { limits.removeAll { limit in !used.contains { $0 === limit } } }
            return limits
        }
        // Their tables are released here, outside the lock.
        withExtendedLifetime(forgotten) {}
    }
}
