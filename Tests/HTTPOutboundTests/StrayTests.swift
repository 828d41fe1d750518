import EventIO
import HTTPModel
import Rx
import TestSupport
import Testing

@testable import HTTPOutbound

/// Input from an upstream that does not belong to any request.
enum Stray: String, CaseIterable, CustomTestStringConvertible {
    case response, timeout, garbage, byte, head, end

    var testDescription: String { rawValue }

    var steps: [ScriptedUpstream.Step] {
        switch self {
        case .response: [.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nstray")]
        case .timeout: [.send(Self.requestTimeout)]
        case .garbage: [.send("\u{0}220 mail.example.com ESMTP\r\n")]
        case .byte: [.send("H")]
        case .head: [.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n")]
        case .end: [.finish]
        }
    }

    static let requestTimeout =
        "HTTP/1.1 408 Request Timeout\r\nContent-Length: 5\r\nConnection: close\r\n\r\nstray"
}

/// Tests bytes that an upstream sends out of turn.
@Suite("Stray bytes", .timeLimit(.minutes(2)))
struct StrayTests {
    static let ok = CallTests.ok
    static let second = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecond"
    static let next: [ScriptedUpstream.Step] = [.readRequest, .send(second), .again]

    /// A fatal alert sent in plain text, which TLS 1.3 forbids here (RFC 8446 6).
    static let alert: [UInt8] = [21, 3, 3, 0, 2, 2, 80]

    static func request(_ method: HTTPMethod, body: String? = nil) -> OutboundRequest {
        body.map { OutboundRequest(method: method, target: "/", body: $0) }
            ?? OutboundRequest(method: method, target: "/")
    }

    /// Opens a connection, has the upstream send `stray` while the loop is blocked, and makes a call in the
    /// same turn of the loop, so that its request is written before the loop reads the bytes.
    static func overtake(
        _ stray: [ScriptedUpstream.Step], _ request: OutboundRequest, wire: Wire,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let (go, sent) = (Signal(), Signal())
        let upstream = try ScriptedUpstream(
            tls: wire.server,
            [.readRequest, .send(ok), .wait(go)] + stray + [.fire(sent), .readRequest, .send(ok), .awaitEnd],
            next)
        try await ClientHarness.with { harness in
            let api = try await harness.upstream(upstream)
            #expect(try await api.get().text == "hi", sourceLocation: sourceLocation)
            let begun = RunningCall(api, request) {
                go.fire()
                try? sent.waitBlocking()
            }
            let result = try await begun.end()
            #expect(result.text == "second", "\(result)", sourceLocation: sourceLocation)
            #expect(upstream.connections == 2, sourceLocation: sourceLocation)
            #expect(upstream.requests.count == 2, "\(upstream.requests)", sourceLocation: sourceLocation)
            #expect(try await api.get().text == "second", sourceLocation: sourceLocation)
        }
        upstream.stop()
    }

    // MARK: Before the request

    @Test(
        "If stray bytes arrive before a GET is sent, the GET is sent once, on another connection",
        arguments: Stray.allCases, Wire.allCases)
    func beforeGet(stray: Stray, wire: Wire) async throws {
        try await Self.overtake(stray.steps, Self.request(.get), wire: wire)
    }

    @Test(
        "If stray bytes arrive before a POST is sent, the POST is sent once, on another connection",
        arguments: Stray.allCases, Wire.allCases)
    func beforePost(stray: Stray, wire: Wire) async throws {
        try await Self.overtake(stray.steps, Self.request(.post, body: "once"), wire: wire)
    }

    @Test(
        "If stray bytes arrive before a large POST is sent, the POST is sent once, on another connection",
        arguments: Wire.allCases)
    func beforeLargePost(wire: Wire) async throws {
        let body = String(repeating: "x", count: 40_000)
        try await Self.overtake(Stray.response.steps, Self.request(.post, body: body), wire: wire)
    }

    @Test(
        "If stray bytes arrive before a one-shot body is sent, it is sent once, on another connection",
        arguments: Stray.allCases, Wire.allCases)
    func beforeStreamedPut(stray: Stray, wire: Wire) async throws {
        let body = ScriptedBody(StreamedRequestTests.pieces, length: 11)
        try await Self.overtake(stray.steps, StreamedRequestTests.put(body, method: .post), wire: wire)
        #expect(body.used.opened == 1, "the body was opened for a connection it was not sent on")
    }

    @Test("If a TLS alert arrives before the request is sent, the request is sent on another connection")
    func alertBefore() async throws {
        // The alert is sent in plain text, which TLS 1.3 forbids here (RFC 8446 6).
        try await Self.overtake(
            [.plain([21, 3, 3, 0, 2, 2, 80])], Self.request(.post, body: "x"), wire: .tls)
    }

    @Test("A TLS key update before the request does not prevent use of the connection")
    func keyUpdateBefore() async throws {
        let (go, sent) = (Signal(), Signal())
        let upstream = try ScriptedUpstream(
            tls: Wire.tls.server,
            [
                .readRequest, .send(Self.ok), .wait(go), .updateKeys(1), .fire(sent), .readRequest,
                .send(Self.second), .readRequest, .send(Self.second), .awaitEnd,
            ])
        try await ClientHarness.with { harness in
            let api = try await harness.upstream(upstream)
            #expect(try await api.get().text == "hi")
            let begun = RunningCall(api, Self.request(.post, body: "x")) {
                go.fire()
                try? sent.waitBlocking()
            }
            #expect(try await begun.end().text == "second")
            #expect(try await api.get().text == "second")
            #expect(upstream.connections == 1)
        }
        upstream.stop()
    }

    @Test("A flood of TLS messages without data before the request discards the connection")
    func floodBefore() async throws {
        try await Self.overtake([.sendTickets(2000)], Self.request(.post, body: "x"), wire: .tls)
    }

    @Test("A flood of TLS messages without data discards an idle connection")
    func floodWhileIdle() async throws {
        let go = Signal()
        let upstream = try ScriptedUpstream(
            tls: Wire.tls.server, [.readRequest, .send(Self.ok), .wait(go), .sendTickets(2000), .awaitEnd],
            Self.next)
        try await ClientHarness.with { harness in
            let api = try await harness.upstream(upstream)
            #expect(try await api.get().text == "hi")
            go.fire()
            try await harness.until { $0.idle == 0 }
            #expect(try await api.get().text == "second")
        }
        upstream.stop()
    }

    @Test(
        "Bytes on a new connection before its request fail the call with http_protocol_error, without a retry"
    )
    func beforeFirst() async throws {
        let sent = Signal()
        let upstream = try ScriptedUpstream([.send(Self.second), .fire(sent), .awaitEnd])
        try await ClientHarness.with { harness in
            let api = try await harness.upstream(upstream)
            let begun = try await api.loop.perform {
                let begun = api.begin(Self.request(.get))
                // The loop next starts the call, and then blocks until the bytes have arrived.
                api.loop.execute { try? sent.waitBlocking() }
                return begun
            }
            let result = try await begun.end()
            #expect(result.reason == "http_protocol_error", "\(result)")
            #expect(upstream.connections == 1)
            #expect(upstream.requests.isEmpty)
        }
        upstream.stop()
    }

    @Test("A call cancelled before its request is sent sends nothing")
    func cancelledBefore() async throws {
        let upstream = try ScriptedUpstream([.readRequest, .send(Self.ok), .awaitEnd], Self.next)
        try await ClientHarness.with { harness in
            let api = try await harness.upstream(upstream)
            #expect(try await api.get().text == "hi")
            try await api.loop.perform {
                api.send(Self.request(.post, body: "never")).subscribe().dispose()
            }
            try await upstream.clientEnded.wait()
            #expect(try await api.get().text == "second")
            #expect(upstream.requests.allSatisfy { !$0.contains("never") })
        }
        upstream.stop()
    }

    // MARK: At other moments

    @Test(
        "A stray response sent with a response is not used for the next request, and the connection is closed"
    )
    func besideResponse() async throws {
        let upstream = try ScriptedUpstream(
            [.readRequest, .send(Self.second + Self.ok), .awaitEnd], [.readRequest, .send(Self.ok), .again])
        try await ClientHarness.with { harness in
            let api = try await harness.upstream(upstream)
            #expect(try await api.get("/1").text == "second")
            for number in 2..<20 { #expect(try await api.get("/\(number)").text == "hi") }
            #expect(upstream.connections == 2)
        }
        upstream.stop()
    }

    @Test(
        "Stray bytes on an idle connection discard the connection", arguments: Stray.allCases, Wire.allCases)
    func whileIdle(stray: Stray, wire: Wire) async throws {
        let go = Signal()
        let upstream = try ScriptedUpstream(
            tls: wire.server, [.readRequest, .send(Self.ok), .wait(go)] + stray.steps + [.awaitEnd], Self.next
        )
        try await ClientHarness.with { harness in
            let api = try await harness.upstream(upstream)
            #expect(try await api.get().text == "hi")
            go.fire()
            try await harness.until { $0.idle == 0 }
            #expect(try await api.get().text == "second")
            #expect(upstream.connections == 2)
        }
        upstream.stop()
    }

    @Test(
        "A TLS alert discards an idle connection, and a GET that gets an alert is repeated")
    func alerts() async throws {
        let go = Signal()
        let upstream = try ScriptedUpstream(
            tls: Wire.tls.server, [.readRequest, .send(Self.ok), .wait(go), .plain(Self.alert), .awaitEnd],
            [.readRequest, .send(Self.ok), .readRequest, .plain(Self.alert), .awaitEnd],
            [.readRequest, .send(Self.ok), .readRequest, .cut], Self.next)
        let discarded = DiscardReasons()
        try await ClientHarness.with(discarded: discarded) { harness in
            let api = try await harness.upstream(upstream)
            #expect(try await api.get().text == "hi")
            go.fire()
            try await harness.until { $0.idle == 0 }
            #expect(try await api.get().text == "hi")
            #expect(try await api.get().text == "hi")
            #expect(try await api.get().text == "second")
            #expect(upstream.connections == 4)
            // Undecryptable bytes are reported as a protocol error and not as a close.
            #expect(
                discarded.all.map(\.token) == ["tls_protocol_error", "tls_protocol_error", "peer_closed"])
        }
        upstream.stop()
    }

    @Test(
        "A TLS alert on a new connection or within a response fails only that call"
    )
    func alertWithinCall() async throws {
        let upstream = try ScriptedUpstream(
            tls: Wire.tls.server, [.readRequest, .plain(Self.alert), .awaitEnd],
            [.readRequest, .send(Self.ok), .readRequest, .send("HTTP/1.1 2"), .plain(Self.alert), .awaitEnd],
            Self.next)
        try await ClientHarness.with { harness in
            let api = try await harness.upstream(upstream)
            #expect(try await api.get().reason == "tls_protocol_error")
            #expect(try await api.get().text == "hi")
            #expect(try await api.get().reason == "tls_protocol_error")
            #expect(try await api.get().text == "second")
        }
        upstream.stop()
    }

    // MARK: 408

    @Test(
        "A GET that gets a 408 on a reused connection is repeated and succeeds, 500 times out of 500",
        arguments: Wire.allCases)
    func staleTimeout(wire: Wire) async throws {
        let upstream = try ScriptedUpstream(
            tls: wire.server,
            [.readRequest, .send(Self.ok), .readRequest, .send(Stray.requestTimeout), .close])
        try await ClientHarness.with { harness in
            let api = try await harness.upstream(upstream)
            for number in 0..<500 {
                let result = try await api.get("/\(number)")
                #expect(result.text == "hi", "\(number): \(result)")
            }
        }
        upstream.stop()
    }

    @Test(
        "A 408 on a reused connection is recognized if it arrives in pieces or the call streams its response")
    func staleTimeoutInPieces() async throws {
        let upstream = try ScriptedUpstream(
            [
                .readRequest, .send(Self.ok), .readRequest, .send("HTTP/1.1 40"),
                .send("8 Request Timeout\r\n"),
                .send("Content-Length: 100\r\n\r\n"), .awaitEnd,
            ])
        try await ClientHarness.with { harness in
            let api = try await harness.upstream(upstream)
            #expect(try await api.get().text == "hi")
            #expect(try await api.get().text == "hi")
            let streamed = try await StreamedCall.begin(api)
            #expect(try await streamed.end().status == 200)
            #expect(streamed.record.bytes == Array("hi".utf8))
            #expect(upstream.connections == 3)
        }
        upstream.stop()
    }

    @Test(
        "A POST that gets a 408 on a reused connection has it as its response and is sent once",
        arguments: Wire.allCases)
    func staleTimeoutOfPost(wire: Wire) async throws {
        let upstream = try ScriptedUpstream(
            tls: wire.server,
            [.readRequest, .send(Self.ok), .readRequest, .send(Stray.requestTimeout), .awaitEnd], Self.next)
        try await ClientHarness.with { harness in
            let api = try await harness.upstream(upstream)
            #expect(try await api.get().text == "hi")
            #expect(try await api.post(body: "once").status == 408)
            #expect(upstream.requests.count { $0.hasSuffix("once") } == 1)
            #expect(try await api.get().text == "second")
        }
        upstream.stop()
    }

    @Test("A 408 on a new connection is returned as the response, even after a 408 on an earlier connection")
    func ownTimeout() async throws {
        let upstream = try ScriptedUpstream(
            [.readRequest, .send(Self.ok), .readRequest, .send(Stray.requestTimeout), .close],
            [.readRequest, .send(Stray.requestTimeout), .close])
        try await ClientHarness.with { harness in
            let api = try await harness.upstream(upstream)
            #expect(try await api.get().text == "hi")
            #expect(try await api.get().status == 408)
            #expect(upstream.connections == 2)
        }
        upstream.stop()
    }

    @Test("A 408 after a 1xx response is returned as the response, because the upstream has read the request")
    func timeoutAfterContinue() async throws {
        let upstream = try ScriptedUpstream(
            [
                .readRequest, .send(Self.ok), .readRequest, .send("HTTP/1.1 103 Early Hints\r\n\r\n"),
                .send(Stray.requestTimeout), .awaitEnd,
            ])
        try await ClientHarness.with { harness in
            let api = try await harness.upstream(upstream)
            #expect(try await api.get().text == "hi")
            #expect(try await api.get().status == 408)
        }
        upstream.stop()
    }

    @Test("The timings of a repeated call describe its last attempt")
    func timings() async throws {
        let go = Signal()
        let upstream = try ScriptedUpstream(
            [.readRequest, .send(Self.ok), .readRequest, .send(Stray.requestTimeout), .close],
            [.readRequest, .wait(go), .close])
        try await ClientHarness.with { harness in
            let api = try await harness.upstream(upstream)
            #expect(try await api.get().text == "hi")
            go.fire()
            let failure = try await api.get().failure
            #expect(failure?.reason == .connectionTerminated)
            #expect(failure?.timings.firstByte == nil)
            #expect(failure?.timings.isReusedConnection == false)
        }
        upstream.stop()
    }
}
