import GatewayCore
import JSONBytes
import Metrics
import Networking
import TestSupport
import TestTools
import Testing

@testable import GatewayHTTP

/// What other limits use is checked where they are filled: `upstream_bodies` in `BodyMemoryTests`,
/// `waiting_calls` in `ShareTests`, `request_bodies` in `LimitMetricsTests`, `answers` in
/// `AnswerStreamTests`, `spool` and `streams` in `SlowCompressionTests`.
@Suite("How much of each limit is in use", .timeLimit(.minutes(1)))
struct LimitRatioTests {
    private func used(_ limit: String, _ server: GatewayServer) -> Double? {
        server.metric(#"limit_used_ratio{limit="\#(limit)"}"#)
    }

    @Test("Eight of 16 connections and four of eight requests are half of their limits")
    func half() throws {
        let held = HeldRequests()
        _ = try withLoggedGateway(stops: true) {
            $0.inbound.requestsInFlight = 8
            $0.inbound.connections = 16
        } declare: {
            held.declare(on: $0)
        } _: { server in
            #expect(used("connections", server) == 0)
            #expect(used("requests_in_flight", server) == 0)
            let clients = try held.begin(4, at: server)
            #expect(used("connections", server) == 0.25)
            #expect(used("requests_in_flight", server) == 0.5)
            let idle = try (0..<4).map { _ in try RawClient(port: server.port) }
            try spin(while: used("connections", server) != 0.5) { "\(used("connections", server) ?? -1)" }
            withExtendedLifetime(idle) {}
            held.answer()
            for client in clients { #expect(client.receive()?.status == 200) }
            try spin(while: used("requests_in_flight", server) != 0) {
                "\(used("requests_in_flight", server) ?? -1)"
            }
        }
    }

    @Test("Connections to upstreams are a share of those that the process may have")
    func upstreamConnections() throws {
        let upstream = try ScriptedUpstream([.answer { _ in ScriptedUpstream.one }])
        defer { upstream.stop() }
        try withMeteredUpstream(upstream.port) { server in
            #expect(used("upstream_connections", server) == 0)
            #expect(try RawClient(port: server.port).get("/page")?.status == 200)
            let capacity = Double(server.upstreamConnections.capacity)
            try spin(while: used("upstream_connections", server) != 1 / capacity) {
                "\(used("upstream_connections", server) ?? -1) of \(capacity)"
            }
        }
    }

    @Test("Descriptors are a share of those that the process may open")
    func descriptors() throws {
        _ = try withLoggedGateway { _ in
        } declare: { _ in
        } _: { server in
            let lines = server.metricLines
            func value(_ series: String) throws -> Double {
                let line = try #require(lines.first { $0.hasPrefix(series + " ") })
                return try #require(line.split(separator: " ").last.flatMap { Double($0) })
            }
            let ratio = try value("process_open_fds") / value("process_max_fds")
            let told = try value(#"sluice_limit_used_ratio{limit="descriptors"}"#)
            #expect(abs(told - ratio) < 1e-6, "\(told), not \(ratio)")
        }
    }

    @Test("Of a limit of each loop, the fullest of two loops counts")
    func fullest() throws {
        let upstream = try ScriptedUpstream([.readRequest, .awaitEnd])
        defer { upstream.stop() }
        let limit = 1000
        try withMeteredUpstream(upstream.port) {
            $0.loops = 2
            $0.inbound.requestsInFlight = limit
            $0.inbound.connections = 2 * limit
            $0.outbound.waitingCalls = limit
            $0.outbound.connectionsPerUpstream = 1
            $0.outbound.waitTimeout = .seconds(300)
            $0.limits.deadline = .seconds(300)
        } _: { server in
            var clients: [RawClient] = []
            func requests() -> [Int] { [0, 1].map { server.report(ofLoop: $0).requests } }
            // The kernel assigns a connection to a loop by a hash of its ports. Here each loop gets two, so
            // that a call of each waits, and one gets more than the other.
            while clients.count < 200, requests().min() ?? 0 < 2 || requests()[0] == requests()[1] {
                let client = try RawClient(port: server.port)
                client.begin("GET /page")
                clients.append(client)
                try server.wait(for: "http_requests_in_flight", toBe: Double(clients.count))
            }
            let counts = requests()
            #expect(counts[0] != counts[1] && counts.reduce(0, +) == clients.count, "\(counts)")
            let most = Double(counts.max() ?? 0)
            #expect(used("requests_in_flight", server) == most / Double(limit))
            // All but one call of each loop wait.
            try server.wait(
                for: #"upstream_waiting_calls{upstream="parts"}"#, toBe: Double(clients.count - 2))
            #expect(used("waiting_calls", server) == (most - 1) / Double(limit))
        }
    }

    @Test("Of the memory for request bodies of each loop, the fullest of two loops counts")
    func fullestBodies() throws {
        let limit = 100_000
        _ = try withLoggedGateway(stops: true) {
            $0.loops = 2
            $0.limits.requestBody = 1000
            $0.inbound.bufferedBodies = limit
        } declare: { gateway in
            gateway.post("/posted") { .json($0.body.count) }
        } _: { server in
            var clients: [RawClient] = []
            func bytes() -> [Int] { server.requestBodies.map(\.inUse) }
            while clients.count < 200, bytes().min() == 0 || bytes()[0] == bytes()[1] {
                let client = try RawClient(port: server.port)
                client.begin("POST /posted", "Content-Length: 1000")
                client.send(String(repeating: "x", count: 100))
                clients.append(client)
                try spin(while: bytes().reduce(0, +) != 100 * clients.count) {
                    "\(bytes()), not of \(clients.count) bodies"
                }
            }
            let counts = bytes()
            #expect(counts[0] != counts[1] && counts.min() != 0, "\(counts)")
            #expect(used("request_bodies", server) == Double(counts.max() ?? 0) / Double(limit))
        }
    }
}
