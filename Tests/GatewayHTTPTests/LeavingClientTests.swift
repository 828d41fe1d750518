import Dispatch
import GatewayCore
import Glibc
import HTTPOutbound
import JSONBytes
import Networking
import Rx
import TestSupport
import Testing

@testable import GatewayHTTP

/// When a client leaves, all work for it is cancelled, and the upstream sockets are closed.
@Suite("Clients that leave", .timeLimit(.minutes(1)))
struct LeavingClientTests {
    enum Manner: String, CaseIterable, Sendable {
        case fin = "FIN"
        case rst = "RST"
        case half = "FIN, and reads on"
    }

    private static let page = "GET /page HTTP/1.1\r\nHost: test\r\n\r\n"

    /// Long limits, so that only the leaving client ends a call, even on a busy machine.
    private static var patient: CallPolicy {
        var policy = CallPolicy()
        policy.totalTimeout = .seconds(300)
        policy.attemptLimits = AttemptLimits(connect: .seconds(300), firstByte: .seconds(300))
        return policy
    }

    /// Serves `/page`, which has two parts of one upstream, while `body` runs. Returns the lines of the
    /// access log.
    private func serve(
        _ upstream: ScriptedUpstream, _ policy: CallPolicy = patient,
        _ body: (GatewayServer) throws -> Void
    ) throws -> [JSONFragment] {
        defer { upstream.stop() }
        return try withLoggedGateway(
            stops: true,
            configure: { configuration in
                configuration.limits.deadline = .seconds(300)
                configuration.upstreams["parts"] = "http://127.0.0.1:\(upstream.port)"
            },
            declare: { gateway in
                let parts = gateway.provider(PartsAPI.self, upstream: "parts", policy: policy)
                gateway.get("/page") { _ in
                    .parts(
                        first: parts.rx.request(.first).fragment(),
                        second: parts.rx.request(.second).fragment().optional())
                }
            }, body)
    }

    private func leave(_ client: RawClient, _ manner: Manner) {
        switch manner {
        case .fin: client.close()
        case .rst: client.reset()
        case .half: client.shutdownWrite()
        }
    }

    @Test(
        "If a client leaves during its calls, their sockets close within 100 ms, nothing is retried, and the log says 499",
        arguments: Manner.allCases, [0, 3, 3000])
    func theUpstreamsSocketsClose(_ manner: Manner, behind: Int) throws {
        let upstream = try ScriptedUpstream([.readRequest, .awaitEnd])
        let rounds = 5
        let lines = try serve(upstream) { server in
            let idle = try RawClient(port: server.port)
            let clock = ContinuousClock()
            var fastest = Duration.seconds(60)
            // A busy machine may delay a round, so only the fastest is measured. The sockets must close in
            // every round.
            for round in 1...rounds {
                let leaving = try RawClient(port: server.port)
                leaving.send(Self.page)
                try spin(while: upstream.requestRead.count < 2 * round) {
                    "\(upstream.requestRead.count) requests in round \(round)"
                }
                leaving.send(String(repeating: Self.page, count: behind))
                #expect(upstream.clientEnded.count == 2 * (round - 1))
                let left = clock.now
                leave(leaving, manner)
                try spin(while: upstream.clientEnded.count < 2 * round) {
                    "\(upstream.clientEnded.count) connections ended in round \(round)"
                }
                fastest = min(fastest, clock.now - left)
                if manner == .half { #expect(leaving.readToEnd().bytes.isEmpty) }
            }
            #expect(fastest < .milliseconds(100))
            let before = server.settled
            #expect(before.connections == 1 && before.requests == 0)
            #expect(before.calls == PoolReport(opened: 2 * rounds))
            #expect(idle.end(within: 200) == .silence)
            let after = server.settled
            // Each report and a few timers wake the loop. A spinning loop wakes thousands of times.
            #expect(after.wakes - before.wakes < 20)
            #expect(after.calls == before.calls, "a call was retried")
            #expect(upstream.requests.count == 2 * rounds)
        }
        #expect(lines.count == rounds, "a pipelined request was started")
        for line in lines {
            #expect(line[member: "status"]?.intValue == 499)
            #expect(line[member: "code"]?.stringValue == "CANCELLED")
            #expect(line[member: "path"]?.stringValue == "/page")
            for part in ["first", "second"] {
                #expect(line[member: "parts"]?[member: part]?[member: "kind"]?.stringValue == "cancelled")
            }
        }
    }

    @Test("If a client leaves while its calls wait for a retry, no retry follows", arguments: Manner.allCases)
    func noAttemptFollows(_ manner: Manner) throws {
        let upstream = try ScriptedUpstream([.readRequest, .close])
        var policy = Self.patient
        policy.retry.backoff = .constant(.seconds(300), jitter: .full)
        let lines = try serve(upstream, policy) { server in
            let timers = server.settled.timers
            let client = try RawClient(port: server.port)
            client.send(Self.page)
            // Both parts have failed once and wait for a retry.
            try spin(while: upstream.requestRead.count < 2 || server.settled.calls.leased > 0) {
                "\(upstream.requestRead.count) requests, \(server.settled.calls)"
            }
            let opened = server.settled.calls.opened
            leave(client, manner)
            try spin(while: server.settled.connections > 0) {
                "\(server.settled.connections) connections, \(server.settled.requests) requests"
            }
            // No timer is left that could start an attempt. The loop's own timer for quiet streams ends by
            // itself, and one timer forgets pools without connections.
            try spin(while: server.settled.timers > timers + 1) {
                "\(server.settled.timers) timers, \(timers) before"
            }
            let report = server.settled
            #expect(report.requests == 0)
            #expect(report.calls == PoolReport(opened: opened))
        }
        #expect(lines.map { $0[member: "status"]?.intValue } == [499])
    }

    @Test("If a client leaves during a connect, the connecting socket closes", arguments: Manner.allCases)
    func theConnectEnds(_ manner: Manner) throws {
        let upstream = try ScriptedUpstream(.full, [[.awaitEnd]])
        let lines = try serve(upstream) { server in
            let client = try RawClient(port: server.port)
            client.send(Self.page)
            try spin(while: server.settled.calls.leased < 2) { "\(server.settled.calls)" }
            leave(client, manner)
            try spin(while: server.settled.connections > 0) {
                "\(server.settled.connections) connections, \(server.settled.requests) requests"
            }
            #expect(server.settled.calls == PoolReport(opened: 2))
        }
        #expect(lines.map { $0[member: "status"]?.intValue } == [499])
    }
}
