import EventIO
import HTTPOutbound
import Locking
import Networking
import Resilience
import TestSupport
import Testing

@testable import NetworkingSession

@Suite("Health checks of addresses", .timeLimit(.minutes(1)))
struct HealthCheckTests {
    /// A server that counts its checks, and answers calls once `released` is fired.
    private final class Peer: Sendable {
        private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"

        private final class Count: Sendable {
            let value = Lock(0)
        }

        private let count = Count()
        let called = Signal()
        let released = Signal()
        let server: ScriptedUpstream

        init() throws {
            let (count, called, released) = (count, called, released)
            server = try ScriptedUpstream([
                .answer { request in
                    if request.hasPrefix("GET /health ") {
                        count.value.withLock { $0 += 1 }
                    } else {
                        called.fire()
                        guard (try? released.waitBlocking()) != nil else { return "" }
                    }
                    return Self.ok
                }, .awaitEnd,
            ])
        }

        var checks: Int { count.value.withLock { $0 } }
        var url: String { "http://127.0.0.1:\(server.port)" }
    }

    private final class Calls {
        let group: EventLoopGroup
        let client: LoopBound<LoopClient>
        let transport: LoopTransport

        /// One connection for each address, and a check every 100 ms.
        init() throws {
            group = try EventLoopGroup(count: 1)
            var limits = OutboundLimits()
            limits.connectionsPerUpstream = 1
            limits.idleTimeout = .milliseconds(100)
            var policy = UpstreamPolicy()
            policy.health = HealthCheckPolicy(path: "/health")
            policy.health?.interval = .milliseconds(100)
            let protections = UpstreamProtections(standard: policy, loops: 1)
            let (loop, settings) = (group.loops[0], limits)
            client = loop.runBlocking {
                LoopBound(
                    LoopClient(HTTPClient(loop: loop, limits: settings), protections: protections), loop: loop
                )
            }
            transport = LoopTransport([client])
        }

        func provider(_ name: String, _ peer: Peer) throws -> Provider<Anything> {
            try Provider(upstream: name, baseURL: peer.url, transport: transport, policy: .patient)
        }

        var report: PoolReport { group.loops[0].runBlocking { [client] in client.value.report } }
        var tables: UpstreamTables { group.loops[0].runBlocking { [client] in client.value.tables } }

        func stop() {
            group.loops[0].runBlocking { [client] in client.value.close() }
            group.shutdown()
        }
    }

    @Test("No check waits for a connection while calls use all of them")
    func full() async throws {
        let (busy, other) = (try Peer(), try Peer())
        let calls = try Calls()
        defer { calls.stop() }
        let (one, two) = (try calls.provider("one", busy), try calls.provider("two", other))
        async let answer = one.request(Anything(baseURL: busy.url))
        try await busy.called.wait()
        let before = busy.checks
        other.released.fire()
        _ = try await two.request(Anything(baseURL: other.url))
        // The other upstream's checks tell the time.
        let start = other.checks
        try spin(
            while: {
                #expect(calls.report.waiting == 0)
                return other.checks < start + 5
            }()
        ) { "\(other.checks) checks, \(start) before" }
        #expect(busy.checks == before)
        busy.released.fire()
        #expect(try await answer.statusCode == 200)
        try spin(while: busy.checks == before) { "still \(before) checks" }
    }

    @Test("The checks of an upstream end once nobody can call it, and its connections with them")
    func unused() async throws {
        let peer = try Peer()
        let calls = try Calls()
        defer { calls.stop() }
        peer.released.fire()
        do {
            let provider = try calls.provider("one", peer)
            _ = try await provider.request(Anything(baseURL: peer.url))
            let before = peer.checks
            try spin(while: peer.checks < before + 3) { "\(peer.checks) checks, \(before) before" }
        }
        try spin(while: calls.tables != UpstreamTables()) { "\(calls.tables), \(peer.checks) checks" }
    }
}
