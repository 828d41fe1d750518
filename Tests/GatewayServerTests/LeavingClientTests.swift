import Gateway
import GatewayTesting
import Glibc
import Networking
import Rx
import Testing

@testable import GatewayServer

/// A client that goes takes with it what was started for it, down to the sockets of the upstreams.
@Suite("Clients that leave", .timeLimit(.minutes(1)))
struct LeavingClientTests {
    enum Manner: String, CaseIterable, Sendable { case fin = "FIN", rst = "RST" }

    @Test(
        "FIN and RST in the middle of a fan-out close the upstreams' sockets within 100 ms",
        arguments: Manner.allCases)
    func theUpstreamsSocketsClose(_ manner: Manner) async throws {
        let silent = StubUpstream { _ in .silence }
        try await withGateway(upstreams: ["parts": silent], declare: ServedGatewayTests.declarePage) {
            client in
            let port = try #require(client.url.split(separator: ":").last.flatMap { Int($0) })
            let clock = ContinuousClock()
            var fastest = Duration.seconds(60)
            // The machine may be busy: the fastest of several counts, and none may fail to close.
            for round in 1...5 {
                let leaving = try RawClient(port: port)
                leaving.send("GET /page HTTP/1.1\r\nHost: test\r\n\r\n")
                while silent.requests.count < 2 * round { sched_yield() }
                #expect(silent.abandonedRequests == 2 * (round - 1))
                let left = clock.now
                switch manner {
                case .fin: leaving.close()
                case .rst: leaving.reset()
                }
                while silent.abandonedRequests < 2 * round { sched_yield() }
                fastest = min(fastest, clock.now - left)
            }
            #expect(fastest < .milliseconds(100))
            #expect(silent.requests.count == 10)
        }
    }
}
