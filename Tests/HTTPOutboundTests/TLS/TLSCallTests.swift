import EventIO
import HTTPModel
import TestSupport
import Testing

@testable import HTTPOutbound

@Suite("Calls over TLS", .timeLimit(.minutes(1)))
struct TLSCallTests {
    private static let ok = CallTests.ok

    @Test(
        "An upstream that does not speak TLS fails the call with tls_protocol_error",
        arguments: ["HTTP/1.1 400 Bad Request\r\n\r\n", "SSH-2.0-x\r\n"])
    func garbage(text: String) async throws {
        let upstream = try ScriptedUpstream([.send(text), .awaitEnd])
        try await ClientHarness.with { harness in
            let result = try await harness.upstream(Wire.origin(upstream.port)).get()
            #expect(result.reason == "tls_protocol_error", "\(result)")
        }
        upstream.stop()
    }

    @Test("A rejected certificate fails the call with tls_certificate_error, and the detail states the cause")
    func certificate() async throws {
        var options = TLSServer.Options()
        options.identity = TestAuthority.shared.issue(days: -20 ... -10)
        let upstream = try ScriptedUpstream(tls: TLSServer(options), [.awaitEnd])
        try await ClientHarness.with { harness in
            let result = try await harness.upstream(upstream).get()
            #expect(result.reason == "tls_certificate_error")
            #expect(
                result.failure?.detail.hasPrefix(
                    "handshake 127.0.0.1:\(upstream.port): TLS certificate error: certificate has expired, subject /"
                )
                    == true)
            try await upstream.handshakeFailed.wait()
        }
        upstream.stop()
    }

    @Test("An alert fails the call with tls_alert_received, during the handshake and after it")
    func alert() async throws {
        let early = try ScriptedUpstream([.read(100), .sendBytes([21, 3, 3, 0, 2, 2, 40]), .awaitEnd])
        var options = TLSServer.Options()
        options.clientAuthority = .shared
        let late = try ScriptedUpstream(tls: TLSServer(options), [.awaitEnd])
        try await ClientHarness.with { harness in
            let one = try await harness.upstream(Wire.origin(early.port)).get()
            #expect(one.reason == "tls_alert_received", "\(one)")
            #expect(one.failure?.detail.hasSuffix("handshake_failure") == true)
            let other = try await harness.upstream(late).get()
            #expect(other.reason == "tls_alert_received", "\(other)")
            #expect(other.failure?.detail.hasSuffix("certificate_required") == true)
        }
        early.stop()
        late.stop()
    }

    @Test(
        "A server that never answers the handshake fails the call with connection_timeout"
    )
    func silence() async throws {
        let upstream = try ScriptedUpstream([.awaitEnd])
        var limits = OutboundLimits.patient
        limits.connectTimeout = .milliseconds(100)
        try await ClientHarness.with(limits: limits) { harness in
            let start = ContinuousClock.now
            let result = try await harness.upstream(Wire.origin(upstream.port)).get()
            #expect(result.reason == "connection_timeout", "\(result)")
            let total = start.duration(to: .now)
            #expect(total >= .milliseconds(100) && total < .seconds(10))
            try await upstream.clientEnded.wait()
        }
        upstream.stop()
    }

    @Test(
        "A connection that ends within the handshake fails the call with connection_terminated",
        arguments: [true, false])
    func ended(byReset: Bool) async throws {
        let upstream = try ScriptedUpstream([.read(100), byReset ? .reset : .cut])
        try await ClientHarness.with { harness in
            let result = try await harness.upstream(Wire.origin(upstream.port)).get()
            #expect(result.reason == "connection_terminated", "\(result)")
        }
        upstream.stop()
    }

    @Test("A closed port fails the call with connection_refused")
    func refused() async throws {
        let upstream = try ScriptedUpstream(.closed, [])
        try await ClientHarness.with { harness in
            let result = try await harness.upstream(Wire.origin(upstream.port)).get()
            #expect(result.reason == "connection_refused")
        }
        upstream.stop()
    }

    @Test("A body delimited by the close is complete with close_notify and truncated without it")
    func truncation() async throws {
        let head = "HTTP/1.1 200 OK\r\n\r\nall of it"
        let upstream = try ScriptedUpstream(
            tls: Wire.tls.server, [.readRequest, .send(head), .cut], [.readRequest, .send(head), .close])
        try await ClientHarness.with { harness in
            let api = try await harness.upstream(upstream)
            let cut = try await api.get()
            #expect(cut.reason == "http_response_incomplete", "\(cut)")
            #expect(cut.failure?.detail.hasSuffix("the connection ended without close_notify") == true)
            #expect(try await api.get().text == "all of it")
        }
        upstream.stop()
    }

    @Test("A response with a length is complete, however the connection ends")
    func wholeThenCut() async throws {
        let upstream = try ScriptedUpstream(tls: Wire.tls.server, [.readRequest, .send(Self.ok), .cut])
        try await ClientHarness.with { harness in
            let api = try await harness.upstream(upstream)
            for _ in 0..<5 { #expect(try await api.get().text == "hi") }
        }
        upstream.stop()
    }

    @Test(
        "The second call reuses the connection of the first, and a new connection resumes its session"
    )
    func resumption() async throws {
        let upstream = try ScriptedUpstream(
            tls: Wire.tls.server, [.readRequest, .send(Self.ok), .readRequest, .send(Self.ok), .close])
        try await ClientHarness.with { harness in
            let api = try await harness.upstream(upstream, tls: TLSContext(Wire.configuration))
            #expect(try await api.get().timings?.isReusedConnection == false)
            #expect(try await api.get().timings?.isReusedConnection == true)
            try await harness.until { $0.idle == 0 }
            #expect(try await api.get().timings?.isReusedConnection == false)
            #expect(upstream.handshakes.map(\.isResumed) == [false, true])
        }
        upstream.stop()
    }

    @Test(
        "An upstream that chooses h2 by ALPN fails the call with tls_protocol_error, even if h2 was offered"
    )
    func http2() async throws {
        var options = TLSServer.Options()
        options.applicationProtocol = "h2"
        let upstream = try ScriptedUpstream(tls: TLSServer(options), [.awaitEnd])
        var configuration = Wire.configuration
        configuration.applicationProtocols = ["h2", "http/1.1"]
        let context = try TLSContext(configuration)
        try await ClientHarness.with { harness in
            let result = try await harness.upstream(upstream, tls: context).get()
            #expect(result.reason == "tls_protocol_error", "\(result)")
            #expect(result.failure?.detail == "the upstream speaks h2 and not HTTP/1.1 (ALPN)")
        }
        upstream.stop()
    }

    @Test("Calls with equal TLS configurations share connections, and calls with different ones do not")
    func pools() async throws {
        let upstream = try ScriptedUpstream(tls: Wire.tls.server, [.readRequest, .send(Self.ok), .again])
        try await ClientHarness.with { harness in
            let one = try await harness.upstream(upstream, tls: TLSContext(Wire.configuration))
            let same = try await harness.upstream(upstream, tls: TLSContext(Wire.configuration))
            #expect(one === same)
            var pinned = Wire.configuration
            pinned.pins = [TestAuthority.shared.identity.pin]
            let other = try await harness.upstream(upstream, tls: TLSContext(pinned))
            #expect(one !== other)
            #expect(try await one.get().text == "hi")
            #expect(try await same.get().text == "hi")
            #expect(try await other.get().text == "hi")
            #expect(upstream.connections == 2)
        }
        upstream.stop()
    }

    @Test("A body of 1 MiB is uploaded, and one of 8 MiB is downloaded")
    func large() async throws {
        let body = String(repeating: "0123456789abcdef", count: 65_536)
        let down = String(repeating: "x", count: 8 << 20)
        let upstream = try ScriptedUpstream(
            tls: Wire.tls.server,
            [
                .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: \(down.utf8.count)\r\n\r\n\(down)"),
                .awaitEnd,
            ])
        try await ClientHarness.with { harness in
            let result = try await harness.upstream(upstream).post(body: body)
            #expect(result.text?.utf8.count == down.utf8.count, "\(String(describing: result.failure))")
            #expect(upstream.requests.first?.hasSuffix("\r\n\r\n" + body) == true)
        }
        upstream.stop()
    }

    @Test("If a call is disposed during a handshake that does not end in time, the connection is closed")
    func disposed() async throws {
        let upstream = try ScriptedUpstream([.awaitEnd])
        try await ClientHarness.with(limits: CancellationTests.limits()) { harness in
            let call = try await harness.upstream(Wire.origin(upstream.port)).begin(
                OutboundRequest(target: "/"))
            try await upstream.accepted.wait()
            call.dispose()
            try await upstream.clientEnded.wait()
            try await harness.until { $0.leased == 0 }
        }
        upstream.stop()
    }

    @Test("An https origin requires a TLS context, and an http origin refuses one")
    func origins() throws {
        let context = try TLSContext(Wire.configuration)
        #expect(Origin(scheme: .https, host: "localhost") == nil)
        #expect(Origin(scheme: .http, host: "localhost", tls: context) == nil)
        let origin = try #require(Origin(scheme: .https, host: "::1", tls: context))
        #expect(origin.authority == "[::1]" && origin.description == "https://[::1]")
        #expect(
            Origin(scheme: .https, host: "localhost", port: 80, tls: context)?.authority == "localhost:80")
    }
}
