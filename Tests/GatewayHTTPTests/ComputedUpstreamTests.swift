import GatewayHTTP
import HTTPOutbound
import HostCrowd
import Networking
import NetworkingSession
import TestSupport
import Testing

/// `make soak PROOF=hosts` does the same with 100 000 upstreams of each kind.
@Suite("Computed upstreams", .timeLimit(.minutes(2)))
struct ComputedUpstreamTests {
    private static let counts: [HostCrowd.Kind: Int] = [
        .answering: 2000, .closing: 600, .held: 700, .redirected: 600, .refusing: 1600, .unresolved: 1600,
    ]
    private static let atOnce = 128
    private static let loops = 2

    @Test("A gateway that has called 7000 upstreams knows few at a time, and none in the end")
    func tables() async throws {
        let registered = Upstream.registeredCount
        let crowd = try HostCrowd(loops: Self.loops, idleTimeout: .seconds(1), addresses: 1000)
        for kind in HostCrowd.Kind.allCases {
            let count = try #require(Self.counts[kind])
            let atOnce = kind == .held ? count : Self.atOnce
            let outcome = try await crowd.ask(kind, 0..<count, atOnce: atOnce)
            #expect(outcome.statuses == [kind.status: count], "\(kind)")
            // 256 since a loop's table was last cleared, 256 before, and those in use.
            let most = Self.loops * 2 * 256 + 3 * atOnce
            #expect(outcome.peak.upstreams <= most && outcome.peak.pools <= most, "\(kind): \(outcome.peak)")
            #expect(outcome.peak.names <= 1024 + 320, "\(kind): \(outcome.peak)")
        }
        try spin(while: crowd.server.settled.tables != UpstreamTables()) { "\(crowd.server.settled.tables)" }
        let calls = crowd.server.settled.calls
        #expect(calls.idle == 0 && calls.leased == 0 && calls.waiting == 0)
        #expect(calls.opened >= Self.counts.values.reduce(0, +), "forgotten pools count on")
        // Two providers with 1024 parsed URLs each, and the client's own.
        #expect(Upstream.registeredCount <= registered + 2 * 1024 + 2)
        crowd.stop()
    }

    @Test("Removals of vacant upstreams make no room for more of the others")
    func sweeps() async throws {
        let crowd = try HostCrowd(loops: 1, idleTimeout: .milliseconds(500), addresses: 1000)
        let outcome = try await crowd.ask(.answering, 0..<2000, atOnce: 1)
        #expect(outcome.statuses == [200: 2000])
        #expect(outcome.peak.upstreams <= 2 * 256 + 3, "\(outcome.peak)")
        crowd.stop()
    }
}
