import EventIO
import HTTPOutbound
import Networking
import Resilience

/// The addresses of an upstream on one loop, and the choice among them, for all its URLs and for each URL's
/// name.
final class UpstreamCluster {
    /// Nil once no provider uses it.
    weak let upstream: Upstream?
    let addresses: UpstreamAddresses
    private let sites: [ClusterSite]
    private var choices = TwoRandomChoices()
    /// The addresses that share the calls.
    private var members: [LoopAddress] = []
    /// The addresses of the families that are not used, for the case that no other address is in service.
    private var spares: [LoopAddress] = []
    /// Whether a connection race is to decide between IPv6 and IPv4.
    private var awaitsRace = false
    /// Whether connection races decide which addresses are spares.
    private var followsRaces = false
    /// Nil without checks, and if another loop makes them.
    private var checks: HealthChecks?

    /// - Parameters:
    ///   - origins: one of each URL.
    ///   - context: how to open connections, and what all loops share.
    init(_ upstream: Upstream, _ origins: [Origin], _ context: ClusterContext) {
        self.upstream = upstream
        addresses = context.addresses
        sites = origins.map { ClusterSite($0, context) }
        update()
        for site in sites { site.follow { [weak self] in self?.update() } }
        if let policy = addresses.checks, addresses.becomeChecker() {
            checks = HealthChecks(policy, of: self, addresses, on: context.client.loop)
        }
    }

    deinit { checks?.stop() }

    /// Whether there may be a choice of addresses, or they are checked.
    static func isNeeded(for origins: [Origin], _ addresses: UpstreamAddresses) -> Bool {
        origins.count > 1 || origins[0].resolvedName != nil || addresses.checks != nil
    }

    /// Ends the checks for good.
    func stopChecks() {
        checks?.stop()
        checks = nil
    }

    /// All addresses, in use or not.
    var all: [LoopAddress] { members + spares }

    var callsInFlight: Int { sites.reduce(0) { $0 + $1.callsInFlight } }

    /// Whether no provider can call the upstream, and the client has forgotten all connections. Until then it
    /// follows the names and remembers which addresses failed.
    var isForgotten: Bool { upstream == nil && sites.allSatisfy(\.isForgotten) }

    /// Whether attempts have a choice, so that their ends count.
    var hasChoice: Bool { members.count + spares.count > 1 }

    /// Chooses the address of an attempt, and remembers it in the permit and the call.
    func poolOfAttempt(
        _ permit: inout AttemptPermit, for receiver: any AttemptReceiver, at now: MonotonicTime
    ) -> UpstreamPool {
        guard hasChoice || awaitsRace else { return members[0].pool }
        followRaces()
        let address =
            permit.isProbe ? chooseForProbe() : choose(avoiding: receiver.triedAddresses, at: now)
        if hasChoice {
            permit.choose(address)
            receiver.triedAddresses.insert(address.number)
        }
        return address.pool
    }

    /// Chooses an address: in service and not tried before, if there is one. If all are out of service, it is
    /// better to use them than to fail.
    func choose(avoiding tried: TriedAddresses, at now: MonotonicTime) -> LoopAddress {
        if !hasChoice { return members[0] }
        return chooseUsable(members) { !tried.contains($0.number) && $0.isUsable(at: now) }
            ?? chooseLastResort()
            ?? chooseUsable(members) { $0.isUsable(at: now) }
            ?? chooseUsable(spares) { !tried.contains($0.number) && $0.isUsable(at: now) }
            ?? choose(members, at: now) { !tried.contains($0.number) }
            ?? chooseUsable(spares) { $0.isUsable(at: now) }
            ?? choose(members, at: now) { _ in true } ?? members[0]

        /// An address that was not tried, in service or not.
        func chooseLastResort() -> LoopAddress? {
            guard tried.allowsOut else { return nil }
            return chooseUsable(spares) { !tried.contains($0.number) && $0.isUsable(at: now) }
                ?? choose(all, at: now) { !tried.contains($0.number) }
        }

        func chooseUsable(_ group: [LoopAddress], where isUsable: (LoopAddress) -> Bool) -> LoopAddress? {
            let chosen = choose(group, at: now, where: isUsable)
            guard let chosen, chosen.record.isFailing, .random(in: 0..<1) >= AddressHealth.failingShare else {
                return chosen
            }
            return choose(group, at: now) { !$0.record.isFailing && isUsable($0) } ?? chosen
        }
    }

    /// The address that has failed least recently: it may work again, or work while others keep the circuit
    /// open.
    private func chooseForProbe() -> LoopAddress {
        all.min { $0.record.failedAt < $1.record.failedAt } ?? members[0]
    }

    /// Whether a retry can go to an address in service that the call has not tried.
    ///
    /// - Parameter orOut: whether an address out of service will do if no other one is in service.
    func hasOther(than tried: TriedAddresses, orOut: Bool, at now: MonotonicTime) -> Bool {
        guard hasChoice else { return false }
        if orOut, tried.allowsOut { return all.contains { !tried.contains($0.number) } }
        let inService = members.filter { $0.record.isInService(at: now) }
        if !inService.isEmpty { return inService.contains { !tried.contains($0.number) } }
        return spares.contains { !tried.contains($0.number) && $0.record.isInService(at: now) }
            || orOut && members.contains { !tried.contains($0.number) }
    }

    /// Divides the addresses again if a connection race has ended differently from the last one.
    func followRaces() {
        if followsRaces, sites.contains(where: \.isDivisionOld) { update() }
    }

    private func choose(
        _ group: [LoopAddress], at now: MonotonicTime, where isUsable: (LoopAddress) -> Bool
    ) -> LoopAddress? {
        choices.choose(among: group.count) {
            isUsable(group[$0])
        } by: {
            group[$0].load(at: now).isPreferred(to: group[$1].load(at: now), random: .random(in: 0..<1))
        }.map { group[$0] }
    }

    private func update() {
        var members: [LoopAddress] = []
        var spares: [LoopAddress] = []
        (awaitsRace, followsRaces) = (false, false)
        for site in sites {
            let choice = site.choose()
            members += choice.members
            spares += choice.spares
            if choice.race == .awaited { awaitsRace = true }
            if choice.race != .none { followsRaces = true }
        }
        self.members = members
        self.spares = spares
        addresses.use(members.map(\.record), spares: spares.map(\.record), isFinal: !awaitsRace)
        checks?.addressesChanged(all)
    }
}
