import HTTPModel
import TestSupport
import Testing

@testable import HTTPOutbound

@Suite("Pools that are forgotten", .timeLimit(.minutes(1)))
struct ForgottenPoolTests {
    private static let closing = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nhi"

    private func limits(idle: Duration) -> OutboundLimits {
        var limits = OutboundLimits.patient
        limits.idleTimeout = idle
        return limits
    }

    private func origins(_ harness: ClientHarness) async throws -> Int {
        try await harness.loop.perform { [client = harness.client] in client.tableSizes.origins }
    }

    @Test("A client keeps vacant pools unless it is told to forget them")
    func byDefault() async throws {
        let upstream = try ScriptedUpstream([.readRequest, .send(Self.closing), .close])
        try await ClientHarness.with(limits: limits(idle: .milliseconds(1))) { harness in
            let api = try await harness.upstream(upstream)
            #expect(try await api.get().text == "hi")
            try await harness.until { $0.leased == 0 }
            #expect(try await harness.loop.perform { !api.pool.isForgotten })
            #expect(try await origins(harness) == 1)
        }
        upstream.stop()
    }

    @Test("A vacant pool is forgotten some time after its last connection closed; its numbers count on")
    func vacant() async throws {
        let forgotten = Signal()
        let upstream = try ScriptedUpstream([.readRequest, .send(Self.closing), .close])
        try await ClientHarness.with(limits: limits(idle: .milliseconds(100))) { harness in
            try await harness.loop.perform { [client = harness.client] in
                client.forgetVacant { forgotten.fire() }
            }
            let api = try await harness.upstream(upstream)
            #expect(try await api.get().text == "hi")
            try await forgotten.wait()
            #expect(try await harness.loop.perform { api.pool.isForgotten })
            #expect(try await origins(harness) == 0)
            #expect(try await harness.report() == PoolReport(opened: 1))
            let again = try await harness.upstream(upstream)
            #expect(try await again.get().text == "hi")
            #expect(try await harness.report().opened == 2)
        }
        upstream.stop()
    }

    @Test("A pool that never had a connection is forgotten, too")
    func unused() async throws {
        let forgotten = Signal()
        try await ClientHarness.with(limits: limits(idle: .milliseconds(100))) { harness in
            try await harness.loop.perform { [client = harness.client] in
                client.forgetVacant { forgotten.fire() }
            }
            _ = try await harness.upstream(port: 1)
            try await forgotten.wait()
            #expect(try await origins(harness) == 0)
        }
    }

    @Test("A pool with a connection is kept while vacant ones are forgotten")
    func connected() async throws {
        let forgotten = Signal()
        let upstream = try ScriptedUpstream([.readRequest, .awaitEnd])
        try await ClientHarness.with(limits: limits(idle: .milliseconds(100))) { harness in
            try await harness.loop.perform { [client = harness.client] in
                client.forgetVacant { forgotten.fire() }
            }
            let busy = try await harness.upstream(upstream)
            let call = busy.begin(OutboundRequest(target: "/"))
            try await upstream.requestRead.wait()
            _ = try await harness.upstream(port: 1)
            try await forgotten.wait()
            #expect(try await harness.loop.perform { !busy.pool.isForgotten })
            #expect(try await origins(harness) == 1)
            call.dispose()
        }
        upstream.stop()
    }

    @Test("Pools without a call since the last time are forgotten, and others are spared")
    func uncalled() async throws {
        let steady = try ScriptedUpstream([.readRequest, .send(CallTests.ok), .again])
        let once = try ScriptedUpstream([.readRequest, .send(CallTests.ok), .again])
        try await ClientHarness.with { harness in
            let (one, other) = (try await harness.upstream(steady), try await harness.upstream(once))
            @Sendable func forgetUncalled() async throws {
                try await harness.loop.perform { [client = harness.client] in client.forgetUncalled() }
            }
            for round in 0..<3 {
                #expect(try await one.get().text == "hi")
                if round == 0 { #expect(try await other.get().text == "hi") }
                try await forgetUncalled()
                #expect(try await origins(harness) == (round == 0 ? 2 : 1))
            }
            #expect(try await harness.loop.perform { other.pool.isForgotten && !one.pool.isForgotten })
            #expect(try await harness.report() == PoolReport(idle: 1, opened: 2, reused: 2))
        }
        steady.stop()
        once.stop()
    }
}
