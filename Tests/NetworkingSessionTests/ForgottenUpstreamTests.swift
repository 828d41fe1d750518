import HTTPModel
import TestSupport
import Testing

@testable import Networking
@testable import NetworkingSession

@Suite("Upstreams that are not called again")
struct ForgottenUpstreamTests {
    private static let closing = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}"

    private func session(idleTimeout: Duration) throws -> Session {
        var configuration = Session.Configuration()
        configuration.loops = 2
        configuration.connections.proxy = .none
        configuration.limits.idleTimeout = idleTimeout
        return try Session(configuration)
    }

    @Test("A session forgets addresses that refuse connections")
    func refusing() async throws {
        let upstream = try ScriptedUpstream([.awaitEnd])
        upstream.stop()
        let session = try session(idleTimeout: .milliseconds(100))
        defer { session.close() }
        var policy = CallPolicy.patient
        policy.retry = .never
        let provider = Provider<Anything>(session: session, policy: policy)
        for number in 1...300 {
            let host = "127.0.\(number / 250).\(number % 250 + 1)"
            let target = Anything(baseURL: "http://\(host):\(upstream.port)")
            let error = await #expect(throws: NetworkError.self) { try await provider.request(target) }
            #expect(error?.reason == .connectionRefused)
        }
        try spin(while: session.tables != UpstreamTables()) { "\(session.tables)" }
    }

    @Test("A session that forgot an upstream calls it again")
    func again() async throws {
        let upstream = try ScriptedUpstream([
            .readRequest, .send(Self.closing), .close,
        ])
        let session = try session(idleTimeout: .milliseconds(100))
        defer { session.close() }
        let provider = Provider<Anything>(session: session, policy: .patient)
        for _ in 0..<3 {
            let target = Anything(baseURL: "http://127.0.0.1:\(upstream.port)")
            #expect(try await provider.request(target).statusCode == 200)
            try spin(while: session.tables != UpstreamTables()) { "\(session.tables)" }
        }
        #expect(session.report.opened == 3)
    }

    @Test("A retry that the budget refuses leaves no entry for its upstream")
    func refusedRetry() throws {
        var configuration = Session.Configuration()
        configuration.retryBudget = RetryBudget(floor: 0)
        let session = try Session(configuration)
        defer { session.close() }
        let transport = try #require(session.transport.forOneCall() as? SingleLoopTransport)
        for number in 0..<100 {
            let upstream = try Upstream(name: "\(number)", baseURL: "http://127.0.0.1:1")
            #expect(transport.beginRetry(to: upstream) == .budget)
        }
        #expect(transport.retriedUpstreamCount == 0)
    }

    @Test("A retry that has ended leaves no entry for its upstream")
    func endedRetry() throws {
        let session = try session(idleTimeout: .seconds(1))
        defer { session.close() }
        let transport = try #require(session.transport.forOneCall() as? SingleLoopTransport)
        let upstream = try Upstream(name: "one", baseURL: "http://127.0.0.1:1")
        #expect(transport.beginRetry(to: upstream) == nil)
        #expect(transport.beginRetry(to: upstream) == nil)
        transport.endRetry(to: upstream)
        #expect(transport.retriedUpstreamCount == 1)
        transport.endRetry(to: upstream)
        #expect(transport.retriedUpstreamCount == 0)
    }
}
