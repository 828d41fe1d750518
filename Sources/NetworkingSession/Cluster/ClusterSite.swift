import EventIO
import HTTPOutbound

/// One URL of an upstream on one loop, and the addresses of its name.
///
/// Where a name has several addresses of one family, each gets connections of its own. Otherwise connections
/// go to the name, and race between its IPv6 and its IPv4 address (RFC 8305); the address that lost serves
/// while the name is out of service.
final class ClusterSite {
    struct Choice {
        var members: [LoopAddress]
        var spares: [LoopAddress] = []
        var race = Race.none
    }

    /// A connection race between the families.
    enum Race {
        case none
        /// Its end decides which addresses are members, or spares.
        case awaited
        /// Each of its ends decides which address is the spare.
        case followed
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
    private var race = Race.none
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

    /// Whether the last choice has to be made again, because a connection race has ended.
    var isDivisionOld: Bool {
        switch race {
        case .none: false
        case .awaited: byName.lastOpened != nil
        case .followed: byName.lastOpened.map { $0.isIPv6 != prefersIPv6 } ?? false
        }
    }

    /// Returns the addresses to use.
    func choose() -> Choice {
        race = .none
        guard !pinned.isEmpty else { return Choice(members: [byName]) }
        let all = known.compactMap { pinned[$0] }
        let countOfIPv6 = known.count { $0.isIPv6 }
        guard countOfIPv6 > 0, countOfIPv6 < known.count else { return Choice(members: all) }
        let isPair = known.count == 2
        let raced = byName.lastOpened?.isIPv6
        prefersIPv6 = isPair ? raced ?? prefersIPv6 : prefersIPv6 ?? raced
        guard let prefersIPv6 else {
            race = .awaited
            return Choice(members: [byName], race: race)
        }
        let losers = all.filter { $0.address?.isIPv6 != prefersIPv6 }
        guard !isPair else {
            race = .followed
            return Choice(members: [byName], spares: losers, race: race)
        }
        byName.retire()
        return Choice(members: all.filter { $0.address?.isIPv6 == prefersIPv6 }, spares: losers)
    }

    private func use(_ found: [SocketAddress]) {
        let addresses = Array(found.prefix(Self.mostAddresses))
        let isFirst = !hasHadAddresses
        if !addresses.isEmpty { hasHadAddresses = true }
        known = addresses
        guard addresses.count > 1 else {
            for address in pinned.values { address.retire() }
            pinned = [:]
            byName.retire(except: Set(addresses))
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
        let isOneFamily = Set(addresses.map(\.isIPv6)).count == 1
        byName.retire(except: isOneFamily ? [] : Set(addresses))
    }
}
