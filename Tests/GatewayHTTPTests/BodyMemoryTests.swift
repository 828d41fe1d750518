import GatewayCore
import JSONBytes
import Networking
import Rx
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("The memory for bodies of upstreams", .timeLimit(.minutes(1)))
struct BodyMemoryTests {
    enum Framing: String, CaseIterable {
        case length, chunked, close
    }

    /// JSON of 128 KiB.
    private static let json = "\"" + String(repeating: "x", count: 128 * 1024 - 2) + "\""

    private static func response(_ framing: Framing) -> String {
        switch framing {
        case .length: "HTTP/1.1 200 OK\r\nContent-Length: \(json.utf8.count)\r\n\r\n\(json)"
        case .chunked:
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n20000\r\n\(json)\r\n0\r\n\r\n"
        case .close: "HTTP/1.1 200 OK\r\n\r\n\(json)"
        }
    }

    /// Serves with 1 MiB for bodies: `/large` has a large part, `/held` also waits for a silent upstream.
    private func serve(_ framing: Framing, _ body: (GatewayServer) throws -> Void) throws {
        let large = try ScriptedUpstream(
            framing == .close
                ? [.readRequest, .send(Self.response(framing)), .close]
                : [.readRequest, .send(Self.response(framing)), .again])
        let silent = try ScriptedUpstream([.readRequest, .awaitEnd])
        defer {
            large.stop()
            silent.stop()
        }
        _ = try withLoggedGateway(stops: true) { configuration in
            configuration.upstreamBodies = 1 << 20
            configuration.upstreams = [
                "large": "http://127.0.0.1:\(large.port)", "other": "http://127.0.0.1:\(large.port)",
                "silent": "http://127.0.0.1:\(silent.port)",
            ]
        } declare: { gateway in
            let large = gateway.provider(PartsAPI.self, upstream: "large")
            let silent = gateway.provider(PartsAPI.self, upstream: "silent")
            gateway.get("/large") { _ in .parts(large: large.rx.request(.first).fragment()) }
            gateway.get("/held") { _ in
                .parts(
                    large: large.rx.request(.first).fragment(), silent: silent.rx.request(.first).fragment())
            }
            _ = gateway.provider(PartsAPI.self, upstream: "other")
        } _: { server in
            try body(server)
        }
    }

    @Test(
        "An upstream's bodies take half of it; a further large response fails at once",
        arguments: Framing.allCases)
    func full(framing: Framing) throws {
        try serve(framing) { server in
            var waiting: [RawClient] = []
            // Bodies without a length are charged for the room that they are given while they grow.
            let size = framing == .length ? 4 : 2
            for count in 1...size {
                let client = try RawClient(port: server.port)
                client.send("GET /held HTTP/1.1\r\nHost: test\r\n\r\n")
                waiting.append(client)
                try spin(while: server.settled.upstreamBodyBytes < count * Self.json.utf8.count) {
                    "\(server.settled.upstreamBodyBytes) bytes of \(count) bodies"
                }
            }
            try spin(while: server.settled.calls.leased > size) { "\(server.settled.calls)" }
            let bytes = Double(server.settled.upstreamBodyBytes)
            #expect(server.metric(#"upstream_body_bytes{upstream="large"}"#) == bytes)
            #expect(server.metric(#"upstream_body_bytes{upstream="silent"}"#) == 0)
            let used = #"limit_used_ratio{limit="upstream_bodies"}"#
            #expect(server.metric(used).map { $0 >= 0.25 && $0 == bytes / Double(1 << 20) } == true)
            let refused = #"upstream_refused_total{upstream="large",reason="memory_limit"}"#
            #expect(server.metric(refused) == 0)
            let client = try RawClient(port: server.port)
            let reply = try #require(client.get("/large"))
            #expect(reply.status == 503)
            #expect(["1", "2", "3"].contains(reply.value("Retry-After")))
            #expect(reply.text.contains("\"reason\":\"memory_limit\""))
            #expect(reply.text.contains("\"attempts\":1"))
            #expect(reply.value("Proxy-Status") == "sluice; details=\"large\"")
            try server.wait(for: refused, toBe: 1)
            // The clients leave, and their bodies with them.
            for client in waiting { client.reset() }
            try spin(while: server.settled.upstreamBodyBytes > 0) {
                "\(server.settled.upstreamBodyBytes) bytes of bodies"
            }
            #expect(client.get("/large")?.status == 200)
            try spin(while: server.settled.upstreamBodyBytes > 0) {
                "\(server.settled.upstreamBodyBytes) bytes of bodies"
            }
            #expect(server.metric(#"upstream_body_bytes{upstream="large"}"#) == 0)
            #expect(server.metric(used) == 0)
        }
    }

    @Test("Answers give it back, as often as they are asked for", arguments: Framing.allCases)
    func givenBack(framing: Framing) throws {
        try serve(framing) { server in
            let client = try RawClient(port: server.port)
            for _ in 0..<40 { #expect(client.get("/large")?.status == 200) }
            #expect(server.settled.upstreamBodyBytes == 0)
        }
    }

    @Test("A budget that is too small ends the start")
    func tooSmall() {
        var configuration = GatewayServerConfiguration()
        configuration.port = 0
        configuration.upstreamBodies = 1000
        #expect {
            _ = try GatewayServer.start(configuration) { _ in }
        } throws: {
            "\($0)" == "upstreamBodies: 1000 bytes are not 1 MiB (1048576) or more"
        }
        #expect((1 << 20...1 << 30).contains(GatewayServerConfiguration().upstreamBodies))
    }
}
