import EventIO
import HTTPModel
import Locking
import TestSupport
import Testing

@testable import HTTPOutbound

@Suite("Connection reuse", .timeLimit(.minutes(1)))
struct ReuseTests {
    static let ok = CallTests.ok

    struct Response: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let bytes: String
        var method = HTTPMethod.get
        var body = "hi"
        var closes = false
    }

    static let notReusable = [
        Response(
            testDescription: "Connection: close",
            bytes: "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nhi"),
        Response(testDescription: "HTTP/1.0", bytes: "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nhi"),
        Response(
            testDescription: "Keep-Alive: max=0",
            bytes: "HTTP/1.1 200 OK\r\nKeep-Alive: timeout=5, max=0\r\nContent-Length: 2\r\n\r\nhi"),
        Response(
            testDescription: "Keep-Alive: timeout=0",
            bytes: "HTTP/1.1 200 OK\r\nKeep-Alive: timeout=0\r\nContent-Length: 2\r\n\r\nhi"),
        Response(
            testDescription: "delimited by the close", bytes: "HTTP/1.1 200 OK\r\n\r\nhi", closes: true),
        Response(
            testDescription: "bytes after the body",
            bytes: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhiho"),
        Response(
            testDescription: "a second response",
            bytes: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"
                + "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"),
        Response(testDescription: "204 with a body", bytes: "HTTP/1.1 204 No Content\r\n\r\nhi", body: ""),
        Response(
            testDescription: "304 with a body",
            bytes: "HTTP/1.1 304 Not Modified\r\nContent-Length: 2\r\n\r\nhi", body: ""),
        Response(
            testDescription: "HEAD with a body", bytes: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi",
            method: .head, body: ""
        ),
        Response(testDescription: "FIN after the response", bytes: CallTests.ok, closes: true),
    ]

    @Test(
        "After a response that prevents reuse, the connection is closed and surplus bytes are dropped",
        arguments: notReusable)
    func notReused(response: Response) async throws {
        let last: ScriptedUpstream.Step = response.closes ? .close : .awaitEnd
        let upstream = try ScriptedUpstream(
            [.readRequest, .send(response.bytes), last], [.readRequest, .send(Self.ok), .again])
        try await ClientHarness.with { harness in
            let api = try await harness.upstream(upstream)
            let first = try await api.call(OutboundRequest(method: response.method, target: "/1"))
            #expect(first.text == response.body, "\(first)")
            let second = try await api.get("/2")
            #expect(second.text == "hi")
            #expect(second.timings?.isReusedConnection == false)
            #expect(upstream.connections == 2)
        }
        upstream.stop()
    }

    @Test(
        "A connection is reused after a complete response, however it is framed",
        arguments: [
            ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi", "hi"),
            ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", ""),
            ("HTTP/1.1 204 No Content\r\n\r\n", ""),
            ("HTTP/1.1 304 Not Modified\r\nContent-Length: 2\r\n\r\n", ""),
            (
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nh\r\n1;x=y\r\ni\r\n0\r\nTrailer: x\r\n\r\n",
                "hi"
            ),
            (
                "HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi",
                "hi"
            ),
            ("HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nhi", "hi"),
            ("HTTP/1.1 200 OK\r\nKeep-Alive: timeout=5, max=100\r\nContent-Length: 2\r\n\r\nhi", "hi"),
        ])
    func usedAgain(bytes: String, body: String) async throws {
        let upstream = try ScriptedUpstream([.readRequest, .send(bytes), .again])
        try await ClientHarness.with { harness in
            let api = try await harness.upstream(upstream)
            for _ in 0..<3 { #expect(try await api.get().text == body) }
            #expect(upstream.connections == 1)
        }
        upstream.stop()
    }

    @Test("A response to HEAD has no body despite Content-Length, and its connection is reused")
    func head() async throws {
        let upstream = try ScriptedUpstream([
            .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n"), .again,
        ])
        try await ClientHarness.with { harness in
            let api = try await harness.upstream(upstream)
            for _ in 0..<2 {
                #expect(try await api.call(OutboundRequest(method: .head, target: "/")).text == "")
            }
            #expect(upstream.connections == 1)
        }
        upstream.stop()
    }

    @Test("A response may arrive byte by byte")
    func byteByByte() async throws {
        let bytes = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
        let steps: [ScriptedUpstream.Step] = bytes.utf8.map { .sendBytes([$0]) }
        let upstream = try ScriptedUpstream([.readRequest] + steps + [.again])
        try await ClientHarness.with { harness in
            let api = try await harness.upstream(upstream)
            for _ in 0..<2 { #expect(try await api.get().text == "hello") }
            #expect(upstream.connections == 1)
        }
        upstream.stop()
    }

    @Test("Bytes on an idle connection are dropped, and the connection is discarded")
    func strayBytes() async throws {
        let go = Signal()
        let upstream = try ScriptedUpstream(
            [
                .readRequest, .send(Self.ok), .wait(go),
                .send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"), .awaitEnd,
            ],
            [.readRequest, .send(Self.ok), .again])
        try await ClientHarness.with { harness in
            let api = try await harness.upstream(upstream)
            #expect(try await api.get().text == "hi")
            go.fire()
            try await upstream.clientEnded.wait()
            #expect(try await harness.report().idle == 0)
            #expect(try await api.get().text == "hi")
            #expect(upstream.connections == 2)
        }
        upstream.stop()
    }

    @Test("An idle connection that the upstream closes leaves the pool", arguments: [true, false])
    func idleEnds(byReset: Bool) async throws {
        let go = Signal()
        let upstream = try ScriptedUpstream(
            [.readRequest, .send(Self.ok), .wait(go), byReset ? .reset : .close],
            [.readRequest, .send(Self.ok), .again])
        try await ClientHarness.with { harness in
            let api = try await harness.upstream(upstream)
            #expect(try await api.get().text == "hi")
            #expect(try await harness.report().idle == 1)
            go.fire()
            try await harness.until { $0.idle == 0 }
            #expect(try await api.post().text == "hi")
            #expect(upstream.connections == 2)
        }
        upstream.stop()
    }

    @Test("An idle connection is closed after the idle timeout")
    func idleTimeout() async throws {
        let upstream = try ScriptedUpstream([.readRequest, .send(Self.ok), .awaitEnd])
        var limits = OutboundLimits.patient
        limits.idleTimeout = .milliseconds(30)
        try await ClientHarness.with(limits: limits) { harness in
            let api = try await harness.upstream(upstream)
            #expect(try await api.get().text == "hi")
            try await upstream.clientEnded.wait()
            try await harness.until { $0.idle == 0 }
        }
        upstream.stop()
    }

    @Test("The client closes an idle connection before the peer's Keep-Alive timeout ends")
    func keepAliveTimeout() async throws {
        let upstream = try ScriptedUpstream([
            .readRequest, .send("HTTP/1.1 200 OK\r\nKeep-Alive: timeout=1\r\nContent-Length: 2\r\n\r\nhi"),
            .awaitEnd,
        ])
        try await ClientHarness.with { harness in
            let api = try await harness.upstream(upstream)
            #expect(try await api.get().text == "hi")
            try await upstream.clientEnded.wait()
        }
        upstream.stop()
    }

    @Test("A connection serves at most its limit of requests, and then another opens")
    func requestLimit() async throws {
        let upstream = try ScriptedUpstream([.readRequest, .send(Self.ok), .again])
        var limits = OutboundLimits.patient
        limits.requestsPerConnection = 2
        try await ClientHarness.with(limits: limits) { harness in
            let api = try await harness.upstream(upstream)
            for _ in 0..<5 { #expect(try await api.get().text == "hi") }
            #expect(upstream.connections == 3)
        }
        upstream.stop()
    }

    @Test("A response that arrives before its request is written is returned, and its connection is closed")
    func earlyResponse() async throws {
        let upstream = try ScriptedUpstream(
            [.read(10), .send("HTTP/1.1 413 Content Too Large\r\nContent-Length: 2\r\n\r\nno"), .awaitEnd],
            [.readRequest, .send(Self.ok), .again])
        try await ClientHarness.with { harness in
            let api = try await harness.upstream(upstream)
            let body = [UInt8](repeating: 0x61, count: 32 << 20)
            let first = try await api.call(
                OutboundRequest(method: .put, target: Array("/".utf8)[...], body: .bytes(body[...])))
            #expect(first.status == 413, "\(first)")
            #expect(first.text == "no")
            #expect(try await api.get().text == "hi")
            #expect(upstream.connections == 2)
        }
        upstream.stop()
    }

    @Test("A large request body is sent completely, and its connection is reused")
    func largeBody() async throws {
        let upstream = try ScriptedUpstream([.readRequest, .send(Self.ok), .again])
        try await ClientHarness.with { harness in
            let api = try await harness.upstream(upstream)
            let text = String(repeating: "0123456789", count: 400_000)
            for _ in 0..<2 { #expect(try await api.post(body: text).text == "hi") }
            #expect(upstream.connections == 1)
            #expect(upstream.requests.allSatisfy { $0.hasSuffix("Content-Length: 4000000\r\n\r\n" + text) })
        }
        upstream.stop()
    }

    @Test("The timer for idle connections is cancelled when the last one closes")
    func timerEndsWithTheLast() async throws {
        let go = Signal()
        let upstream = try ScriptedUpstream([.readRequest, .send(Self.ok), .wait(go), .close])
        try await ClientHarness.with { harness in
            let api = try await harness.upstream(upstream)
            #expect(try await api.get().text == "hi")
            #expect(try await harness.loop.perform { harness.loop.timerCount } >= 1)
            go.fire()
            try await harness.until { $0.idle == 0 }
            // The loop's own timer for quiet streams ends later.
            try await poll(while: try await harness.loop.perform { harness.loop.timerCount } > 0) {
                "\(try await harness.loop.perform { harness.loop.timerCount }) timers"
            }
        }
        upstream.stop()
    }
}
