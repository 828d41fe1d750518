import EventIO
import HTTPModel
import Resilience
import TestSupport
import Testing

@testable import HTTPOutbound

@Suite("Pool limits over sockets", .timeLimit(.minutes(1)))
struct PoolLimitTests {
    static let ok = CallTests.ok

    static func limits(connections: Int) -> OutboundLimits {
        var limits = OutboundLimits.patient
        limits.connectionsPerUpstream = connections
        return limits
    }

    @Test(
        "A call that gets no connection within the wait limit fails with connection_limit_reached"
    )
    func waitLimit() async throws {
        let go = Signal()
        let upstream = try ScriptedUpstream([.readRequest, .wait(go), .send(Self.ok), .again])
        var limits = Self.limits(connections: 1)
        limits.waitTimeout = .milliseconds(60)
        try await ClientHarness.with(limits: limits) { harness in
            let api = try await harness.upstream(upstream)
            let first = api.begin(OutboundRequest(target: "/1"))
            try await upstream.requestRead.wait()
            let start = ContinuousClock.now
            let second = try await api.post("/2")
            #expect(second.reason == "connection_limit_reached")
            #expect(start.duration(to: .now) >= .milliseconds(60))
            #expect(
                try await harness.report() == PoolReport(idle: 0, leased: 1, waiting: 0, opened: 1, reused: 0)
            )
            go.fire()
            #expect(try await first.end().text == "hi")
        }
        upstream.stop()
    }

    @Test("A relay that waits beyond the share of relays fails with a message about the share")
    func relayWaitLimit() async throws {
        let upstream = try ScriptedUpstream(
            [.readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\npart"), .awaitEnd],
            [.readRequest, .send(Self.ok), .again])
        var limits = Self.limits(connections: 2)
        limits.waitTimeout = .milliseconds(60)
        try await ClientHarness.with(limits: limits) { harness in
            let api = try await harness.upstream(upstream)
            let relay = CallSettings(isRelay: true)
            let slow = try await StreamedCall.begin(api, settings: relay)
            try await slow.pieceReceived.wait()
            #expect(try await api.get().text == "hi")
            let second = try await api.call(OutboundRequest(target: "/"), settings: relay)
            #expect(second.reason == "connection_limit_reached")
            #expect(
                second.failure?.detail
                    == "no free connection within 60 ms; "
                    + "responses that go to clients hold all connections that they may have, 1"
            )
            #expect(
                try await harness.report() == PoolReport(idle: 1, leased: 1, relays: 1, opened: 2))
            try await harness.loop.perform { slow.cancel() }
        }
        upstream.stop()
    }

    @Test("A call does not wait beyond its total limit")
    func waitPastTheEnd() async throws {
        let go = Signal()
        let upstream = try ScriptedUpstream([.readRequest, .wait(go), .send(Self.ok)])
        try await ClientHarness.with(limits: Self.limits(connections: 1)) { harness in
            let api = try await harness.upstream(upstream)
            let first = api.begin(OutboundRequest(target: "/1"))
            try await upstream.requestRead.wait()
            let start = ContinuousClock.now
            let second = try await api.call(
                OutboundRequest(target: "/2"), settings: CallSettings(total: .milliseconds(60)))
            #expect(second.reason == "connection_limit_reached")
            #expect(start.duration(to: .now) < .seconds(10))
            go.fire()
            #expect(try await first.end().text == "hi")
        }
        upstream.stop()
    }

    @Test(
        "The connections of a process are divided among its upstreams, and closed ones give their places back"
    )
    func places() async throws {
        let go = Signal()
        let script: [ScriptedUpstream.Step] = [.readRequest, .wait(go), .send(Self.ok), .again]
        let (one, other) = (try ScriptedUpstream(script), try ScriptedUpstream(script))
        let free = try ScriptedUpstream([.readRequest, .send(Self.ok), .again])
        let budget = FairBudget(capacity: 3)
        try await ClientHarness.with { harness in
            let apis = [try await harness.upstream(one), try await harness.upstream(other)]
            try await harness.loop.perform {
                for api in apis { api.pool.connectionPlaces = FairBudget.Share(of: budget) }
            }
            let first = apis[0].begin(OutboundRequest(target: "/1"))
            try await one.requestRead.wait()
            // With a second one it would have more than what is free: the call waits for the connection in
            // use.
            let second = apis[0].begin(OutboundRequest(target: "/2"))
            try await harness.until { $0.waiting == 1 }
            let third = apis[1].begin(OutboundRequest(target: "/3"))
            try await other.requestRead.wait()
            #expect(one.connections == 1 && budget.inUse == 2)
            // A third upstream gets no place, and waits for one within its time.
            let last = try await harness.upstream(port: free.port)
            try await harness.loop.perform {
                last.pool.connectionPlaces = FairBudget.Share(of: budget)
            }
            let failed = try await last.call(settings: CallSettings(total: .milliseconds(80))).failure
            #expect(failed?.reason == .connectionLimitReached)
            #expect(
                failed?.detail
                    == "no free connection within 80 ms; no further connection to this upstream could be opened"
            )
            let fourth = last.begin(OutboundRequest(target: "/4"))
            try await harness.until { $0.waiting == 2 }
            for _ in 0..<3 { go.fire() }
            for call in [first, second, third] { #expect(try await call.end().text == "hi") }
            // Idle connections keep their places.
            try await harness.loop.perform { apis.forEach { $0.pool.closeConnections() } }
            #expect(try await fourth.end().text == "hi")
        }
        #expect(budget.inUse == 0)
        free.stop()
        one.stop()
        other.stop()
    }

    @Test(
        "Waiting calls of a loop are divided among its upstreams, and a call beyond its share fails at once")
    func tooManyWait() async throws {
        let go = Signal()
        let one = try ScriptedUpstream([.readRequest, .wait(go), .send(Self.ok), .again])
        let other = try ScriptedUpstream([.readRequest, .wait(go), .send(Self.ok), .again])
        var limits = Self.limits(connections: 1)
        limits.waitingCalls = 3
        try await ClientHarness.with(limits: limits) { harness in
            let apis = [try await harness.upstream(one), try await harness.upstream(other)]
            var begun = apis.map { $0.begin(OutboundRequest(target: "/")) }
            try await one.requestRead.wait()
            try await other.requestRead.wait()
            begun += apis.map { $0.begin(OutboundRequest(target: "/")) }
            try await harness.until { $0.waiting == 2 }
            for api in apis {
                let start = ContinuousClock.now
                let refused = try await api.get()
                #expect(refused.reason == "concurrency_limit")
                #expect(start.duration(to: .now) < .seconds(10))
            }
            for _ in 0..<4 { go.fire() }
            for call in begun { #expect(try await call.end().text == "hi") }
            #expect(
                try await harness.report() == PoolReport(idle: 2, leased: 0, waiting: 0, opened: 2, reused: 2)
            )
        }
        one.stop()
        other.stop()
    }

    @Test("Waiting calls are served in the order of arrival")
    func order() async throws {
        let go = Signal()
        let upstream = try ScriptedUpstream([.readRequest, .wait(go), .send(Self.ok), .again])
        try await ClientHarness.with(limits: Self.limits(connections: 1)) { harness in
            let api = try await harness.upstream(upstream)
            let calls = (0..<20).map { api.begin(OutboundRequest(target: "/\($0)")) }
            for _ in calls { go.fire() }
            for call in calls { #expect(try await call.end().text == "hi") }
            let order = upstream.requests.map { $0.prefix { $0 != "\r\n" } }
            #expect(order == (0..<20).map { "GET /\($0) HTTP/1.1" })
            #expect(upstream.connections == 1)
        }
        upstream.stop()
    }

    @Test("All calls are served without exceeding the connection limit")
    func bound() async throws {
        let upstream = try ScriptedUpstream([.readRequest, .send(Self.ok), .again])
        try await ClientHarness.with(limits: Self.limits(connections: 4)) { harness in
            let api = try await harness.upstream(upstream)
            let calls = (0..<300).map { api.begin(OutboundRequest(target: "/\($0)")) }
            for call in calls { #expect(try await call.end().text == "hi") }
            #expect(upstream.connections == 4)
            #expect(
                try await harness.report()
                    == PoolReport(idle: 4, leased: 0, waiting: 0, opened: 4, reused: 296))
        }
        upstream.stop()
    }

    @Test("When a connection is lost, a waiting call gets a new connection")
    func lost() async throws {
        let go = Signal()
        let upstream = try ScriptedUpstream(
            [.readRequest, .wait(go), .reset], [.readRequest, .send(Self.ok), .again])
        try await ClientHarness.with(limits: Self.limits(connections: 1)) { harness in
            let api = try await harness.upstream(upstream)
            let first = api.begin(OutboundRequest(target: "/1"))
            try await upstream.requestRead.wait()
            let others = [
                api.begin(OutboundRequest(target: "/2")),
                api.begin(OutboundRequest(method: .post, target: "/3")),
            ]
            try await harness.until { $0.waiting == 2 }
            go.fire()
            #expect(try await first.end().reason == "connection_terminated")
            for call in others { #expect(try await call.end().text == "hi") }
            #expect(upstream.connections == 2)
        }
        upstream.stop()
    }

    @Test(
        "Waiting calls with invalid requests fail, and the next valid call is served on the same connection"
    )
    func malformedInLine() async throws {
        let go = Signal()
        let upstream = try ScriptedUpstream([.readRequest, .wait(go), .send(Self.ok), .again])
        try await ClientHarness.with(limits: Self.limits(connections: 1)) { harness in
            let api = try await harness.upstream(upstream)
            let first = api.begin(OutboundRequest(target: "/1"))
            try await upstream.requestRead.wait()
            let malformed = (0..<900).map { _ in api.begin(OutboundRequest(target: "/a b")) }
            let last = api.begin(OutboundRequest(target: "/2"))
            try await harness.until { $0.waiting == 901 }
            go.fire()
            go.fire()
            #expect(try await first.end().text == "hi")
            for call in malformed { #expect(try await call.end().reason == "http_request_error") }
            #expect(try await last.end().text == "hi")
            #expect(upstream.requests.count == 2)
            #expect(upstream.connections == 1)
        }
        upstream.stop()
    }

    @Test("When the upstream refuses connections, all waiting calls fail")
    func allRefused() async throws {
        let upstream = try ScriptedUpstream(.closed, [])
        try await ClientHarness.with(limits: Self.limits(connections: 2)) { harness in
            let api = try await harness.upstream(upstream)
            let calls = (0..<1000).map { _ in api.begin(OutboundRequest(target: "/")) }
            for call in calls { #expect(try await call.end().reason == "connection_refused") }
        }
        upstream.stop()
    }

    @Test("A full pool does not delay calls to other upstreams")
    func isolation() async throws {
        let never = Signal()
        let full = try ScriptedUpstream([.readRequest, .wait(never)])
        let free = try ScriptedUpstream([.readRequest, .send(Self.ok), .again])
        try await ClientHarness.with(limits: Self.limits(connections: 1)) { harness in
            let stuck = try await harness.upstream(full)
            let calls = (0..<3).map { stuck.begin(OutboundRequest(target: "/\($0)")) }
            try await harness.until { $0.waiting == 2 }
            #expect(try await harness.upstream(free).get().text == "hi")
            for call in calls { call.dispose() }
        }
        never.fire()
        full.stop()
        free.stop()
    }
}
