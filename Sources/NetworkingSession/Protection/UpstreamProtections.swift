import EventIO
import HTTPModel
import Locking
import Metrics
package import Networking
public import Resilience
import Synchronization

/// Learns how the circuit of the upstream with a name has changed, and for which endpoint, if it is open for
/// one alone.
package typealias CircuitObserver =
    @Sendable (_ upstream: String, CircuitBreaker.Change, _ endpoint: String?) -> Void

/// Protects the upstreams of a gateway by their policies. All loops share it.
package final class UpstreamProtections: Sendable {
    private struct State {
        var policies: [String: UpstreamPolicy] = [:]
        var byName: [String: UpstreamProtection] = [:]
        var shares: [String: UpstreamShares] = [:]
        /// The memory of values that endpoints compose, by the endpoint's name.
        var composed: [String: FairBudget.Share] = [:]
        /// By upstream ID. The loops that use an upstream own what is known of its addresses.
        var addresses: [Int: WeakAddresses] = [:]
        /// Number of entries at which unused ones are removed.
        var addressesLimit = 64

        mutating func use(
            _ policies: [String: UpstreamPolicy], _ standard: UpstreamPolicy,
            circuitsBy replacement: (UpstreamProtection, UpstreamPolicy) -> UpstreamProtection?
        ) -> Replaced {
            var replaced = Replaced()
            self.policies = policies
            for (name, known) in byName {
                let next = replacement(known, policies[name] ?? standard)
                if let circuit = known.circuit, circuit !== next?.circuit {
                    replaced.circuits.append(circuit)
                }
                byName[name] = next
            }
            addresses = addresses.filter { _, entry in
                guard let addresses = entry.addresses else { return false }
                if addresses.policy.choosesAddressesLike(policies[addresses.upstream] ?? standard) {
                    return true
                }
                replaced.addresses.append(addresses)
                return false
            }
            return replaced
        }
    }

    /// What new policies have replaced.
    private struct Replaced: Sendable {
        var circuits: [Circuit] = []
        var addresses: [UpstreamAddresses] = []
    }

    private struct WeakAddresses: Sendable {
        weak let addresses: UpstreamAddresses?
    }

    private let state = Lock(State())
    private let standard: UpstreamPolicy
    private let memory: FairBudget?
    private let connections: FairBudget?
    private let loops: Int
    private let circuitChanged: CircuitObserver
    private let addressChanged: AddressObserver
    let records = AddressRecords()
    let openCircuits = OpenCircuits()

    /// - Parameters:
    ///   - standard: the policy of upstreams without one of their own.
    ///   - memory: what bodies of responses may use; upstreams get fair shares. Nil for no limit.
    ///   - connections: how many connections there may be; upstreams get fair shares. Nil for no limit.
    ///   - loops: the number of loops that make calls.
    ///   - circuitChanged: called on any loop when a circuit opens or closes.
    ///   - addressChanged: called on any loop when an address leaves service or returns.
    package init(
        standard: UpstreamPolicy, memory: FairBudget? = nil, connections: FairBudget? = nil, loops: Int,
        circuitChanged: @escaping CircuitObserver = { _, _, _ in },
        addressChanged: @escaping AddressObserver = { _, _, _ in }
    ) {
        self.standard = standard
        self.memory = memory
        self.connections = connections
        self.loops = loops
        self.circuitChanged = circuitChanged
        self.addressChanged = addressChanged
    }

    /// Applies to upstreams that have not been called yet.
    func set(_ policy: UpstreamPolicy, of upstream: String) {
        state.withLock { $0.policies[upstream] = policy }
    }

    /// Replaces the policies of all upstreams. Circuits, counts and what is known of addresses stay as far as
    /// the policies allow. Tell the loops' clients afterwards (`LoopClient.use(_:for:)`).
    ///
    /// - Parameters:
    ///   - policies: by name, for upstreams with a policy of their own.
    ///   - upstreams: the names of all upstreams.
    package func use(_ policies: [String: UpstreamPolicy], of upstreams: [String]) {
        let replaced = state.withLock { $0.use(policies, standard, circuitsBy: replacement) }
        let now = MonotonicTime.clock()
        for circuit in replaced.circuits { circuit.end(at: now) }
        for addresses in replaced.addresses {
            addresses.end(by: policies[addresses.upstream] ?? standard, at: now)
        }
        state.withLock { state in
            // What is in use lives on with its users.
            if state.composed.count > Self.mostNames { state.composed = [:] }
            guard state.byName.count > Self.mostNames || state.shares.count > Self.mostNames else { return }
            let names = Set(upstreams)
            state.byName = state.byName.filter { names.contains($0.key) }
            state.shares = state.shares.filter { names.contains($0.key) || $0.key.isEmpty }
        }
    }

    private func replacement(of known: UpstreamProtection, by policy: UpstreamPolicy) -> UpstreamProtection? {
        known.following(policy, loops: loops, among: openCircuits, circuitChanged)
    }

    /// Above this many names, the counts of removed upstreams are dropped.
    static let mostNames = 1024

    /// Returns the upstream's own policy, or else the standard one.
    func policy(of upstream: Upstream) -> UpstreamPolicy {
        guard upstream.isNamed, !upstream.isRedirectTarget else { return standard }
        return state.withLock { $0.policies[upstream.name] } ?? standard
    }

    /// Returns the protection of an upstream; nil if it has none. Upstreams without a name of their own have
    /// none: they are different servers that share a name. The names in the code bound their number.
    func protection(of upstream: Upstream) -> UpstreamProtection? {
        guard upstream.isNamed, !upstream.isRedirectTarget else { return nil }
        return state.withLock { state in
            if let known = state.byName[upstream.name] { return known }
            let policy = state.policies[upstream.name] ?? standard
            guard policy.breaker != nil || policy.concurrency != nil else { return nil }
            let made = UpstreamProtection(
                upstream.name, policy, loops: loops, among: openCircuits, circuitChanged)
            state.byName[upstream.name] = made
            return made
        }
    }

    /// Returns an upstream's parts of what the upstreams share. Those without a name of their own have one
    /// part together.
    func shares(of upstream: Upstream) -> UpstreamShares {
        let name = upstream.isNamed && !upstream.isRedirectTarget ? upstream.name : ""
        return state.withLock { state in
            if let known = state.shares[name] { return known }
            let made = UpstreamShares(
                label: upstream.label, memory: memory.map(FairBudget.Share.init),
                connections: connections.map(FairBudget.Share.init))
            state.shares[name] = made
            return made
        }
    }

    /// Returns an endpoint's part of the memory for bodies; nil for no limit.
    func composedMemory(of endpoint: String) -> FairBudget.Share? {
        guard let memory else { return nil }
        return state.withLock { state in
            if let known = state.composed[endpoint] { return known }
            let made = FairBudget.Share(of: memory)
            state.composed[endpoint] = made
            return made
        }
    }

    /// Returns what all loops know of an upstream's addresses; nil for an upstream without a name of its own,
    /// and for one with a computed address: they can be any number of servers.
    func addresses(of upstream: Upstream) -> UpstreamAddresses? {
        guard upstream.isNamed, !upstream.isComputed else { return nil }
        return state.withLock { state in
            if let known = state.addresses[upstream.id]?.addresses { return known }
            if state.addresses.count >= state.addressesLimit {
                state.addresses = state.addresses.filter { $0.value.addresses != nil }
                state.addressesLimit = max(64, 2 * state.addresses.count)
            }
            let policy = state.policies[upstream.name] ?? standard
            let made = UpstreamAddresses(of: upstream.name, policy, addressChanged)
            state.addresses[upstream.id] = WeakAddresses(addresses: made)
            return made
        }
    }

    /// The bytes of bodies in memory of each upstream that has been called, by its label.
    package var bodyBytes: [String: Int] {
        let shares = state.withLock { $0.shares }
        return shares.values.reduce(into: [:]) { sums, share in
            sums[share.label, default: 0] += share.memory?.inUse ?? 0
        }
    }

    /// The state of each upstream that has been called, by its name.
    package var report: [String: UpstreamReport] {
        let (byName, addresses) = state.withLock { ($0.byName, $0.addresses) }
        var reports = byName.mapValues(\.report)
        let now = MonotonicTime.clock()
        for addresses in addresses.values.compactMap(\.addresses) {
            reports[addresses.upstream, default: UpstreamReport()].addresses.merge(
                addresses.states(at: now)
            ) { first, _ in first }
        }
        return reports
    }
}

/// An upstream's parts of what the upstreams of a process share; nil for no limit.
struct UpstreamShares: Sendable {
    /// In metrics.
    var label = MetricName.other
    /// For bodies of responses, in bytes.
    var memory: FairBudget.Share?
    var connections: FairBudget.Share?
}

/// The state of an upstream's protection.
public struct UpstreamReport: Sendable, Hashable {
    /// Nil without a breaker.
    public var circuit: CircuitBreaker.State?
    /// How often the circuit has opened.
    public var openings = 0
    /// Attempts in flight; nil without a limit.
    public var attemptsInFlight: Int?
    /// Attempts refused by the circuit or the limit.
    public var refusals = 0
    /// The state of each address, by `host:port`; empty if there can be only one.
    public var addresses: [String: AddressState] = [:]
}

extension UpstreamPolicy {
    /// Whether the addresses of an upstream are checked, ejected and returned alike.
    fileprivate func choosesAddressesLike(_ other: UpstreamPolicy) -> Bool {
        ejection == other.ejection && slowStart == other.slowStart && health == other.health
    }
}
