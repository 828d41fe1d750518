import GatewayCore
import JSONBytes
import Rx
import TestSupport
import Testing

@testable import GatewayHTTP

/// Checks `end`, `status` and `bytesOut` in the access log.
@Suite("Ends of answers", .timeLimit(.minutes(1)))
struct AnswerEndTests {
    private static let large = JSONFragment(string: "\"" + String(repeating: "a", count: 8 << 20) + "\"")
    private static let request = "GET /large HTTP/1.1\r\nHost: test\r\n\r\n"

    private struct Line: Equatable, CustomStringConvertible {
        var status: Int?
        var end: String?
        var bytesOut: Int?

        init(_ status: Int, _ end: String, _ bytesOut: Int) {
            (self.status, self.end, self.bytesOut) = (status, end, bytesOut)
        }

        init(_ line: JSONFragment) {
            status = line[member: "status"]?.intValue
            end = line[member: "end"]?.stringValue
            bytesOut = line[member: "bytesOut"]?.intValue
        }

        var description: String { "\(status ?? 0) \(end ?? "-") \(bytesOut ?? -1)" }
    }

    /// Serves `/large` and the endpoints of `declare` while `body` runs, and returns the lines of the access
    /// log.
    private func lines(
        stops: Bool = false, configure: (inout GatewayServerConfiguration) -> Void = { _ in },
        declare: (Gateway) throws -> Void = { _ in }, _ body: (GatewayServer) throws -> Void
    ) throws -> [Line] {
        try withLoggedGateway(
            stops: stops, configure: configure,
            declare: { gateway in
                gateway.get("/large") { _ in .fragment(Self.large) }
                try declare(gateway)
            }, body
        ).map(Line.init)
    }

    /// Expects one cut answer with status 200 and the bytes that the client acknowledged, which may lag the
    /// received bytes by a segment or two.
    private static func expectCut(
        _ lines: [Line], _ end: String, _ received: Int, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let bytes = lines.first?.bytesOut ?? 0
        #expect(lines == [Line(200, end, bytes)], sourceLocation: sourceLocation)
        #expect(bytes > 0 && (bytes...bytes + 8192).contains(received), sourceLocation: sourceLocation)
    }

    /// Waits until one answer has ended like this, and none in another way.
    private static func waitForEnd(
        _ end: String, at server: GatewayServer, file: String = #fileID, line: Int = #line
    ) throws {
        for other in ["client_gone", "stalled", "aborted", "drain"] {
            let series = #"http_unfinished_responses_total{end="\#(other)"}"#
            try server.wait(for: series, toBe: other == end ? 1 : 0, file: file, line: line)
        }
    }

    @Test("A stalled reader is reset, and the log says `stalled` and the bytes it acknowledged")
    func stalled() throws {
        var received = 0
        let lines = try lines {
            $0.inbound.sendStall = .milliseconds(200)
        } _: { server in
            let client = try RawClient(port: server.port, receiveBuffer: 4096)
            client.send(Self.request)
            #expect(client.isReset(within: 20_000))
            received = client.readToEnd().bytes.count
            try Self.waitForEnd("stalled", at: server)
        }
        Self.expectCut(lines, "stalled", received)
    }

    @Test("If a client leaves during its answer, the log says `client_gone` with the status that was sent")
    func clientGone() throws {
        let lines = try lines { server in
            let client = try RawClient(port: server.port, receiveBuffer: 4096)
            client.send(Self.request)
            _ = try client.read(count: 10_000)
            client.reset()
            try Self.waitForEnd("client_gone", at: server)
        }
        let line = try #require(lines.first)
        #expect(lines.count == 1)
        #expect(line.status == 200)
        #expect(line.end == "client_gone")
        #expect((10_000..<8 << 20).contains(line.bytesOut ?? 0), "\(line)")
    }

    @Test("If a client leaves before its answer, the log says 499 and `client_gone`, without bytes")
    func goneBefore() throws {
        let held = PublishSubject<JSONFragment>()
        let lines = try lines(declare: { gateway in
            gateway.get("/held") { _ in .parts(value: held.take(1).asSingle()) }
        }) { server in
            let client = try RawClient(port: server.port)
            client.send("GET /held HTTP/1.1\r\nHost: test\r\n\r\n")
            try spin(while: !held.hasObservers) { "the handler has not subscribed" }
            client.reset()
            try spin(while: held.hasObservers) { "the handler is still subscribed" }
            try Self.waitForEnd("client_gone", at: server)
        }
        #expect(lines == [Line(499, "client_gone", 0)])
    }

    @Test(
        "A request that the gateway's end leaves unanswered is logged as 503 `drain` or 500 `aborted`, without bytes",
        arguments: [false, true])
    func unanswered(stops: Bool) throws {
        let held = PublishSubject<JSONFragment>()
        let lines = try lines(
            stops: stops, configure: { $0.drainDeadline = .milliseconds(200) },
            declare: { gateway in
                gateway.get("/held") { _ in .parts(value: held.take(1).asSingle()) }
            }
        ) { server in
            let client = try RawClient(port: server.port)
            client.send("GET /held HTTP/1.1\r\nHost: test\r\n\r\n")
            try spin(while: !held.hasObservers) { "the handler has not subscribed" }
            if stops { server.stop() } else { server.drain() }
            server.waitUntilStopped()
            try Self.waitForEnd(stops ? "aborted" : "drain", at: server)
        }
        #expect(lines == [stops ? Line(500, "aborted", 0) : Line(503, "drain", 0)])
    }

    @Test(
        "The bytes of a 100 (Continue) count towards the answer; a client that leaves after it is logged as 499"
    )
    func afterContinue() throws {
        let held = PublishSubject<JSONFragment>()
        let head = "Host: test\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n"
        let interim = "HTTP/1.1 100 Continue\r\n\r\n"
        var answer = 0
        let lines = try lines(declare: { gateway in
            gateway.post("/now") { _ in .fragment(JSONFragment(string: "1")) }
            gateway.post("/held") { _ in .parts(value: held.take(1).asSingle()) }
        }) { server in
            var client = try RawClient(port: server.port)
            client.send("POST /now HTTP/1.1\r\nConnection: close\r\n" + head)
            #expect(try client.read(through: "\r\n\r\n") == interim)
            client.send("{}")
            answer = client.readToEnd().bytes.count
            client = try RawClient(port: server.port)
            client.send("POST /held HTTP/1.1\r\n" + head)
            #expect(try client.read(through: "\r\n\r\n") == interim)
            client.send("{}")
            try spin(while: !held.hasObservers) { "the handler has not subscribed" }
            client.reset()
            try spin(while: held.hasObservers) { "the handler is still subscribed" }
            // The third request's body is never complete.
            client = try RawClient(port: server.port)
            client.send("POST /held HTTP/1.1\r\n" + head)
            #expect(try client.read(through: "\r\n\r\n") == interim)
            client.send("{")
            client.reset()
        }
        #expect(
            lines == [
                Line(200, "complete", answer + interim.utf8.count),
                Line(499, "client_gone", interim.utf8.count),
                Line(499, "client_gone", interim.utf8.count),
            ])
    }

    @Test("An answer cut at the drain deadline is logged as `drain`")
    func drain() throws {
        var received = 0
        let lines = try lines {
            $0.drainDeadline = .milliseconds(200)
        } _: { server in
            let client = try RawClient(port: server.port, receiveBuffer: 4096)
            client.send(Self.request)
            received = try client.read(through: "\r\n\r\n").utf8.count
            server.drain()
            #expect(client.isReset(within: 20_000))
            received += client.readToEnd().bytes.count
            try Self.waitForEnd("drain", at: server)
        }
        Self.expectCut(lines, "drain", received)
    }

    @Test("If a gateway stops without a drain, the answers in progress are logged as `aborted`")
    func aborted() throws {
        let lines = try lines(stops: true) { server in
            let client = try RawClient(port: server.port, receiveBuffer: 4096)
            client.send(Self.request)
            _ = try client.read(through: "\r\n\r\n")
            server.stop()
            server.waitUntilStopped()
            try Self.waitForEnd("aborted", at: server)
        }
        #expect(lines.map(\.status) == [200])
        #expect(lines.map(\.end) == ["aborted"])
        #expect(lines[0].bytesOut ?? .max < 8 << 20)
    }

    @Test(
        "A complete answer is logged as `complete` with the bytes of head and body, even if it is a refusal")
    func complete() throws {
        var received: [Int] = []
        let lines = try lines { server in
            for target in ["/large", "/nowhere"] {
                let client = try RawClient(port: server.port)
                client.send("GET \(target) HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n")
                received.append(client.readToEnd().bytes.count)
            }
        }
        #expect(lines == [Line(200, "complete", received[0]), Line(404, "complete", received[1])])
    }
}
