import EventIO
import Testing

@testable import HTTPOutbound

@Suite("Connection pool")
struct ConnectionPoolTests {
    typealias Pool = ConnectionPool<String>

    static func limits(connections: Int = 2) -> OutboundLimits {
        var limits = OutboundLimits()
        limits.connectionsPerUpstream = connections
        return limits
    }

    static let start = MonotonicTime(nanoseconds: 1_000_000_000_000)

    static func at(_ seconds: Int) -> MonotonicTime { start + .seconds(Int64(seconds)) }

    @Test("A call that may not wait is refused when all connections are busy")
    func refused() {
        var pool = Pool(limits: Self.limits(connections: 1))
        expectOpen(&pool, slot: 0)
        guard case .refuse = pool.callArrived("b", mayWait: false, now: Self.start) else {
            Issue.record("not refused")
            return
        }
        #expect(pool.report == PoolReport(idle: 0, leased: 1, waiting: 0, opened: 1, reused: 0))
    }

    @Test(
        "A closed pool returns its idle connections, refuses calls and closes released connections"
    )
    func closed() {
        var pool = Pool(limits: Self.limits())
        expectOpen(&pool, slot: 0)
        expectOpen(&pool, slot: 1)
        expectRelease(&pool, slot: 0, .kept)
        let first = pool.close()
        #expect(first.idle == [0])
        #expect(first.waiters.isEmpty)
        guard case .refuse = pool.callArrived("c", mayWait: true, now: Self.start) else {
            Issue.record("not refused")
            return
        }
        expectRelease(&pool, slot: 1, .closed)
    }

    @Test("A call whose connection cannot be opened waits for another one, and its slot becomes vacant")
    func unopened() {
        var pool = Pool(limits: Self.limits(connections: 2))
        expectOpen(&pool, slot: 0)
        expectOpen(&pool, slot: 1)
        _ = pool.connectionUnopened(1, "b")
        #expect(pool.busyCount == 1 && pool.waiting == 1 && pool.hasVacantSlot)
        expectWait(&pool, "c")
        expectRelease(&pool, slot: 0, .lent("b"))
        #expect(pool.mayOpenAgain(now: Self.start).map { "\($0.slot) \($0.waiter)" } == "1 c")
    }

    @Test("If no connection may be opened, a call waits for one in use, or until one may be opened")
    func noneMayBeOpened() {
        var pool = Pool(limits: Self.limits(connections: 2))
        guard case .wait = pool.callArrived("a", mayOpen: false, mayWait: true, now: Self.start) else {
            Issue.record("a does not wait")
            return
        }
        #expect(pool.mayOpenAgain(now: Self.start).map { "\($0.slot) \($0.waiter)" } == "0 a")
        guard case .wait = pool.callArrived("b", mayOpen: false, mayWait: true, now: Self.start) else {
            Issue.record("b does not wait")
            return
        }
        // The place that is free for c is for the call that has waited longer.
        expectWait(&pool, "c")
        #expect(pool.hasVacantSlot)
        #expect(pool.mayOpenAgain(now: Self.start).map { "\($0.slot) \($0.waiter)" } == "1 b")
        #expect(!pool.hasVacantSlot)
        #expect(pool.mayOpenAgain(now: Self.start) == nil)
        expectRelease(&pool, slot: 0, .lent("c"))
        expectRelease(&pool, slot: 0, .kept)
        #expect(pool.mayOpenAgain(now: Self.start) == nil)
        #expect(pool.report == PoolReport(idle: 1, leased: 1, waiting: 0, opened: 2, reused: 1))
    }

    @Test("Waiters are served in the order of arrival, before any later call")
    func fair() {
        var pool = Pool(limits: Self.limits(connections: 1))
        expectOpen(&pool, slot: 0)
        expectWait(&pool, "b")
        expectWait(&pool, "c")
        expectRelease(&pool, slot: 0, .lent("b"))
        expectWait(&pool, "d")
        expectRelease(&pool, slot: 0, .lent("c"))
        expectRelease(&pool, slot: 0, .lent("d"))
        expectRelease(&pool, slot: 0, .kept)
        #expect(pool.report == PoolReport(idle: 1, leased: 0, waiting: 0, opened: 1, reused: 3))
    }

    @Test("A waiter that has left the queue is not served")
    func left() {
        var pool = Pool(limits: Self.limits(connections: 1))
        expectOpen(&pool, slot: 0)
        let ticket = expectWait(&pool, "b")
        expectWait(&pool, "c")
        if let ticket { pool.waiterLeft(ticket) }
        expectRelease(&pool, slot: 0, .lent("c"))
        #expect(pool.waiting == 0)
    }

    @Test("When a connection is lost, a new connection opens in its slot for the first waiter")
    func vacancy() {
        var pool = Pool(limits: Self.limits(connections: 1))
        expectOpen(&pool, slot: 0)
        expectWait(&pool, "b")
        guard case .open(0, "b") = pool.connectionClosed(0, now: Self.start) else {
            Issue.record("the waiter got no connection")
            return
        }
        guard case .none = pool.connectionClosed(0, now: Self.start) else {
            Issue.record("a connection was opened without a call")
            return
        }
        #expect(pool.report == PoolReport(idle: 0, leased: 0, waiting: 0, opened: 2, reused: 0))
        expectOpen(&pool, slot: 0)
    }

    @Test("The most recently used connection is lent first")
    func lifo() {
        var pool = Pool(limits: Self.limits(connections: 3))
        for slot in 0..<3 { expectOpen(&pool, slot: slot) }
        for slot in [1, 0, 2] { expectRelease(&pool, slot: slot, .kept) }
        expectReuse(&pool, slot: 2)
        expectReuse(&pool, slot: 0)
        expectRelease(&pool, slot: 2, .kept)
        expectReuse(&pool, slot: 2)
        expectReuse(&pool, slot: 1)
    }

    @Test("A connection that has been idle for 30 s is not lent")
    func idleTooLong() {
        var pool = Pool(limits: Self.limits())
        expectOpen(&pool, slot: 0)
        expectRelease(&pool, slot: 0, .kept)
        #expect(pool.nextExpiry == Self.at(30))
        #expect(pool.expired(now: Self.at(29)).isEmpty)
        #expect(pool.expired(now: Self.at(30)) == [0])
        guard case .discard(0) = pool.takeIdle(now: Self.at(30)) else {
            Issue.record("an expired connection was lent")
            return
        }
        guard case .none = pool.connectionClosed(0, now: Self.at(30)) else {
            Issue.record("a connection was opened without a call")
            return
        }
        expectOpen(&pool, slot: 0, at: Self.at(30))
    }

    @Test("A connection older than 10 min is closed when it is released, and expires while idle")
    func age() {
        var pool = Pool(limits: Self.limits())
        expectOpen(&pool, slot: 0)
        expectRelease(&pool, slot: 0, .kept, at: Self.at(590))
        #expect(pool.nextExpiry == Self.at(600))
        expectReuse(&pool, slot: 0, at: Self.at(599))
        expectRelease(&pool, slot: 0, .closed, at: Self.at(600))
    }

    @Test("A connection serves at most 1000 requests")
    func requests() {
        var pool = Pool(limits: Self.limits())
        expectOpen(&pool, slot: 0)
        for _ in 1..<1000 {
            expectRelease(&pool, slot: 0, .kept)
            expectReuse(&pool, slot: 0)
        }
        expectRelease(&pool, slot: 0, .closed)
    }

    @Test("Requests of waiting calls count towards the connection's limit")
    func requestsOfWaiters() {
        var limits = Self.limits(connections: 1)
        limits.requestsPerConnection = 2
        var pool = Pool(limits: limits)
        expectOpen(&pool, slot: 0)
        expectWait(&pool, "b")
        expectWait(&pool, "c")
        expectRelease(&pool, slot: 0, .lent("b"))
        expectRelease(&pool, slot: 0, .closed)
        guard case .open(0, "c") = pool.connectionClosed(0, now: Self.start) else {
            Issue.record("the waiter got no connection")
            return
        }
    }

    @Test("The peer's Keep-Alive can lower the idle-time and request limits but not raise them")
    func keepAlive() {
        var pool = Pool(limits: Self.limits())
        expectOpen(&pool, slot: 0)
        expectRelease(&pool, slot: 0, .kept, peer: KeepAlive(idleTimeout: .seconds(4), requestsLeft: 2))
        #expect(pool.nextExpiry == Self.at(4))
        expectReuse(&pool, slot: 0)
        expectRelease(&pool, slot: 0, .kept, peer: KeepAlive(idleTimeout: .seconds(400), requestsLeft: 400))
        #expect(pool.nextExpiry == Self.at(30))
        expectReuse(&pool, slot: 0)
        expectRelease(&pool, slot: 0, .closed)

        expectOpen(&pool, slot: 1)
        expectRelease(&pool, slot: 1, .closed, peer: KeepAlive(idleTimeout: .zero, requestsLeft: nil))
    }

    @Test("A replaced connection starts with a fresh age and request count")
    func replaced() {
        var limits = Self.limits()
        limits.requestsPerConnection = 2
        var pool = Pool(limits: limits)
        expectOpen(&pool, slot: 0)
        expectRelease(&pool, slot: 0, .kept)
        expectReuse(&pool, slot: 0)
        pool.connectionReplaced(0, now: Self.start)
        expectRelease(&pool, slot: 0, .kept)
        #expect(pool.report.opened == 2)
    }

    // MARK: - Steps

    enum Kept: Equatable {
        case kept
        case closed
        case lent(String)
    }

    func expectOpen(
        _ pool: inout Pool, slot: Int, at now: MonotonicTime = Self.start,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        guard case .none = pool.takeIdle(now: now),
            case .open(slot) = pool.callArrived("?", mayWait: true, now: now)
        else {
            Issue.record("slot \(slot) was not opened", sourceLocation: sourceLocation)
            return
        }
    }

    func expectReuse(
        _ pool: inout Pool, slot: Int, at now: MonotonicTime = Self.start,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        guard case .reuse(slot) = pool.takeIdle(now: now) else {
            Issue.record("slot \(slot) was not lent again", sourceLocation: sourceLocation)
            return
        }
    }

    @discardableResult
    func expectWait(
        _ pool: inout Pool, _ waiter: String, sourceLocation: SourceLocation = #_sourceLocation
    ) -> Pool.Ticket? {
        guard case .wait(let ticket) = pool.callArrived(waiter, mayWait: true, now: Self.start) else {
            Issue.record("\(waiter) does not wait", sourceLocation: sourceLocation)
            return nil
        }
        return ticket
    }

    func expectRelease(
        _ pool: inout Pool, slot: Int, _ expected: Kept, at now: MonotonicTime = Self.start,
        peer: KeepAlive = .unspecified, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let kept: Kept =
            switch pool.connectionReleased(slot, peer: peer, now: now) {
            case .keep: .kept
            case .close: .closed
            case .lend(let waiter): .lent(waiter)
            }
        #expect(kept == expected, sourceLocation: sourceLocation)
    }
}
