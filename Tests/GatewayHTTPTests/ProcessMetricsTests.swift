import EventIO
import Foundation
import GatewayCore
import JSONBytes
import Metrics
import Networking
import NetworkingSession
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("Metrics of the file, names, certificates and compression", .timeLimit(.minutes(1)))
struct ProcessMetricsTests {
    private static let text = """
        version: 1
        endpoints:
        - get: /a
          parts: {is: {value: 1}}

        """

    @Test("The hash of the file follows a reload, and the watch tells when it has looked last")
    func file() throws {
        let gateway = try FileGateway(Self.text)
        defer { gateway.stop() }
        let server = gateway.server
        let first = try #require(server.reloads.report?.hash)
        #expect(server.metric(#"config_info{hash="\#(first)"}"#) == 1)
        #expect(server.metric("config_last_look_timestamp_seconds") == nil)
        try gateway.reload(Self.text + "# changed\n")
        let second = try #require(server.reloads.report?.hash)
        #expect(second != first)
        #expect(server.metric(#"config_info{hash="\#(second)"}"#) == 1)
        #expect(server.metric(#"config_info{hash="\#(first)"}"#) == nil)
        let now = Date().timeIntervalSince1970
        server.watchFile(every: .milliseconds(20))
        let looked = try #require(server.metric("config_last_look_timestamp_seconds"))
        #expect(looked >= now.rounded(.down) && looked <= now + 60)
        let later = server.reloads.lastLook.map { $0 + 1 } ?? 0
        try spin(while: (server.reloads.lastLook ?? 0) < later) { "it looks no more" }
    }

    @Test("A lookup that succeeds is counted with its time")
    func names() throws {
        let upstream = try ScriptedUpstream([
            .answer { _ in "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1" }
        ])
        defer { upstream.stop() }
        _ = try withLoggedGateway { configuration in
            configuration.upstreams = ["parts": "http://localhost:\(upstream.port)"]
        } declare: { gateway in
            let parts = gateway.provider(PartsAPI.self, upstream: "parts")
            gateway.get("/page") { _ in .parts(first: parts.rx.request(.first).fragment()) }
        } _: { server in
            for result in ["no_name", "timeout", "error"] {
                #expect(server.metric(#"dns_lookups_total{result="\#(result)"}"#) == 0)
            }
            let client = try RawClient(port: server.port)
            #expect(client.get("/page")?.status == 200)
            #expect((server.metric(#"dns_lookups_total{result="success"}"#) ?? 0) >= 1)
            #expect((server.metric("dns_lookup_duration_seconds_count") ?? 0) >= 1)
            #expect(server.metric("dns_stale_answers_total") == 0)
            #expect(server.metric("dns_waiting_lookups") == 0)
        }
    }

    @Test("Configured certificates have the time at which the first of them expires")
    func certificates() throws {
        let now = Date().timeIntervalSince1970
        _ = try withLoggedGateway { configuration in
            var own = TLSConfiguration()
            own.trust = .authorities(.text(TestAuthority.shared.pem))
            configuration.connections.tlsByUpstream["parts"] = own
            configuration.upstreams = ["parts": "https://127.0.0.1:1", "system": "https://127.0.0.1:1"]
        } declare: { gateway in
            let parts = gateway.provider(PartsAPI.self, upstream: "parts")
            let system = gateway.provider(PartsAPI.self, upstream: "system")
            gateway.get("/page") { _ in
                .parts(
                    first: parts.rx.request(.first).fragment(), second: system.rx.request(.first).fragment())
            }
        } _: { server in
            let name = "certificate_expiry_timestamp_seconds"
            let authority = server.metric(#"\#(name){upstream="parts",kind="authority"}"#)
            #expect((authority ?? 0) > now)
            #expect(server.metric(#"\#(name){upstream="parts",kind="client"}"#) == nil)
            #expect(server.metric(#"\#(name){upstream="system",kind="authority"}"#) == nil)
            try server.reloadCertificates()
            #expect(server.metric(#"\#(name){upstream="parts",kind="authority"}"#) == authority)
        }
    }

    @Test("Compressed bytes are counted by coding, and an answer without room for an encoder as skipped")
    func compression() throws {
        _ = try withLoggedGateway { configuration in
            configuration.compression?.streams = 0
        } declare: { gateway in
            gateway.get("/zeros") { _ in .json(String(repeating: "0", count: 5000)) }
            gateway.get("/large") { _ in .json(String(repeating: "0", count: 500_000)) }
        } _: { server in
            func get(_ path: String, _ coding: String) throws -> RawClient.Reply {
                let client = try RawClient(port: server.port)
                defer { client.close() }
                client.send("GET \(path) HTTP/1.1\r\nHost: x\r\nAccept-Encoding: \(coding)\r\n\r\n")
                return try client.reply()
            }
            let input = #"compression_input_bytes_total{coding="gzip"}"#
            try spin(while: server.metric(input) != 0) { "it does not begin at 0" }
            for coding in ["gzip", "br"] {
                let reply = try get("/zeros", coding)
                #expect(reply.value("Content-Encoding") == coding)
                let sent = reply.value("Content-Length").flatMap { Double($0) }
                #expect(server.metric(#"compression_output_bytes_total{coding="\#(coding)"}"#) == sent)
                #expect(
                    (server.metric(#"compression_input_bytes_total{coding="\#(coding)"}"#) ?? 0) >= 5000)
            }
            #expect(server.metric("compression_skipped_total") == 0)
            #expect(try get("/large", "gzip").value("Content-Encoding") == nil)
            #expect(server.metric("compression_skipped_total") == 1)
            #expect(server.metric("compression_streams") == 0)
            // Not accepted, so nothing is skipped.
            #expect(try get("/large", "identity").value("Content-Encoding") == nil)
            #expect(server.metric("compression_skipped_total") == 1)
        }
    }
}
