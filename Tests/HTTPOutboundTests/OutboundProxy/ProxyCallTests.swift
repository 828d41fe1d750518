import EventIO
import HTTPModel
import TestSupport
import Testing

@testable import HTTPOutbound

@Suite("Calls through a proxy", .timeLimit(.minutes(1)))
struct ProxyCallTests {
    private static let ok = CallTests.ok
    private static let tunnel = "HTTP/1.1 200 Connection established\r\n\r\n"

    private static func origin(_ proxy: ScriptedUpstream, userinfo: String = "") throws -> Origin {
        try Wire.origin(8443, host: "localhost")
            .through(OutboundProxy("http://\(userinfo)127.0.0.1:\(proxy.port)"))
    }

    @Test("Requests to an http origin go to the proxy in absolute-form, over reused connections")
    func absoluteForm() async throws {
        let proxy = try ScriptedUpstream([.readRequest, .send(Self.ok), .again])
        try await ClientHarness.with { harness in
            let origin = try #require(Origin(host: "api.example", port: 8080))
                .through(OutboundProxy("http://al%40:s%3Acret@127.0.0.1:\(proxy.port)"))
            let api = try await harness.upstream(origin)
            let request = OutboundRequest(
                target: "/a?b=c", fields: ["Accept": "*/*", "Proxy-Authorization": "another's"])
            #expect(try await api.call(request).text == "hi")
            #expect(try await api.call(OutboundRequest(method: .options, target: "*")).text == "hi")
            #expect(try await api.post("/d", body: "e").text == "hi")
            let authorization = "Proxy-Authorization: Basic YWxAOnM6Y3JldA==\r\n"
            #expect(
                proxy.requests == [
                    "GET http://api.example:8080/a?b=c HTTP/1.1\r\nHost: api.example:8080\r\nAccept: */*\r\n"
                        + authorization + "\r\n",
                    "OPTIONS http://api.example:8080 HTTP/1.1\r\nHost: api.example:8080\r\n" + authorization
                        + "\r\n",
                    "POST http://api.example:8080/d HTTP/1.1\r\nHost: api.example:8080\r\n" + authorization
                        + "Content-Length: 1\r\n\r\ne",
                ])
            #expect(proxy.connections == 1)
        }
        proxy.stop()
    }

    @Test("A proxy's refusal of an http request is returned as the response")
    func refusalOfRequest() async throws {
        let proxy = try ScriptedUpstream([
            .readRequest, .send("HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n"),
            .awaitEnd,
        ])
        try await ClientHarness.with { harness in
            let origin = try #require(Origin(host: "api.example"))
                .through(OutboundProxy("127.0.0.1:\(proxy.port)"))
            #expect(try await harness.upstream(origin).get().status == 407)
        }
        proxy.stop()
    }

    @Test(
        "An https origin is reached through a CONNECT tunnel",
        arguments: ["", "user:secret@"])
    func tunnelled(userinfo: String) async throws {
        let proxy = try ScriptedUpstream(
            tls: Wire.tls.server, isSecure: false,
            [
                .readRequest, .send("HTTP/1.1 100 Continue\r\n\r\n" + Self.tunnel), .secure, .readRequest,
                .send(Self.ok), .readRequest, .send(Self.ok), .awaitEnd,
            ])
        try await ClientHarness.with { harness in
            let api = try await harness.upstream(Self.origin(proxy, userinfo: userinfo))
            let first = try await api.get("/a")
            #expect(first.text == "hi", "\(first)")
            #expect(proxy.handshakes.count == 1)
            #expect(try await api.get("/b").timings?.isReusedConnection == true)
            let authorization =
                userinfo.isEmpty ? "" : "Proxy-Authorization: Basic dXNlcjpzZWNyZXQ=\r\n"
            #expect(
                proxy.requests == [
                    "CONNECT localhost:8443 HTTP/1.1\r\nHost: localhost:8443\r\n" + authorization + "\r\n",
                    "GET /a HTTP/1.1\r\nHost: localhost:8443\r\n\r\n",
                    "GET /b HTTP/1.1\r\nHost: localhost:8443\r\n\r\n",
                ])
            #expect(proxy.handshakes.map(\.serverName) == ["localhost"])
        }
        proxy.stop()
    }

    @Test(
        "Framing fields in the answer to CONNECT are ignored even if they are invalid",
        arguments: [
            "ngth: 5", "ngth: 5\r\nContent-Length: 6", "ngth: five", "ngth: 5\r\nTransfer-Encoding: chunked",
            "vel: 1\r\nTransfer-Encoding: gzip, chunked\r\nTransfer-Encoding: (", "ngth: -1",
        ])
    func ignoredLength(rest: String) async throws {
        let gone = Signal()
        let proxy = try ScriptedUpstream(
            tls: Wire.tls.server, isSecure: false,
            [
                .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Le"), .fire(gone), .send(rest + "\r\n\r\n"),
                .secure, .readRequest, .send(Self.ok), .awaitEnd,
            ])
        try await ClientHarness.with { harness in
            let result = try await harness.upstream(Self.origin(proxy)).get()
            #expect(result.text == "hi", "\(result)")
        }
        proxy.stop()
    }

    @Test("A GET on a stale tunnel succeeds through a new tunnel")
    func stale() async throws {
        let proxy = try ScriptedUpstream(
            tls: Wire.tls.server, isSecure: false,
            [.readRequest, .send(Self.tunnel), .secure, .readRequest, .send(Self.ok), .read(1), .cut])
        try await ClientHarness.with { harness in
            let api = try await harness.upstream(Self.origin(proxy))
            for _ in 0..<20 { #expect(try await api.get().text == "hi") }
            #expect(proxy.connections == 20)
        }
        proxy.stop()
    }

    @Test(
        "A refused tunnel fails the call with destination_unavailable and the proxy's status",
        arguments: ["401 Unauthorized", "403 Forbidden", "502 Bad Gateway", "301 Moved"])
    func refused(status: String) async throws {
        let proxy = try ScriptedUpstream([
            .readRequest, .send("HTTP/1.1 \(status)\r\nContent-Length: 100000\r\n\r\nbecause"), .awaitEnd,
        ])
        try await ClientHarness.with { harness in
            let result = try await harness.upstream(Self.origin(proxy, userinfo: "u:secret@")).get()
            #expect(result.reason == "destination_unavailable", "\(result)")
            #expect(
                result.failure?.detail
                    == "the proxy 127.0.0.1:\(proxy.port) refused a tunnel to localhost:8443: received-status=\(status.prefix(3))"
            )
            try await proxy.clientEnded.wait()
        }
        proxy.stop()
    }

    @Test(
        "A proxy's 407 to CONNECT is the response, as its 407 to any other request, without its fields and body"
    )
    func refusalOfTunnel() async throws {
        let proxy = try ScriptedUpstream([
            .readRequest,
            .send(
                "HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm=x\r\n"
                    + "Content-Length: 6\r\n\r\nsecret"), .awaitEnd,
        ])
        try await ClientHarness.with { harness in
            let result = try await harness.upstream(Self.origin(proxy)).get()
            #expect(result.status == 407, "\(result)")
            #expect((try? result.get())?.head.fields.isEmpty == true)
            #expect(result.text == "")
            try await proxy.clientEnded.wait()
            try await harness.until { $0.leased == 0 }
        }
        proxy.stop()
    }

    struct Fault: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let steps: [ScriptedUpstream.Step]
        let reason: String
    }

    @Test(
        "Each fault of a proxy fails the call with its own reason",
        arguments: [
            Fault(
                testDescription: "not HTTP", steps: [.readRequest, .send("SSH-2.0-x\r\n"), .awaitEnd],
                reason: "http_protocol_error"),
            Fault(
                testDescription: "FIN before the answer", steps: [.readRequest, .close],
                reason: "connection_terminated"),
            Fault(
                testDescription: "RST before the answer", steps: [.readRequest, .reset],
                reason: "connection_terminated"),
            Fault(
                testDescription: "FIN within the answer",
                steps: [.readRequest, .send("HTTP/1.1 200"), .close],
                reason: "connection_terminated"),
            Fault(
                testDescription: "an endless head",
                steps: [.readRequest, .send("HTTP/1.1 200 OK\r\n"), .sendForever("A: b\r\n")],
                reason: "http_response_header_section_size"),
            Fault(
                testDescription: "endless 1xx",
                steps: [.readRequest, .sendForever("HTTP/1.1 100 Continue\r\n\r\n")],
                reason: "http_protocol_error"),
            Fault(
                testDescription: "bytes after the head that are not TLS",
                steps: [.readRequest, .send(tunnel + "hello"), .awaitEnd], reason: "tls_protocol_error"),
            Fault(
                testDescription: "FIN within the tunnel", steps: [.readRequest, .send(tunnel), .close],
                reason: "connection_terminated"),
        ])
    func faults(fault: Fault) async throws {
        let proxy = try ScriptedUpstream(fault.steps)
        try await ClientHarness.with { harness in
            let result = try await harness.upstream(Self.origin(proxy)).get()
            #expect(result.reason == fault.reason, "\(result)")
        }
        proxy.stop()
    }

    @Test(
        "A silent proxy or tunnel fails the call with connection_timeout at the connect limit",
        arguments: [[.readRequest], [.readRequest, .send(tunnel)]] as [[ScriptedUpstream.Step]])
    func silence(steps: [ScriptedUpstream.Step]) async throws {
        let proxy = try ScriptedUpstream(steps + [.awaitEnd])
        var limits = OutboundLimits.patient
        limits.connectTimeout = .milliseconds(100)
        try await ClientHarness.with(limits: limits) { harness in
            let start = ContinuousClock.now
            let result = try await harness.upstream(Self.origin(proxy)).get()
            #expect(result.reason == "connection_timeout", "\(result)")
            let total = start.duration(to: .now)
            #expect(total >= .milliseconds(100) && total < .seconds(10))
            try await proxy.clientEnded.wait()
        }
        proxy.stop()
    }

    @Test("An unreachable proxy fails the call with connection_refused, and the detail contains its address")
    func absent() async throws {
        let proxy = try ScriptedUpstream(.closed, [])
        try await ClientHarness.with { harness in
            let result = try await harness.upstream(Self.origin(proxy)).get()
            #expect(result.reason == "connection_refused")
            #expect(
                result.failure?.detail.hasPrefix("the proxy 127.0.0.1:\(proxy.port) cannot be reached: ")
                    == true)
        }
        proxy.stop()
    }

    @Test("If a call is disposed and the proxy does not answer in time, the connection is closed")
    func disposed() async throws {
        let proxy = try ScriptedUpstream([.readRequest, .awaitEnd])
        try await ClientHarness.with(limits: CancellationTests.limits()) { harness in
            let call = try await harness.upstream(Self.origin(proxy)).begin(OutboundRequest(target: "/"))
            try await proxy.requestRead.wait()
            call.dispose()
            try await proxy.clientEnded.wait()
            try await harness.until { $0.leased == 0 }
        }
        proxy.stop()
    }

    @Test("Origins with different proxies do not share a pool")
    func pools() async throws {
        try await ClientHarness.with { harness in
            let origin = try #require(Origin(host: "api.example"))
            let one = try await harness.upstream(origin.through(OutboundProxy("one:1")))
            #expect(try await harness.upstream(origin) !== one)
            #expect(try await harness.upstream(origin.through(OutboundProxy("one:2"))) !== one)
            #expect(try await harness.upstream(origin.through(OutboundProxy("u@one:1"))) !== one)
            #expect(try await harness.upstream(origin.through(OutboundProxy("one:1"))) === one)
            #expect(try origin.through(OutboundProxy("u:p@one:1")).description == "http://api.example")
        }
    }
}
