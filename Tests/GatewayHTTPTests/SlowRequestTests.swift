import GatewayCore
import JSONBytes
import Networking
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("Slow requests in the log", .timeLimit(.minutes(1)))
struct SlowRequestTests {
    private static let good = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1"

    /// Serves `/page`, which calls an upstream that answers when `go` fires, and what `declare` declares.
    private func lines(
        _ configure: (inout GatewayServerConfiguration) -> Void = { _ in },
        declare: (Gateway) throws -> Void = { _ in },
        _ body: (GatewayServer, ScriptedUpstream, _ go: Signal) throws -> Void
    ) throws -> [JSONFragment] {
        let go = Signal()
        let upstream = try ScriptedUpstream([.readRequest, .wait(go), .send(Self.good), .again])
        defer { upstream.stop() }
        return try withLoggedGateway {
            $0.upstreams = ["parts": "http://127.0.0.1:\(upstream.port)"]
            configure(&$0)
        } declare: { gateway in
            let parts = gateway.provider(PartsAPI.self, upstream: "parts")
            gateway.get("/page") { _ in .parts(first: parts.rx.request(.first).fragment()) }
            gateway.get("/quick") { _ in .json(1) }
            try declare(gateway)
        } _: { server in
            try body(server, upstream, go)
        }
    }

    private func number(_ line: JSONFragment, _ name: String) throws -> Double {
        try #require(line[member: name]?.doubleValue)
    }

    @Test("By default a request is slow from a second on, and its line says what it waited for")
    func standard() throws {
        #expect(GatewayServerConfiguration().slow == .seconds(1))
        let lines = try lines { server, upstream, go in
            let client = try RawClient(port: server.port)
            #expect(client.get("/quick")?.status == 200)
            client.send("GET /page HTTP/1.1\r\nHost: test\r\n\r\n")
            try upstream.requestRead.waitBlocking()
            #expect(client.end(within: 1050) == .silence)
            go.fire()
            #expect(client.receive()?.status == 200)
        }
        try #require(lines.count == 2)
        #expect(lines[0][member: "slow"] == nil && lines[0][member: "timeline"] == nil)
        let slow = try #require(lines[1][member: "slow"])
        #expect(slow.members.map(\.name) == ["part", "upstream", "phase", "ms"])
        #expect(slow[member: "part"]?.stringValue == "first")
        #expect(slow[member: "upstream"]?.stringValue == "parts")
        #expect(slow[member: "phase"]?.stringValue == "first_byte")
        let waited = try number(slow, "ms")
        #expect(try waited >= 1000 && waited <= number(lines[1], "answerMs"))
        #expect(lines[1][member: "timeline"]?.elements.count == 1)
    }

    @Test("The gateway's limit holds for endpoints without one of their own")
    func limit() throws {
        let lines = try lines {
            $0.slow = .nanoseconds(1)
        } declare: { gateway in
            let parts = gateway.provider(PartsAPI.self, upstream: "parts")
            gateway.get("/patient", .slow(.seconds(3600))) { _ in
                .parts(first: parts.rx.request(.first).fragment())
            }
        } _: { server, _, go in
            let client = try RawClient(port: server.port)
            for path in ["/patient", "/page"] {
                go.fire()
                #expect(client.get(path)?.status == 200)
            }
        }
        #expect(lines.map { $0[member: "slow"] != nil } == [false, true])
    }

    @Test("A client that reads slowly makes no request slow: the answer was handed over long before")
    func slowReader() throws {
        let large = JSONFragment(string: String(repeating: "a", count: 8 << 20))
        let lines = try lines {
            $0.compression = nil
        } declare: {
            $0.get("/large") { _ in .fragment(large) }
        } _: { server, _, _ in
            let client = try RawClient(port: server.port, receiveBuffer: 4096)
            client.send("GET /large HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n")
            // The limit is a second.
            #expect(!client.isReset(within: 1100))
            #expect(client.readToEnd().bytes.count > large.bytes.count)
        }
        let line = try #require(lines.first)
        #expect(line[member: "slow"] == nil)
        let (answer, all) = (try number(line, "answerMs"), try number(line, "elapsedMs"))
        #expect(all >= 1100 && answer < all - 600, "\(line)")
    }

    @Test("A stream is slow if its head is late, however long it goes on")
    func stream() throws {
        let (pieces, source) = AsyncThrowingStream<[UInt8], any Error>.makeStream()
        let (late, lateSource) = AsyncThrowingStream<[UInt8], any Error>.makeStream()
        let lines = try lines { _ in
        } declare: {
            $0.get("/live") { _ in .stream(pieces, contentType: "text/csv") }
            $0.get("/late") { _ in .stream(late, contentType: "text/csv") }
        } _: { server, _, _ in
            let client = try RawClient(port: server.port)
            client.send("GET /live HTTP/1.1\r\nHost: test\r\n\r\n")
            source.yield(Array("a".utf8))
            _ = try client.read(through: "1\r\na\r\n")
            #expect(client.end(within: 1100) == .silence)
            source.finish()
            _ = try client.read(through: "0\r\n\r\n")
            client.send("GET /late HTTP/1.1\r\nHost: test\r\n\r\n")
            #expect(client.end(within: 1100) == .silence)
            lateSource.yield(Array("a".utf8))
            lateSource.finish()
            #expect(client.receive()?.text == "a")
        }
        try #require(lines.count == 2)
        #expect(lines[0][member: "slow"] == nil)
        let (answer, all) = (try number(lines[0], "answerMs"), try number(lines[0], "elapsedMs"))
        #expect(all >= 1100 && answer < all - 600, "\(lines[0])")
        #expect(lines[1].value(at: "/slow/phase")?.stringValue == "gateway")
    }

    @Test("Of a sample each slow request has a line, which stands for itself alone")
    func sampled() throws {
        let lines = try lines {
            $0.accessLog = .every(3)
        } declare: { gateway in
            let parts = gateway.provider(PartsAPI.self, upstream: "parts")
            gateway.get("/slow", .slow(.nanoseconds(1))) { _ in
                .parts(first: parts.rx.request(.first).fragment())
            }
        } _: { server, _, go in
            let client = try RawClient(port: server.port)
            for path in ["/quick", "/slow", "/quick", "/slow", "/slow", "/slow", "/quick"] {
                go.fire()
                #expect(client.get(path)?.status == 200)
            }
        }
        let paths = lines.map { $0[member: "path"]?.stringValue }
        #expect(paths == ["/slow", "/slow", "/slow", "/slow", "/quick"])
        #expect(lines.map { $0[member: "sample"]?.intValue } == [nil, nil, nil, nil, 3])
    }

    @Test("Each loop samples by itself")
    func loops() throws {
        let lines = try lines {
            $0.loops = 2
            $0.accessLog = .every(3)
        } _: { server, _, _ in
            let clients = try server.clientsOfLoops()
            for client in clients + clients { #expect(client.get("/quick?both")?.status == 200) }
            for client in clients { #expect(client.get("/quick")?.status == 200) }
        }
        #expect(lines.map { $0[member: "sample"]?.intValue } == [3, 3])
    }
}
