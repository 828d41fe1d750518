import EventIO
import HTTPOutbound
import Networking
import Resilience

/// The addresses of an upstream on one loop, and the choice among them: those of all its URLs, and of each URL's name.
final class UpstreamCluster {
    /// Nil once no provider uses it.
    weak let upstream: Upstream?
    private let addresses: UpstreamAddresses
    private let sites: [ClusterSite]
    private var choices = TwoRandomChoices()
    /// The addresses that share the calls.
    private var members: [LoopAddress] = []
    /// The addresses of the families that are not used, for the case that no other address is in service.
    private var spares: [LoopAddress] = []
    /// Whether a connection race is to decide between IPv6 and IPv4.
    private var awaitsRace = false
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

    /// All addresses, in use or not.
    var all: [LoopAddress] { members + spares }

    var callsInFlight: Int { sites.reduce(0) { $0 + $1.callsInFlight } }

    /// Whether no provider can call the upstream, and the client has forgotten all connections. Until then it follows the
    /// names and remembers which addresses failed.
    var isForgotten: Bool { upstream == nil && sites.allSatisfy(\.isForgotten) }

    /// Whether attempts have a choice, so that their ends count.
    var hasChoice: Bool { members.count + spares.count > 1 }

    /// Chooses the address of an attempt, and remembers it in the permit and the call.
    func poolOfAttempt(
        _ permit: inout AttemptPermit, for receiver: any AttemptReceiver, at now: MonotonicTime
    ) -> UpstreamPool {
        guard hasChoice || awaitsRace else { return members[0].pool }
        let address = choose(avoiding: receiver.triedAddresses, at: now)
        if hasChoice {
            permit.address = address
            receiver.triedAddresses.insert(address.number)
        }
        return address.pool
    }

    /// Chooses an address: in service and not tried before, if there is one.
    func choose(avoiding tried: TriedAddresses, at now: MonotonicTime) -> LoopAddress {
        followRaces()
        if !hasChoice { return members[0] }
        return choose(members, tried, at: now) ?? choose(members, TriedAddresses(), at: now)
            ?? choose(spares, tried, at: now) ?? choose(spares, TriedAddresses(), at: now)
            ?? chooseAny(tried, at: now)
    }

    /// Whether a retry can go to an address in service that the call has not tried.
    func hasOther(than tried: TriedAddresses, at now: MonotonicTime) -> Bool {
        guard hasChoice else { return false }
        let inService = members.filter { $0.record.isInService(at: now) }
        let group = inService.isEmpty ? spares.filter { $0.record.isInService(at: now) } : inService
        return group.contains { !tried.contains($0.number) }
    }

    /// Divides the addresses anew if a connection race has ended.
    func followRaces() {
        if awaitsRace, sites.contains(where: \.isRaceOver) { update() }
    }

    private func choose(_ group: [LoopAddress], _ tried: TriedAddresses, at now: MonotonicTime)
        -> LoopAddress?
    {
        choices.choose(among: group.count) {
            !tried.contains(group[$0].number) && group[$0].record.isInService(at: now)
        } by: {
            group[$0].load(at: now).isPreferred(to: group[$1].load(at: now), random: .random(in: 0..<1))
        }.map { group[$0] }
    }

    /// All are out of service: then it is better to use them than to fail.
    private func chooseAny(_ tried: TriedAddresses, at now: MonotonicTime) -> LoopAddress {
        func choose(_ isUsable: (Int) -> Bool) -> Int? {
            choices.choose(among: members.count, where: isUsable) {
                members[$0].load(at: now).isPreferred(
                    to: members[$1].load(at: now), random: .random(in: 0..<1))
            }
        }
        return members[choose { !tried.contains(members[$0].number) } ?? choose { _ in true } ?? 0]
    }

    private func update() {
        var members: [LoopAddress] = []
        var spares: [LoopAddress] = []
        awaitsRace = false
        for site in sites {
            let choice = site.choose()
            members += choice.members
            spares += choice.spares
            if choice.awaitsRace { awaitsRace = true }
        }
        self.members = members
        self.spares = spares
        addresses.use(members.map(\.record), spares: spares.map(\.record), isFinal: !awaitsRace)
        checks?.addressesChanged(all)
    }
}
