import EventIO
import HTTPModel
import Rx
import TestSupport
import Testing

@testable import HTTPOutbound

@Suite("Connections to addresses that are no longer used", .timeLimit(.minutes(1)))
struct RetiredConnectionTests {
    private static let ok = CallTests.ok

    private func close(
        _ api: OriginClient, except addresses: Set<SocketAddress> = [], _ harness: ClientHarness
    ) async throws {
        try await harness.loop.perform { api.pool.closeConnections(except: addresses) }
    }

    @Test("An idle connection is closed at once")
    func idle() async throws {
        let discarded = DiscardReasons()
        let upstream = try ScriptedUpstream([.readRequest, .send(Self.ok), .awaitEnd])
        try await ClientHarness.with(discarded: discarded) { harness in
            let api = try await harness.upstream(upstream)
            #expect(try await api.get().text == "hi")
            try await harness.until { $0.idle == 1 }
            try await close(api, harness)
            #expect(try await harness.report().idle == 0)
            #expect(discarded.all == [.addressGone])
        }
        upstream.stop()
    }

    @Test("A connection in use serves its call and is closed then")
    func inUse() async throws {
        let (released, discarded) = (Signal(), DiscardReasons())
        let upstream = try ScriptedUpstream([.readRequest, .wait(released), .send(Self.ok), .awaitEnd])
        try await ClientHarness.with(discarded: discarded) { harness in
            let api = try await harness.upstream(upstream)
            let call = api.begin(OutboundRequest(target: "/"))
            try await upstream.requestRead.wait()
            try await close(api, harness)
            #expect(discarded.all.isEmpty)
            released.fire()
            #expect(try await call.end().text == "hi")
            try await harness.until { $0.leased == 0 }
            #expect(try await harness.report().idle == 0)
            #expect(discarded.all == [.addressGone])
        }
        upstream.stop()
    }

    @Test("A connection that is being opened serves the call that it is opened for, and no other one")
    func opening() async throws {
        let discarded = DiscardReasons()
        let upstream = try ScriptedUpstream([.readRequest, .send(Self.ok), .awaitEnd])
        try await ClientHarness.with(discarded: discarded) { harness in
            let api = try await harness.upstream(upstream)
            let ended = Signal()
            try await harness.loop.perform {
                _ = api.send(OutboundRequest(target: "/")).subscribe { _ in ended.fire() }
                #expect(api.pool.report.leased == 1)
                api.pool.closeConnections()
            }
            try await ended.wait()
            try await harness.until { $0.leased == 0 }
            #expect(try await harness.report().idle == 0)
            #expect(discarded.all == [.addressGone])
        }
        upstream.stop()
    }

    @Test("Connections to an address that stays in use are kept, those being opened too")
    func kept() async throws {
        let upstream = try ScriptedUpstream([.answer { _ in Self.ok }, .awaitEnd])
        let address = try #require(SocketAddress(host: "127.0.0.1", port: Int(upstream.port)))
        try await ClientHarness.with { harness in
            let api = try await harness.upstream(upstream)
            let ended = Signal()
            try await harness.loop.perform {
                _ = api.send(OutboundRequest(target: "/")).subscribe { _ in ended.fire() }
                api.pool.closeConnections(except: [address])
            }
            try await ended.wait()
            try await harness.until { $0.idle == 1 }
            try await close(api, except: [address], harness)
            #expect(try await api.get().text == "hi")
            #expect(try await harness.report().opened == 1)
        }
        upstream.stop()
    }
}
