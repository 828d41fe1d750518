import GatewayCore
import JSONBytes
import Locking
import Networking
import Rx
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("Shares of endpoints and upstreams", .timeLimit(.minutes(1)))
struct ShareTests {
    /// Serves `/silent`, whose upstream answers once `go` has fired, and `/well`, which calls another one.
    private func serve(
        go: Signal = Signal(), options: [EndpointOption] = [], loops: Int = 1,
        configure: (inout GatewayServerConfiguration) -> Void,
        policy: @escaping (inout UpstreamPolicy) -> Void = { _ in },
        _ body: (GatewayServer, ScriptedUpstream) throws -> Void
    ) throws {
        let ok = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1"
        let silent = try ScriptedUpstream([.readRequest, .wait(go), .send(ok), .again])
        let well = try ScriptedUpstream([.answer { _ in ok }])
        defer {
            silent.stop()
            well.stop()
        }
        _ = try withLoggedGateway(stops: true) { configuration in
            configuration.loops = loops
            configuration.upstreams = [
                "silent": "http://127.0.0.1:\(silent.port)", "well": "http://127.0.0.1:\(well.port)",
            ]
            configure(&configuration)
        } declare: { gateway in
            let silent = gateway.provider(PartsAPI.self, upstream: "silent")
            let well = gateway.provider(PartsAPI.self, upstream: "well")
            gateway.upstream("silent", policy)
            gateway.on(.get, "/silent", options) { _ in .parts(a: silent.rx.request(.first).fragment()) }
            gateway.get("/well") { _ in .parts(a: well.rx.request(.first).fragment()) }
            gateway.post("/well") { _ in .parts(a: well.rx.request(.first).fragment()) }
        } _: { server in
            try body(server, silent)
        }
    }

    private static let request = "GET /silent HTTP/1.1\r\nHost: test\r\n\r\n"

    /// Sends this many requests to the silent endpoint, each on its own connection, and awaits that they are
    /// in flight.
    private func occupy(_ server: GatewayServer, _ count: Int) throws -> [RawClient] {
        let before = server.settled.requests
        let clients = try (0..<count).map { _ in
            let client = try RawClient(port: server.port)
            client.send(Self.request)
            return client
        }
        try spin(while: server.settled.requests < before + count) {
            "\(server.settled.requests) requests, \(before) before, \(count) sent"
        }
        return clients
    }

    private func expectOverloaded(_ reply: RawClient.Reply?, _ who: String = "The gateway") throws {
        let reply = try #require(reply)
        #expect(reply.status == 503)
        #expect(reply.text.contains("\"message\":\"\(who) has too many requests in flight\""))
        #expect(reply.text.contains("\"OVERLOADED\""))
        #expect(["1", "2", "3"].contains(reply.value("Retry-After")))
        #expect(reply.value("Connection") != "close")
    }

    @Test(
        "An endpoint that waits for a silent upstream gets half of the requests in flight; others are answered"
    )
    func endpoints() throws {
        let go = Signal()
        try serve(go: go) {
            $0.inbound.requestsInFlight = 8
        } _: { server, _ in
            let waiting = try occupy(server, 4)
            let client = try RawClient(port: server.port)
            try expectOverloaded(client.get("/silent"))
            try expectOverloaded(client.get("/silent"))
            #expect(client.get("/well")?.status == 200)
            #expect(client.get("/health/ready")?.status == 200)
            #expect(server.settled.refusedRequests == 2)
            #expect(server.metric(#"http_refused_total{reason="endpoint_share"}"#) == 2)
            #expect(server.metric(#"http_refused_total{reason="endpoint_limit"}"#) == 0)
            for _ in waiting { go.fire() }
            for client in waiting { #expect(client.receive()?.status == 200) }
            try spin(while: server.settled.requests > 0) { "\(server.settled.requests) requests in flight" }
            // Its places are free again.
            go.fire()
            #expect(client.get("/silent")?.status == 200)
        }
    }

    @Test("Clients that leave give the places of their endpoint back")
    func leaving() throws {
        try serve {
            $0.inbound.requestsInFlight = 8
        } _: { server, _ in
            for _ in 0..<3 {
                for client in try occupy(server, 4) { client.reset() }
                try spin(while: server.settled.requests > 0) {
                    "\(server.settled.requests) requests in flight"
                }
            }
            let waiting = try occupy(server, 4)
            try expectOverloaded(try RawClient(port: server.port).get("/silent"))
            withExtendedLifetime(waiting) {}
        }
    }

    @Test("An endpoint's concurrency limits its requests in the whole process", arguments: [1, 4])
    func endpointConcurrency(loops: Int) throws {
        try serve(options: [.concurrency(3)], loops: loops) { _ in
        } _: { server, _ in
            let waiting = try occupy(server, 3)
            for _ in 0..<8 {
                let client = try RawClient(port: server.port)
                try expectOverloaded(client.get("/silent"), "This endpoint")
                #expect(client.get("/well")?.status == 200)
            }
            #expect(server.metric(#"http_refused_total{reason="endpoint_limit"}"#) == 8)
            #expect(server.metric(#"http_refused_total{reason="endpoint_share"}"#) == 0)
            for client in waiting { client.reset() }
            try spin(while: server.settled.requests > 0) { "\(server.settled.requests) requests in flight" }
            _ = try occupy(server, 3)
        }
    }

    @Test(
        "An upstream's concurrency limits its attempts in the whole process; further calls are concurrency_limit",
        arguments: [1, 4])
    func upstreamConcurrency(loops: Int) throws {
        try serve(loops: loops) { _ in
        } policy: {
            $0.concurrency = 3
        } _: { server, silent in
            let waiting = try occupy(server, 3)
            try spin(while: silent.requestRead.count < 3) { "\(silent.requestRead.count) of 3 requests" }
            #expect(server.settled.upstreams["silent"]?.attemptsInFlight == 3)
            let reply = try #require(try RawClient(port: server.port).get("/silent"))
            #expect(reply.status == 503)
            #expect(["1", "2", "3"].contains(reply.value("Retry-After")))
            #expect(reply.value("Proxy-Status")?.contains("error=connection_limit_reached") == true)
            #expect(reply.text.contains("\"reason\":\"concurrency_limit\""))
            #expect(reply.text.contains("\"attempts\":0"))
            #expect(silent.requestRead.count == 3)
            let refused = #"upstream_refused_total{upstream="silent",reason="concurrency_limit"}"#
            try server.wait(for: refused, toBe: 1)
            for client in waiting { client.reset() }
            try spin(while: server.settled.upstreams["silent"]?.attemptsInFlight != 0) {
                "\(server.settled.upstreams["silent"]?.attemptsInFlight ?? -1) attempts in flight"
            }
            #expect(server.settled.upstreams["silent"]?.refusals == 1)
            let next = try occupy(server, 1)
            try spin(while: silent.requestRead.count < 4) { "\(silent.requestRead.count) of 4 requests" }
            withExtendedLifetime(next) {}
        }
    }

    @Test("Calls to one upstream take half of the places of waiting calls, and calls to another still wait")
    func waitingCalls() throws {
        let go = Signal()
        try serve(go: go) {
            $0.outbound.connectionsPerUpstream = 1
            $0.outbound.waitingCalls = 4
        } _: { server, silent in
            let first = try occupy(server, 3)
            try spin(while: server.settled.calls.waiting < 2) { "\(server.settled.calls)" }
            #expect(server.metric(#"upstream_waiting_calls{upstream="silent"}"#) == 2)
            #expect(server.metric(#"limit_used_ratio{limit="waiting_calls"}"#) == 0.5)
            let reply = try #require(try RawClient(port: server.port).get("/silent"))
            #expect(reply.status == 503)
            #expect(reply.text.contains("\"reason\":\"concurrency_limit\""))
            #expect(try RawClient(port: server.port).get("/well")?.status == 200)
            for _ in first { go.fire() }
            for client in first { #expect(client.receive()?.status == 200) }
        }
    }

    @Test("A slow upstream takes no connection of another one at the same address", arguments: [1, 2])
    func sameAddress(addresses: Int) throws {
        let ok = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1"
        let go = Signal()
        let server = try ScriptedUpstream([.readRequest, .wait(go), .send(ok), .again])
        defer { server.stop() }
        // Without a listener there: its calls go to the other address.
        let closed = try ScriptedUpstream(.closed, [[]])
        defer { closed.stop() }
        let urls = [server.port, closed.port].prefix(addresses).map { "http://127.0.0.1:\($0)" }
        _ = try withLoggedGateway(stops: true) {
            $0.upstreams = ["slow": UpstreamURLs(urls), "other": UpstreamURLs(urls)]
            $0.outbound.connectionsPerUpstream = 2
        } declare: { gateway in
            for name in ["slow", "other"] {
                let provider = gateway.provider(PartsAPI.self, upstream: name)
                gateway.get("/\(name)") { _ in .parts(a: provider.rx.request(.first).fragment()) }
            }
        } _: { gateway in
            let slow = try (0..<4).map { _ in
                let client = try RawClient(port: gateway.port)
                client.send("GET /slow HTTP/1.1\r\nHost: test\r\n\r\n")
                return client
            }
            try spin(while: gateway.report.calls.waiting < 2) { "\(gateway.report.calls)" }
            let client = try RawClient(port: gateway.port)
            client.send("GET /other HTTP/1.1\r\nHost: test\r\n\r\n")
            try spin(while: server.connections < 3) { "\(server.connections) connections" }
            for _ in 0..<5 { go.fire() }
            #expect(client.receive()?.status == 200)
            for client in slow { #expect(client.receive()?.status == 200) }
        }
    }

    @Test("A bad policy or an unknown upstream ends the start, with the setting, its value and its range")
    func faults() {
        func fault(_ declare: (Gateway) throws -> Void) -> String {
            var configuration = GatewayServerConfiguration()
            configuration.port = 0
            do {
                let server = try GatewayServer.start(configuration, declare: declare)
                server.stop()
                return "started"
            } catch {
                return "\(error)"
            }
        }
        #expect(
            fault { gateway in
                _ = gateway.provider(PartsAPI.self, upstream: "parts")
                gateway.upstream("parts") {
                    $0.concurrency = 0
                    $0.breaker?.failureRate = 50
                }
                gateway.upstream("part") { $0.breaker = nil }
                gateway.get("/page", .concurrency(0)) { _ in .json(1) }
            }
                == "GET /page has concurrency 0, which is not 1 or more; "
                + "a policy is set for the unknown upstream \"part\" (declared: parts); "
                + "upstream \"parts\": concurrency: 0 is not 1 or more; "
                + "upstream \"parts\": breaker.failureRate: 50.0 is not more than 0 and at most 1")
        var configuration = GatewayServerConfiguration()
        configuration.port = 0
        configuration.upstreamPolicy.breaker?.probes = 0
        #expect {
            _ = try GatewayServer.start(configuration) { _ in }
        } throws: {
            "\($0)" == "upstreamPolicy.breaker.probes: 0 is not between 1 and 100"
        }
    }
}
