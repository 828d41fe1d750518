import EventIO
import GatewayCore
import GatewayTesting
import HTTPOutbound
import JSONBytes
import Locking
import Networking
import NetworkingSession
import Rx
import Testing

@testable import GatewayHTTP

@Suite("The retry budget")
struct LoopTransportTests {
    @Test("A retry started outside the loops draws on the budget of the loop that makes the call")
    func outsideTheLoops() throws {
        let group = try EventLoopGroup(count: 2, name: "budget")
        defer { group.shutdown() }
        let clients = group.loops.map { loop in
            loop.runBlocking { LoopBound(LoopClient(HTTPClient(loop: loop)), loop: loop) }
        }
        let whole = LoopTransport(clients)
        let transport = whole.forOneCall()
        let upstream = try Networking.Upstream(name: "parts", baseURL: "http://127.0.0.1:1")
        func begin(on loop: EventLoop) -> Bool {
            loop.runBlocking { whole.beginRetry(to: upstream) == nil }
        }
        let chosen = try #require(transport.scheduler as? EventLoop)
        let other = try #require(group.loops.first { $0 !== chosen })

        #expect((0..<3).map { _ in transport.beginRetry(to: upstream) } == [nil, nil, nil])
        #expect(transport.beginRetry(to: upstream) == .budget)
        #expect(!begin(on: chosen))
        #expect(begin(on: other))

        transport.endRetry(to: upstream)
        #expect(begin(on: chosen))
        #expect(transport.beginRetry(to: upstream) == .budget)
        chosen.runBlocking { transport.endRetry(to: upstream) }
        #expect(transport.beginRetry(to: upstream) == nil)
    }

    @Test(
        "If ten calls fail at once, only as many as the budget allows are retried",
        arguments: [
            (RetryBudget(), 3), (RetryBudget(floor: 1, percentage: 0), 1), (RetryBudget(floor: 5), 5),
        ])
    func onTheWire(_ budget: RetryBudget, _ retried: Int) async throws {
        let held = Lock(0)
        let upstream = try RawUpstream.ending(first: 10) { held.withLock { $0 += 1 } }
        var configuration = GatewayServerConfiguration()
        configuration.loops = 1
        configuration.upstreams["parts"] = UpstreamURLs(upstream.url)
        configuration.retryBudget = budget
        let declare: @Sendable (Gateway) -> Void = { gateway in
            var policy = CallPolicy()
            policy.attemptLimits.firstByte = .milliseconds(400)
            let parts = gateway.provider(PartsAPI.self, upstream: "parts", policy: policy)
            gateway.get("/page") { _ in .parts(first: parts.rx.request(.first).fragment()) }
        }
        try await withGateway(configuration: configuration, declare: declare) { client in
            let errors = try await withThrowingTaskGroup { group in
                for _ in 0..<10 {
                    group.addTask { try await client.get("/page").json[member: "errors"]?[element: 0] }
                }
                return try await group.reduce(into: [JSONFragment?]()) { $0.append($1) }
            }
            let ends = errors.map { error in
                let reason = error?[member: "reason"]?.stringValue ?? "none"
                return "\(reason) \(error?[member: "attempts"]?.intValue ?? 0)"
            }
            #expect(ends.count { $0 == "connection_terminated 1" } == 10 - retried, "\(ends)")
            #expect(ends.count { $0 == "connection_read_timeout 2" } == retried, "\(ends)")
        }
        #expect(held.withLock { $0 } == retried)
        withExtendedLifetime(upstream) {}
    }
}
