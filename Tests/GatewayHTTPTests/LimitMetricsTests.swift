import EventIO
import Foundation
import GatewayCore
import JSONBytes
import Metrics
import Networking
import NetworkingSession
import Rx
import TestSupport
import Testing

@testable import GatewayHTTP

extension GatewayServer {
    /// The lines of its metrics at this moment.
    var metricLines: Set<Substring> {
        Set(String(decoding: metrics.text(.prometheus, readings), as: UTF8.self).split(separator: "\n"))
    }

    /// Returns the value of a series; nil without it.
    ///
    /// - Parameter series: its name without `sluice_`.
    func metric(_ series: String) -> Double? { value(of: "sluice_\(series)") }
}

@Suite("Metrics of limits and connections", .timeLimit(.minutes(1)))
struct LimitMetricsTests {
    private func refused(_ server: GatewayServer, _ reason: String) -> Int? {
        server.metrics.value(.httpRefused, [reason])
    }

    @Test("A body without memory is refused as bodies, whether the endpoint streams it or not")
    func bodies() throws {
        _ = try withLoggedGateway { configuration in
            configuration.limits.requestBody = 1000
            configuration.inbound.bufferedBodies = 1000
        } declare: { gateway in
            gateway.post("/whole") { _ in .json(1) }
            gateway.post("/stream", .streamsBody) { .json(try await $0.bodyStream.bytes().count) }
        } _: { server in
            let holder = try RawClient(port: server.port)
            let half = String(repeating: "x", count: 900)
            holder.send("POST /whole HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n" + half)
            try spin(while: server.metric(#"limit_used_ratio{limit="request_bodies"}"#) != 0.9) {
                "the body has not arrived"
            }
            let other = try RawClient(port: server.port)
            other.send("POST /whole HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n" + half)
            #expect(try other.reply().status == 503)
            #expect(refused(server, "bodies") == 1)
            let third = try RawClient(port: server.port)
            third.send("POST /stream HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n" + half)
            #expect(try third.reply().status == 503)
            #expect(refused(server, "bodies") == 2)
            #expect(refused(server, "loop") == 0)
            holder.close()
            try spin(while: server.metric(#"limit_used_ratio{limit="request_bodies"}"#) != 0) {
                "the body is still counted"
            }
        }
    }

    @Test("A client above the connection limit is refused as connections")
    func connections() throws {
        let held = PublishSubject<JSONFragment>()
        _ = try withLoggedGateway { configuration in
            configuration.inbound.connections = 1
        } declare: { gateway in
            gateway.get("/quick") { _ in .json(1) }
            gateway.get("/held") { _ in .parts(value: held.take(1).asSingle()) }
        } _: { server in
            let busy = try RawClient(port: server.port)
            busy.send("GET /held HTTP/1.1\r\nHost: test\r\n\r\n")
            try spin(while: !held.hasObservers) { "the handler has not subscribed" }
            #expect(try RawClient(port: server.port).get("/quick")?.status == 503)
            #expect(refused(server, "connections") == 1)
            #expect(refused(server, "loop") == 0)
            #expect((server.metric(#"limit_used_ratio{limit="connections"}"#) ?? 0) >= 1)
            held.onNext(JSONFragment(string: "1"))
            #expect(busy.receive()?.status == 200)
        }
    }

    @Test("A static file without a thread that looks for it is refused as files")
    func files() throws {
        let fixture = try FileFixture()
        try fixture.write("small", "small")
        _ = try withLoggedGateway { configuration in
            var files = StaticFiles.folder(fixture.root)
            files.finder = .threads { _ in false }
            configuration.files = files
        } declare: { _ in
        } _: { server in
            let client = try RawClient(port: server.port)
            #expect(client.get("/small")?.status == 503)
            #expect(refused(server, "files") == 1)
        }
    }

    @Test("A closed upstream connection is counted by its reason, and bodies by their upstream")
    func upstreamConnections() throws {
        let upstream = try ScriptedUpstream([
            .readRequest, .send("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\n1"), .again,
        ])
        defer { upstream.stop() }
        _ = try withLoggedGateway { configuration in
            configuration.upstreams = ["parts": "http://127.0.0.1:\(upstream.port)"]
        } declare: { gateway in
            let parts = gateway.provider(PartsAPI.self, upstream: "parts")
            gateway.get("/page") { _ in .parts(first: parts.rx.request(.first).fragment()) }
        } _: { server in
            let client = try RawClient(port: server.port)
            #expect(client.get("/page")?.status == 200)
            let closed = #"upstream_connections_closed_total{upstream="parts",reason="peer_closes"}"#
            try spin(while: server.metric(closed) != 1) { "\(server.metricLines)" }
            #expect(server.metric(#"upstream_connections_opened_total{upstream="parts"}"#) == 1)
            #expect(server.metric(#"upstream_body_bytes{upstream="parts"}"#) == 0)
            for limit in ["waiting_calls", "descriptors", "streams"] {
                let used = server.metric(#"limit_used_ratio{limit="\#(limit)"}"#)
                #expect(used.map { (0..<1).contains($0) } == true, "\(limit)")
            }
            #expect((server.metric(#"limit_used_ratio{limit="descriptors"}"#) ?? 0) > 0)
        }
    }
}
