import HTTPModel
import Resilience

/// What limits say to a request.
package enum LimitStep: Sendable {
    /// The request may go on.
    case passed
    /// Limits with these names refuse the request: 429.
    case refused(GatewayError, limits: [String])
    /// A store does not count, and a limit refuses requests then: 503.
    case unavailable(GatewayError)
    /// A store has to count. Pass its outcome to `EndpointLimits.storeAnswered`.
    case asks(any RateLimitStore, [StoreLimitRequest])
}

/// The limits of an endpoint, all of which a request must pass.
///
/// A request that a limit refuses uses up nothing of the others, whether they have counted it before or with
/// it. A request that is refused for another reason, such as a bad token, has used the limits before.
package struct EndpointLimits: Sendable {
    /// Count before the caller is known, in this process: by `client` and `endpoint`.
    private let early: [KeptLimit]
    /// Count once the caller is known, in this process.
    private let late: [KeptLimit]
    /// Count in a store.
    private let stored: [KeptLimit]
    private let store: (any RateLimitStore)?

    /// All limits.
    package let limits: [KeptLimit]
    /// Why the limits cannot be used together; nil if they can.
    package let fault: String?

    /// - Parameters:
    ///   - limits: in the order of their names at the endpoint.
    ///   - stores: by name. While one is missing, it is as if it did not answer.
    package init(_ limits: [KeptLimit], stores: [String: any RateLimitStore]) {
        var known: [KeptLimit] = []
        for limit in limits where !known.contains(where: { $0 === limit }) { known.append(limit) }
        self.limits = known
        let local = known.filter { $0.settings.store == nil }
        early = local.filter { $0.settings.precedesIdentity }
        late = local.filter { !$0.settings.precedesIdentity }
        stored = known.filter { $0.settings.store != nil }
        let names = Set(stored.compactMap(\.settings.store)).sorted()
        store = names.first.flatMap { stores[$0] }
        if names.count > 1 {
            fault =
                "has limits in the stores \(names.joined(separator: " and ")); a request asks one store for "
                + "all of its limits"
        } else if known.count > RateLimit.Ranges.mostLimits {
            fault = "has \(known.count) limits, more than \(RateLimit.Ranges.mostLimits)"
        } else {
            fault = nil
        }
    }

    /// Whether a store counts limits that come before identity: see `beforeRefusal`.
    package var hasEarlyStored: Bool { stored.contains { $0.settings.precedesIdentity } }

    /// Counts what is known before the caller is: limits by `client` and `endpoint`, without a store.
    package func begin(_ request: LimitedRequest, _ usage: inout LimitUsage) -> LimitStep {
        count(early, of: request, &usage)
    }

    /// Counts all other limits. Asks a store if some of them count there.
    package func proceed(_ request: LimitedRequest, _ usage: inout LimitUsage) -> LimitStep {
        let step = count(late, of: request, &usage)
        guard case .passed = step else { return step }
        usage.asksEarly = false
        return ask(request, &usage)
    }

    /// Counts the limits by `client` and `endpoint` of a store for a request whose credential is refused:
    /// they come before identity, and limit how often somebody may guess.
    ///
    /// - Returns: `passed` if the request is answered with the refusal of its credential.
    package func beforeRefusal(_ request: LimitedRequest, _ usage: inout LimitUsage) -> LimitStep {
        guard hasEarlyStored else { return .passed }
        usage.asksEarly = true
        return ask(request, &usage)
    }

    /// Continues with what a store says. While it says nothing, limits count in this process or refuse the
    /// request, as `RateLimit.onStoreFailure` has it.
    package func storeAnswered(
        _ outcome: StoreOutcome, _ request: LimitedRequest, _ usage: inout LimitUsage
    ) -> LimitStep {
        let asked = stored(of: request, usage)
        if case .decided(let decisions) = outcome, decisions.count == asked.count {
            for (limit, decision) in zip(asked, decisions) {
                usage.add(LimitUsage.Count(limit: limit, key: nil, decision: decision, time: request.now))
            }
            return decisions.allSatisfy(\.isAllowed) ? .passed : refuse(request, &usage)
        }
        guard !asked.contains(where: { $0.settings.onStoreFailure == .deny }) else {
            usage.giveBack(at: request.now)
            return .unavailable(.upstreamUnavailable("The limits of this endpoint cannot be checked"))
        }
        return count(asked, of: request, &usage)
    }

    // MARK: Steps

    private func count(
        _ limits: [KeptLimit], of request: LimitedRequest, _ usage: inout LimitUsage
    ) -> LimitStep {
        var isRefused = false
        for limit in limits where limit.applies(to: request) {
            let key = limit.localKey(of: request)
            let decision = limit.keys.take(key, at: request.now)
            if !decision.isAllowed { isRefused = true }
            usage.add(LimitUsage.Count(limit: limit, key: key, decision: decision, time: request.now))
        }
        return isRefused ? refuse(request, &usage) : .passed
    }

    /// The limits that a store is asked for.
    private func stored(of request: LimitedRequest, _ usage: LimitUsage) -> [KeptLimit] {
        stored.filter { limit in
            (!usage.asksEarly || limit.settings.precedesIdentity) && limit.applies(to: request)
        }
    }

    private func ask(_ request: LimitedRequest, _ usage: inout LimitUsage) -> LimitStep {
        // Nearly all limits count in the process.
        guard !stored.isEmpty else { return .passed }
        let asked = stored(of: request, usage)
        guard !asked.isEmpty else { return .passed }
        guard let store else { return storeAnswered(.unavailable, request, &usage) }
        return .asks(store, asked.map { $0.storeRequest(of: request) })
    }

    private func refuse(_ request: LimitedRequest, _ usage: inout LimitUsage) -> LimitStep {
        usage.giveBack(at: request.now)
        let refusing = usage.counts.filter { !$0.decision.isAllowed }
        let names = refusing.map(\.limit.name)
        let wait = refusing.map(\.seconds).max() ?? 1
        return .refused(.limited(by: names, retryAfter: Int(wait)), limits: names)
    }
}
