import EventIO
import HTTPModel
import TestSupport
import Testing

@testable import HTTPOutbound

@Suite(
    "Calls through tinyproxy", .timeLimit(.minutes(2)),
    .enabled(if: Tinyproxy.isInstalled, "tinyproxy is not installed: make setup"))
struct TinyproxyTests {
    private static let ok = CallTests.ok

    @Test("An http origin is reached through the proxy")
    func plain() async throws {
        let upstream = try ScriptedUpstream([.readRequest, .send(Self.ok), .awaitEnd])
        let proxy = try await Tinyproxy()
        try await ClientHarness.with { harness in
            let origin = try #require(Origin(host: "127.0.0.1", port: upstream.port))
                .through(OutboundProxy("127.0.0.1:\(proxy.port)"))
            let result = try await harness.upstream(origin).get("/a?b")
            #expect(result.text == "hi", "\(result)")
            #expect(upstream.requests.first?.hasPrefix("GET /a?b HTTP/1.") == true)
        }
        upstream.stop()
    }

    @Test("An https origin is reached through a tunnel, which is reused")
    func tunnel() async throws {
        let upstream = try ScriptedUpstream(tls: Wire.tls.server, [.readRequest, .send(Self.ok), .again])
        let proxy = try await Tinyproxy()
        try await ClientHarness.with { harness in
            let origin = try Wire.origin(upstream.port)
                .through(OutboundProxy("127.0.0.1:\(proxy.port)"))
            let api = try await harness.upstream(origin)
            for _ in 0..<3 {
                let result = try await api.get()
                #expect(result.text == "hi", "\(result)")
            }
            #expect(upstream.connections == 1)
            #expect(upstream.requests.first?.contains("Via") == false)
        }
        upstream.stop()
    }

    @Test(
        "A proxy that requires a password opens a tunnel only with the right one",
        arguments: ["", "user:wrong@", "user:secret@"])
    func authorization(userinfo: String) async throws {
        let upstream = try ScriptedUpstream(tls: Wire.tls.server, [.readRequest, .send(Self.ok), .again])
        let proxy = try await Tinyproxy("BasicAuth user secret")
        try await ClientHarness.with { harness in
            let origin = try Wire.origin(upstream.port)
                .through(OutboundProxy("\(userinfo)127.0.0.1:\(proxy.port)"))
            let result = try await harness.upstream(origin).get()
            if userinfo == "user:secret@" {
                #expect(result.text == "hi", "\(result)")
            } else if userinfo.isEmpty {
                #expect(result.status == 407, "\(result)")
            } else {
                // tinyproxy answers 401 to a wrong password.
                #expect(result.reason == "destination_unavailable", "\(result)")
                #expect(result.failure?.detail.contains("received-status=401") == true, "\(result)")
            }
        }
        upstream.stop()
    }

    @Test("A tunnel to a forbidden port or an unreachable origin is refused")
    func refusals() async throws {
        let closed = try ScriptedUpstream(.closed, [])
        let strict = try await Tinyproxy("ConnectPort 443")
        let open = try await Tinyproxy()
        try await ClientHarness.with { harness in
            for (proxy, status) in [(strict, "403"), (open, "50")] {
                let origin = try Wire.origin(closed.port)
                    .through(OutboundProxy("127.0.0.1:\(proxy.port)"))
                let result = try await harness.upstream(origin).get()
                #expect(result.reason == "destination_unavailable", "\(result)")
                #expect(result.failure?.detail.contains("received-status=\(status)") == true, "\(result)")
            }
        }
        closed.stop()
    }
}
