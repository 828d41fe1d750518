import EventIO
import HTTPOutbound

/// One URL of an upstream on one loop, and the addresses of its name.
///
/// Where a name has several addresses of one family, each gets connections of its own. Otherwise connections go to the
/// name, and race between its IPv6 and its IPv4 address (RFC 8305).
final class ClusterSite {
    struct Choice {
        var members: [LoopAddress]
        var spares: [LoopAddress] = []
        /// Whether a race between the families has to decide which addresses are members.
        var awaitsRace = false
    }

    /// The most addresses of one name that are used, in the resolver's order.
    static let mostAddresses = 64

    private let origin: Origin
    private let context: ClusterContext
    private let byName: LoopAddress
    /// Those with connections of their own.
    private var pinned: [SocketAddress: LoopAddress] = [:]
    /// The addresses of the name, in the resolver's order; empty before its first answer.
    private var known: [SocketAddress] = []
    /// Whether the connection race was won by an IPv6 address; nil before.
    private var prefersIPv6: Bool?
    /// Whether the last choice has to be made again after a connection race.
    private var awaitsRace = false
    /// Whether the name has had addresses.
    private var hasHadAddresses = false
    private var watch: AddressWatch?

    init(_ origin: Origin, _ context: ClusterContext) {
        self.origin = origin
        self.context = context
        byName = context.address(origin, origin.hostAndPort, addedAt: nil)
    }

    /// Follows the addresses of the name, if it is one. `changed` is called after each change.
    func follow(_ changed: @escaping () -> Void) {
        watch = context.client.watch(origin) { [weak self] addresses in
            self?.use(addresses)
            changed()
        }
    }

    var callsInFlight: Int { pinned.values.reduce(byName.callsInFlight) { $0 + $1.callsInFlight } }

    var isForgotten: Bool { byName.isForgotten && pinned.values.allSatisfy(\.isForgotten) }

    /// Whether a connection race has ended since the last choice.
    var isRaceOver: Bool { awaitsRace && byName.lastOpened != nil }

    /// Returns the addresses to use.
    func choose() -> Choice {
        awaitsRace = false
        guard !pinned.isEmpty else { return Choice(members: [byName]) }
        let all = known.compactMap { pinned[$0].map { ($0.address, $0) } }
        let hasBoth = Set(known.map(\.isIPv6)).count == 2
        guard hasBoth else { return Choice(members: all.map(\.1)) }
        prefersIPv6 = prefersIPv6 ?? byName.lastOpened?.isIPv6
        guard let prefersIPv6 else {
            awaitsRace = true
            return Choice(members: [byName], awaitsRace: true)
        }
        byName.retire()
        return Choice(
            members: all.filter { $0.0?.isIPv6 == prefersIPv6 }.map(\.1),
            spares: all.filter { $0.0?.isIPv6 != prefersIPv6 }.map(\.1))
    }

    private func use(_ found: [SocketAddress]) {
        let addresses = Array(found.prefix(Self.mostAddresses))
        let isFirst = !hasHadAddresses
        if !addresses.isEmpty { hasHadAddresses = true }
        known = addresses
        let countOfIPv6 = addresses.count { $0.isIPv6 }
        guard max(countOfIPv6, addresses.count - countOfIPv6) > 1 else {
            for address in pinned.values { address.retire() }
            pinned = [:]
            // Without an answer, connections that work are kept.
            if !addresses.isEmpty { byName.retire(except: Set(addresses)) }
            return
        }
        let current = Set(addresses)
        for (address, member) in pinned where !current.contains(address) {
            member.retire()
            pinned[address] = nil
        }
        let now = context.client.loop.wakeTime
        for address in addresses where pinned[address] == nil {
            pinned[address] = context.address(
                origin.at(address), "\(address)", addedAt: isFirst ? nil : now)
        }
        if Set(addresses.map(\.isIPv6)).count == 1 { byName.retire() }
    }
}
