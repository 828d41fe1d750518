import EventIO
import Testing

@testable import HTTPInbound

/// Tests the choice of connections alone, with time as a parameter.
@Suite("The order of eviction")
struct EvictionOrderTests {
    private typealias Candidate = EvictionOrder.Candidate

    static func at(_ milliseconds: Int64) -> MonotonicTime {
        MonotonicTime(nanoseconds: 1_000_000_000 + milliseconds * 1_000_000)
    }

    static func prefix(_ host: String) -> AddressPrefix {
        guard let address = SocketAddress(host: host, port: 1) else {
            preconditionFailure("no address: \(host)")
        }
        return AddressPrefix(address)
    }

    private static func insertIdle(
        _ order: inout EvictionOrder, _ host: String, at milliseconds: Int64
    ) -> EvictionOrder.Slot {
        let slot = order.insert(prefix(host), isAboveLimit: false, at: at(milliseconds))
        order.becameIdle(slot, at: at(milliseconds))
        return slot
    }

    private static func next(_ order: EvictionOrder, at milliseconds: Int64) -> Candidate? {
        var order = order
        return order.next(at: at(milliseconds))
    }

    @Test("Without connections nobody gives way")
    func empty() {
        #expect(Self.next(EvictionOrder(), at: 9999) == nil)
        #expect(EvictionOrder().nextAboveLimit(at: Self.at(9999)) == nil)
    }

    @Test("The longest-idle connection of a client goes first, and a further request moves it to the end")
    func longestIdle() {
        var order = EvictionOrder()
        let slots = (0..<3).map { Self.insertIdle(&order, "10.0.0.1", at: $0) }
        #expect(Self.next(order, at: 3) == Candidate(slot: slots[0], reason: .idle))
        order.becameIdle(slots[0], at: Self.at(400))
        #expect(Self.next(order, at: 500) == Candidate(slot: slots[1], reason: .idle))
        order.remove(slots[1])
        #expect(Self.next(order, at: 500) == Candidate(slot: slots[2], reason: .idle))
        order.becameBusy(slots[2])
        #expect(Self.next(order, at: 500) == Candidate(slot: slots[0], reason: .idle))
        order.becameBusy(slots[0])
        #expect(Self.next(order, at: 500) == nil)
    }

    @Test("A connection moves in the order ten times a second at most, unless it may not be closed now")
    func precision() {
        var order = EvictionOrder()
        let slots = (0..<2).map { Self.insertIdle(&order, "10.0.0.1", at: $0) }
        order.becameIdle(slots[0], at: Self.at(99))
        #expect(Self.next(order, at: 99) == Candidate(slot: slots[0], reason: .idle))
        order.waitsAnew(slots[0], at: Self.at(99))
        #expect(Self.next(order, at: 99) == Candidate(slot: slots[1], reason: .idle))
        order.becameIdle(slots[1], at: Self.at(101))
        #expect(Self.next(order, at: 101) == Candidate(slot: slots[0], reason: .idle))
    }

    @Test("The client with most connections gives way, even if another one has been idle for longer")
    func largestClient() {
        var order = EvictionOrder()
        let old = Self.insertIdle(&order, "10.0.0.1", at: 0)
        let crowd = (1...3).map { Self.insertIdle(&order, "10.0.0.2", at: $0) }
        #expect(Self.next(order, at: 9) == Candidate(slot: crowd[0], reason: .idle))
        order.remove(crowd[0])
        #expect(Self.next(order, at: 9) == Candidate(slot: crowd[1], reason: .idle))
        order.remove(crowd[1])
        // Both hold one connection now.
        #expect(Self.next(order, at: 9) == Candidate(slot: old, reason: .idle))
    }

    @Test("Busy connections count too, but a client with none idle is passed over")
    func busyClient() {
        var order = EvictionOrder()
        let single = Self.insertIdle(&order, "10.0.0.1", at: 0)
        let crowd = (1...3).map { Self.insertIdle(&order, "10.0.0.2", at: $0) }
        order.becameBusy(crowd[0])
        order.becameBusy(crowd[1])
        #expect(Self.next(order, at: 9) == Candidate(slot: crowd[2], reason: .idle))
        order.becameBusy(crowd[2])
        #expect(Self.next(order, at: 9) == Candidate(slot: single, reason: .idle))
        order.becameIdle(crowd[0], at: Self.at(8))
        #expect(Self.next(order, at: 9) == Candidate(slot: crowd[0], reason: .idle))
    }

    @Test("Of clients with one connection each, the longest idle gives way")
    func equalClients() {
        var order = EvictionOrder()
        let slots = (0..<4).map { Self.insertIdle(&order, "10.0.0.\($0)", at: Int64($0)) }
        order.becameIdle(slots[0], at: Self.at(500))
        for slot in [slots[1], slots[2], slots[3], slots[0]] {
            #expect(Self.next(order, at: 9) == Candidate(slot: slot, reason: .idle))
            order.remove(slot)
        }
        #expect(order.count == 0)
    }

    @Test("The addresses of an IPv6 /64 are one client, and so are an IPv4 address and its form in IPv6")
    func prefixes() {
        #expect(Self.prefix("2001:db8:0:1::1") == Self.prefix("2001:db8:0:1:ffff::2"))
        #expect(Self.prefix("2001:db8:0:1::1") != Self.prefix("2001:db8:0:2::1"))
        #expect(Self.prefix("10.0.0.1") != Self.prefix("10.0.0.2"))
        #expect(Self.prefix("::ffff:10.0.0.1") == Self.prefix("10.0.0.1"))
        #expect(Self.prefix("::ffff:10.0.0.1") != Self.prefix("::ffff:10.0.0.2"))
        #expect(Self.prefix("::1") != Self.prefix("10.0.0.1"))
        var order = EvictionOrder()
        _ = Self.insertIdle(&order, "2001:db8:0:1::1", at: 0)
        let first = Self.insertIdle(&order, "2001:db8:0:2::1", at: 1)
        _ = Self.insertIdle(&order, "2001:db8:0:2::2", at: 2)
        #expect(Self.next(order, at: 9) == Candidate(slot: first, reason: .idle))
    }

    @Test("If none is idle, the one that has waited longest for a head gives way, but not within a second")
    func slowHeads() {
        var order = EvictionOrder()
        let first = order.insert(Self.prefix("10.0.0.1"), isAboveLimit: false, at: Self.at(0))
        let second = order.insert(Self.prefix("10.0.0.2"), isAboveLimit: false, at: Self.at(10))
        #expect(Self.next(order, at: 999) == nil)
        #expect(Self.next(order, at: 1000) == Candidate(slot: first, reason: .slowHead))
        order.becameBusy(first)
        #expect(Self.next(order, at: 1009) == nil)
        #expect(Self.next(order, at: 1010) == Candidate(slot: second, reason: .slowHead))
        // The next head of the first one begins.
        order.becameIdle(first, at: Self.at(1500))
        #expect(Self.next(order, at: 1600) == Candidate(slot: first, reason: .idle))
        order.waitsForHead(first, at: Self.at(1700))
        #expect(Self.next(order, at: 2000) == Candidate(slot: second, reason: .slowHead))
        order.remove(second)
        #expect(Self.next(order, at: 2699) == nil)
        #expect(Self.next(order, at: 2700) == Candidate(slot: first, reason: .slowHead))
        order.waitsAnew(first, at: Self.at(2700))
        #expect(Self.next(order, at: 3699) == nil)
    }

    @Test("Connections above the limit give way to each other only")
    func aboveLimit() {
        var order = EvictionOrder()
        let above = order.insert(Self.prefix("10.0.0.1"), isAboveLimit: true, at: Self.at(0))
        let other = order.insert(Self.prefix("10.0.0.1"), isAboveLimit: true, at: Self.at(0))
        #expect(order.countAboveLimit == 2)
        #expect(Self.next(order, at: 9999) == nil)
        #expect(order.nextAboveLimit(at: Self.at(99)) == nil)
        #expect(order.nextAboveLimit(at: Self.at(100)) == Candidate(slot: above, reason: .slowHead))
        order.gotPlace(above)
        #expect(order.countAboveLimit == 1)
        #expect(order.nextAboveLimit(at: Self.at(1000)) == Candidate(slot: other, reason: .slowHead))
        order.becameIdle(above, at: Self.at(1000))
        #expect(Self.next(order, at: 1000) == Candidate(slot: above, reason: .idle))
        order.remove(other)
        order.remove(above)
        #expect(order.countAboveLimit == 0)
        #expect(order.count == 0)
    }

    @Test("After any sequence of events the choice is the one that a search of all connections finds")
    func model() {
        var random = SeededGenerator(state: 19)
        for _ in 0..<20 {
            var order = EvictionOrder()
            var model = Model()
            for step in 0..<2000 {
                let now = Self.at(Int64(step) * 3)
                model.change(&order, at: now, &random)
                var copy = order
                let chosen = copy.next(at: now)
                guard model.allows(chosen, at: now), order.count == model.connections.count else {
                    Issue.record("step \(step): \(String(describing: chosen)) of \(model)")
                    return
                }
            }
        }
    }
}

/// All connections in a list, searched for each choice.
private struct Model {
    enum Position { case busy, idle, head }

    struct Connection {
        let slot: EvictionOrder.Slot
        /// From 0 to 11.
        let host: Int
        var position: Position
        var since: MonotonicTime
    }

    private static let prefixes = (0..<12).map { EvictionOrderTests.prefix("10.0.0.\($0)") }

    /// In the order of their slots.
    private(set) var connections: [Connection] = []

    mutating func change(
        _ order: inout EvictionOrder, at now: MonotonicTime, _ random: inout SeededGenerator
    ) {
        let action = Int.random(in: 0..<10, using: &random)
        guard action > 2, let index = connections.indices.randomElement(using: &random) else {
            let host = Self.prefixes.indices.randomElement(using: &random) ?? 0
            let slot = order.insert(Self.prefixes[host], isAboveLimit: false, at: now)
            let place = connections.firstIndex { $0.slot > slot } ?? connections.endIndex
            connections.insert(Connection(slot: slot, host: host, position: .head, since: now), at: place)
            return
        }
        let before = connections[index]
        connections[index].since = now
        switch action {
        case 3, 4:
            order.remove(before.slot)
            connections.remove(at: index)
        case 5:
            order.becameBusy(before.slot)
            connections[index].position = .busy
        case 6:
            order.waitsForHead(before.slot, at: now)
            connections[index].position = .head
        default:
            order.becameIdle(before.slot, at: now)
            connections[index].position = .idle
            if before.position == .idle, now < before.since + EvictionOrder.precision {
                connections[index].since = before.since
            }
        }
    }

    func allows(_ candidate: EvictionOrder.Candidate?, at now: MonotonicTime) -> Bool {
        let chosen = candidate.flatMap { candidate in connections.first { $0.slot == candidate.slot } }
        var counts = Self.prefixes.map { _ in 0 }
        for connection in connections { counts[connection.host] += 1 }
        let idle = connections.filter { $0.position == .idle }
        guard let most = idle.map({ counts[$0.host] }).max() else {
            guard let oldest = connections.filter({ $0.position == .head }).map(\.since).min(),
                oldest + EvictionOrder.headPatience <= now
            else { return candidate == nil }
            return candidate?.reason == .slowHead && chosen?.since == oldest
        }
        guard let chosen, candidate?.reason == .idle, chosen.position == .idle, counts[chosen.host] == most
        else { return false }
        return idle.allSatisfy { $0.host != chosen.host || $0.since >= chosen.since }
    }
}

/// SplitMix64.
private struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}
