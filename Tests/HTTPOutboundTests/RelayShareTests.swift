import EventIO
import Testing

@testable import HTTPOutbound

/// Names of relays begin with `r`.
@Suite("Connection pool: relays and other calls")
struct RelayShareTests {
    typealias Pool = ConnectionPool<String>

    static let start = MonotonicTime(nanoseconds: 1_000_000_000_000)

    /// Returns a pool in which relays may have half of the connections.
    private func pool(connections: Int, _ change: (inout OutboundLimits) -> Void = { _ in }) -> Pool {
        var limits = OutboundLimits()
        limits.connectionsPerUpstream = connections
        change(&limits)
        return Pool(limits: limits)
    }

    @Test(
        "Relays may have their share of the connections, rounded down, and at least one",
        arguments: [
            (64, 0.5, 32), (3, 0.5, 1), (1, 0.5, 1), (64, 0, 1), (64, -1, 1), (64, .nan, 1), (64, 0.99, 63),
            (64, 1, 64), (64, 2, 64), (64, .infinity, 64),
        ] as [(Int, Double, Int)])
    func bound(connections: Int, share: Double, relays: Int) {
        var pool = pool(connections: connections) { $0.relayShare = share }
        for number in 0..<relays { #expect(pool.arrive("r\(number)") == .open(number)) }
        #expect(pool.report.relays == relays)
        #expect(pool.arrive("r") == .wait)
    }

    @Test("At their bound relays wait in order, and a later call overtakes them")
    func overtaken() {
        var pool = pool(connections: 4)
        #expect(pool.arrive("r1") == .open(0))
        #expect(pool.arrive("r2") == .open(1))
        #expect(pool.arrive("r3") == .wait)
        #expect(pool.arrive("r4") == .wait)
        #expect(pool.arrive("a") == .open(2))
        #expect(pool.arrive("b") == .open(3))
        #expect(pool.release(0) == .lent("r3"))
        #expect(pool.release(0) == .lent("r4"))
        #expect(pool.report == PoolReport(leased: 4, relays: 2, opened: 4, reused: 2))
    }

    @Test("At their bound relays leave an idle connection to other calls")
    func idle() {
        var pool = pool(connections: 2)
        #expect(pool.arrive("r1") == .open(0))
        #expect(pool.arrive("a") == .open(1))
        #expect(pool.release(1) == .kept)
        #expect(pool.arrive("r2") == .wait)
        #expect(pool.arrive("b") == .reuse(1))
        #expect(pool.release(1) == .kept)
        // Relays take idle connections as others do.
        #expect(pool.release(0) == .lent("r2"))
        #expect(pool.release(0) == .kept)
        #expect(pool.arrive("r3") == .reuse(0))
        #expect(pool.report.relays == 1)
    }

    @Test(
        "A call's connection passes over relays at their bound, and a relay's goes to whoever has waited longest"
    )
    func handedOn() {
        var pool = pool(connections: 2)
        #expect(pool.arrive("r1") == .open(0))
        #expect(pool.arrive("a") == .open(1))
        for name in ["r2", "b", "c", "r3", "d"] { #expect(pool.arrive(name) == .wait) }
        #expect(pool.release(1) == .lent("b"))
        #expect(pool.release(0) == .lent("r2"))
        // The relay's connection goes to a call, and the next one to the relay that waits before the others.
        #expect(pool.release(0) == .lent("c"))
        #expect(pool.release(1) == .lent("r3"))
        #expect(pool.release(0) == .lent("d"))
        #expect(pool.release(0) == .kept)
        #expect(pool.report == PoolReport(idle: 1, leased: 1, relays: 1, opened: 2, reused: 5))
    }

    @Test("If the connection of a relay is lost, the first waiter gets one in its slot, relay or not")
    func lost() {
        var pool = pool(connections: 2)
        #expect(pool.arrive("r1") == .open(0))
        #expect(pool.arrive("a") == .open(1))
        for name in ["r2", "b", "r3"] { #expect(pool.arrive(name) == .wait) }
        #expect(pool.lose(0) == "r2")
        #expect(pool.lose(0) == "b")
        #expect(pool.lose(1) == "r3")
        #expect(pool.lose(1) == nil)
        #expect(pool.report.relays == 0)
        #expect(pool.lose(0) == nil)
        #expect(pool.isVacant)
    }

    @Test("If the connection of another call is lost, relays at their bound do not get its slot")
    func slotOfOthers() {
        var pool = pool(connections: 2)
        #expect(pool.arrive("r1") == .open(0))
        #expect(pool.arrive("a") == .open(1))
        #expect(pool.arrive("r2") == .wait)
        #expect(pool.lose(1) == nil)
        #expect(pool.arrive("b") == .open(1))
        #expect(pool.waiting == 1)
    }

    @Test("A relay's connection that is used up gives the relay's place on once it is closed")
    func usedUp() {
        var pool = pool(connections: 2) { $0.requestsPerConnection = 1 }
        #expect(pool.arrive("r1") == .open(0))
        #expect(pool.arrive("r2") == .wait)
        #expect(pool.release(0) == .closed)
        #expect(pool.lose(0) == "r2")
        #expect(pool.report.relays == 1)
    }

    @Test("A relay whose connection is not kept idle gives its place on only once")
    func notKept() {
        var pool = pool(connections: 2) { $0.idleTimeout = .zero }
        #expect(pool.arrive("r1") == .open(0))
        #expect(pool.release(0) == .closed)
        #expect(pool.lose(0) == nil)
        #expect(pool.report.relays == 0)
        #expect(pool.arrive("r2") == .open(0))
        #expect(pool.arrive("r3") == .wait)
    }

    @Test("A relay that is sent again on a new connection keeps its place")
    func replaced() {
        var pool = pool(connections: 2)
        #expect(pool.arrive("r1") == .open(0))
        pool.connectionReplaced(0, now: Self.start)
        #expect(pool.report.relays == 1)
        #expect(pool.arrive("r2") == .wait)
        #expect(pool.lose(0) == "r2")
    }

    @Test("A relay that has left the queue is not served")
    func left() {
        var pool = pool(connections: 2)
        #expect(pool.arrive("r1") == .open(0))
        guard case .wait(let ticket) = pool.callArrived("r2", isRelay: true, mayWait: true, now: Self.start)
        else {
            Issue.record("r2 does not wait")
            return
        }
        #expect(pool.arrive("r3") == .wait)
        let wasWaiting = [pool.waiterLeft(ticket), pool.waiterLeft(ticket)]
        #expect(wasWaiting == [true, false])
        #expect(pool.release(0) == .lent("r3"))
    }

    @Test("If another connection may be opened again, relays at their bound do not get it")
    func mayOpenAgain() {
        var pool = pool(connections: 4)
        #expect(pool.arrive("r1") == .open(0))
        #expect(pool.arrive("r2", mayOpen: false) == .wait)
        #expect(pool.arrive("a", mayOpen: false) == .wait)
        #expect(pool.mayOpenAgain(now: Self.start)?.waiter == "r2")
        #expect(pool.arrive("r3") == .wait)
        #expect(pool.mayOpenAgain(now: Self.start)?.waiter == "a")
        #expect(pool.mayOpenAgain(now: Self.start) == nil)
        #expect(pool.hasVacantSlot)
    }

    @Test("A closed pool returns waiting relays and others in the order of arrival")
    func closed() {
        var pool = pool(connections: 2)
        #expect(pool.arrive("r1") == .open(0))
        #expect(pool.arrive("a") == .open(1))
        for name in ["r2", "b", "r3"] { #expect(pool.arrive(name) == .wait) }
        #expect(pool.close().waiters == ["r2", "b", "r3"])
    }

    /// A model that looks at each waiter in turn.
    @Test(
        "Of any sequence of events, no waiter is forgotten, none overtakes its kind, and no bound is exceeded"
    )
    func random() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<200 {
            let connections = Int.random(in: 1...6, using: &random)
            var pool = pool(connections: connections)
            let most = max(1, connections / 2)
            var busy: [Int: String] = [:]
            var waiting: [String] = []
            for step in 0..<100 {
                var served: (slot: Int, name: String)?
                if Bool.random(using: &random) || busy.isEmpty {
                    let name = (Bool.random(using: &random) ? "r" : "a") + "\(step)"
                    switch pool.arrive(name) {
                    case .open(let slot), .reuse(let slot): served = (slot, name)
                    case .wait: break
                    case .refuse: Issue.record("\(name) was refused")
                    }
                    waiting.append(name)
                } else if let slot = busy.keys.randomElement(using: &random) {
                    busy[slot] = nil
                    if Bool.random(using: &random) {
                        if case .lent(let next) = pool.release(slot) { served = (slot, next) }
                    } else {
                        served = pool.lose(slot).map { (slot, $0) }
                    }
                }
                // What the first waiter that may have a connection is, before this one is served.
                let relays = busy.values.count { $0.hasPrefix("r") }
                let next = waiting.first { relays < most || !$0.hasPrefix("r") }
                #expect(served?.name == (busy.count < connections ? next : nil))
                if let served {
                    #expect(busy[served.slot] == nil)
                    busy[served.slot] = served.name
                    waiting.removeAll { $0 == served.name }
                }
                #expect(pool.waiting == waiting.count)
                #expect(pool.report.relays == busy.values.count { $0.hasPrefix("r") })
                #expect(pool.busyCount == busy.count)
            }
        }
    }
}

// MARK: - Steps

extension ConnectionPool<String> {
    fileprivate enum Got: Equatable {
        case open(Int)
        case reuse(Int)
        case wait
        case refuse
    }

    fileprivate enum Kept: Equatable {
        case kept
        case closed
        case lent(String)
    }

    fileprivate mutating func arrive(_ name: String, mayOpen: Bool = true) -> Got {
        let (now, isRelay) = (RelayShareTests.start, name.hasPrefix("r"))
        if case .reuse(let slot) = takeIdle(isRelay: isRelay, now: now) { return .reuse(slot) }
        return switch callArrived(name, isRelay: isRelay, mayOpen: mayOpen, mayWait: true, now: now) {
        case .open(let slot): .open(slot)
        case .wait: .wait
        case .refuse: .refuse
        }
    }

    fileprivate mutating func release(_ slot: Int) -> Kept {
        switch connectionReleased(slot, peer: .unspecified, now: RelayShareTests.start) {
        case .keep: .kept
        case .close: .closed
        case .lend(let waiter): .lent(waiter)
        }
    }

    /// Closes the connection. Returns the waiter that gets its slot.
    fileprivate mutating func lose(_ slot: Int) -> String? {
        switch connectionClosed(slot, now: RelayShareTests.start) {
        case .none: return nil
        case .open(let next, let waiter):
            #expect(next == slot)
            return waiter
        }
    }
}
