import HTTPModel
import Resilience

/// What limits say to a request.
package indirect enum LimitStep: Sendable {
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
/// Limits by `client` and `endpoint` come before the caller is known. Beyond them nobody can try out
/// credentials, and no authorizer is asked. A store takes them together with all others, in one round trip,
/// if the head alone tells who calls. If another program has to tell it, or if the request is refused, the
/// store takes them first, in a round trip of their own. Once one of them refuses the request, the answer
/// does not depend on the credential: later limits neither count nor show.
///
/// A request that a limit refuses uses up nothing of the others, whether they have counted it before or with
/// it. Only a store that has counted before gives nothing back. A request that is refused for another reason,
/// such as a bad token or a store that does not answer, has used the limits before.
package final class EndpointLimits: Sendable {
    /// Count before the caller is known, in this process: by `client` and `endpoint`.
    private let early: [KeptLimit]
    /// Count once the caller is known, in this process.
    private let late: [KeptLimit]
    /// The same two in a store.
    private let storedEarly: [KeptLimit]
    private let storedLate: [KeptLimit]
    private let store: (any RateLimitStore)?

    /// All limits.
    package let limits: [KeptLimit]
    /// Bytes that their fields take in an answer, at most.
    let fieldRoom: Int
    /// Why the limits cannot be used together; nil if they can.
    package let fault: String?

    /// - Parameters:
    ///   - limits: in the order of their names at the endpoint.
    ///   - stores: by name. While one is missing, it is as if it did not answer.
    package init(_ limits: [KeptLimit], stores: [String: any RateLimitStore]) {
        var known: [KeptLimit] = []
        for limit in limits where !known.contains(where: { $0 === limit }) { known.append(limit) }
        self.limits = known
        fieldRoom = LimitUsage.fieldRoom(for: known)
        let local = known.filter { $0.settings.store == nil }
        early = local.filter(\.precedesIdentity)
        late = local.filter { !$0.precedesIdentity }
        let stored = known.filter { $0.settings.store != nil }
        storedEarly = stored.filter(\.precedesIdentity)
        storedLate = stored.filter { !$0.precedesIdentity }
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

    /// Whether `begin` has anything to count.
    var begins: Bool { !early.isEmpty }

    /// Counts what is known before the caller is: limits by `client` and `endpoint`, without a store.
    package func begin(_ request: borrowing LimitedRequest, _ usage: inout LimitUsage) -> LimitStep {
        count(early, of: request, &usage) ? .passed : refuse(request, &usage)
    }

    /// Whether a store has to count limits by `client` and `endpoint` before anybody is asked who calls.
    package func owesEarly(_ usage: borrowing LimitUsage) -> Bool {
        !storedEarly.isEmpty && !usage.hasAskedEarly
    }

    /// Asks a store for the limits by `client` and `endpoint` that it has not counted yet. Passes if it has
    /// counted them all.
    package func takeEarly(_ request: borrowing LimitedRequest, _ usage: inout LimitUsage) -> LimitStep {
        guard owesEarly(usage) else { return .passed }
        usage.hasAskedEarly = true
        usage.asked = .early
        return ask(request, &usage)
    }

    /// Counts all other limits, once it is known who calls. Asks a store if some of them count there.
    ///
    /// If the result is a refusal, call `takeEarly` before the request is answered.
    package func proceed(_ request: borrowing LimitedRequest, _ usage: inout LimitUsage) -> LimitStep {
        guard count(late, of: request, &usage) else { return refuse(request, &usage) }
        // Nearly all limits count in the process.
        if storedEarly.isEmpty, storedLate.isEmpty { return .passed }
        usage.asked = owesEarly(usage) ? .all : .late
        usage.hasAskedEarly = true
        return ask(request, &usage)
    }

    /// Continues with what a store says. While it says nothing, limits count in this process or refuse the
    /// request, as `RateLimit.onStoreFailure` has it.
    package func storeAnswered(
        _ outcome: StoreOutcome, _ request: borrowing LimitedRequest, _ usage: inout LimitUsage
    ) -> LimitStep {
        let (early, late) = asked(of: request, usage)
        if case .decided(let decisions) = outcome, decisions.count == early.count + late.count {
            let isKnown = decisions[..<early.count].allSatisfy(\.isAllowed)
            if !isKnown { usage.forgetLate(at: request.now) }
            for (limit, decision) in zip(isKnown ? early + late : early, decisions) {
                usage.add(limit, LimitUsage.Taken(key: nil, decision: decision, time: request.now))
            }
            return decisions.allSatisfy(\.isAllowed) ? .passed : refuse(request, &usage)
        }
        if Self.deny(early) || !count(early, of: request, &usage) {
            usage.forgetLate(at: request.now)
            return Self.deny(early) ? Self.unavailable : refuse(request, &usage)
        }
        if Self.deny(late) { return Self.unavailable }
        return count(late, of: request, &usage) ? .passed : refuse(request, &usage)
    }

    // MARK: Steps

    /// Returns whether all of the limits that apply allow the request.
    private func count(
        _ limits: [KeptLimit], of request: borrowing LimitedRequest, _ usage: inout LimitUsage
    ) -> Bool {
        var isAllowed = true
        for limit in limits where limit.applies(to: request) {
            let key = limit.localKey(of: request)
            let decision = limit.keys.take(key, at: request.now)
            if !decision.isAllowed { isAllowed = false }
            usage.add(limit, LimitUsage.Taken(key: key, decision: decision, time: request.now))
        }
        return isAllowed
    }

    /// The limits that a store is asked for.
    private func asked(
        of request: borrowing LimitedRequest, _ usage: borrowing LimitUsage
    ) -> (early: [KeptLimit], late: [KeptLimit]) {
        var late: [KeptLimit] = []
        if usage.asked != .early {
            for limit in storedLate where limit.applies(to: request) { late.append(limit) }
        }
        return (usage.asked == .late ? [] : storedEarly, late)
    }

    private func ask(_ request: borrowing LimitedRequest, _ usage: inout LimitUsage) -> LimitStep {
        let (early, late) = asked(of: request, usage)
        if early.isEmpty, late.isEmpty { return .passed }
        guard let store else { return storeAnswered(.unavailable, request, &usage) }
        var requests: [StoreLimitRequest] = []
        requests.reserveCapacity(early.count + late.count)
        for limit in early { requests.append(limit.storeRequest(of: request)) }
        for limit in late { requests.append(limit.storeRequest(of: request)) }
        return .asks(store, requests)
    }

    private static func deny(_ limits: [KeptLimit]) -> Bool {
        limits.contains { $0.settings.onStoreFailure == .deny }
    }

    private static var unavailable: LimitStep {
        .unavailable(.upstreamUnavailable("The limits of this endpoint cannot be checked"))
    }

    private func refuse(_ request: borrowing LimitedRequest, _ usage: inout LimitUsage) -> LimitStep {
        usage.giveBack(at: request.now)
        let refusing = usage.counts.filter { !$0.decision.isAllowed }
        let names = refusing.map(\.limit.name)
        let wait = refusing.map(\.taken.seconds).max() ?? 1
        return .refused(.limited(by: names, retryAfter: Int(wait)), limits: names)
    }
}
