import GatewayCore
import Glibc
import HTTPInbound
import JSONBytes
import Networking
import Rx
import TestSupport
import Testing

@testable import GatewayHTTP

/// What clients and upstreams can cause at will must not look like an error of the gateway, nor like a
/// success.
@Suite("Levels and codes in the logs", .timeLimit(.minutes(1)))
struct LogSeverityTests {
    private static let patterns = """
        version: 1
        endpoints:
        - get: /pat
          query: {s: {pattern: "(a+)+b"}}
          data: {value: 1}
        - get: /field
          headers: {s: {pattern: "(a+)+b"}}
          data: {value: 1}
        - post: /body
          body: {type: object, properties: {s: {type: string, pattern: "(a+)+b"}}}
          data: {value: 1}

        """
    private struct Broken: Error {}

    /// Takes more steps than a match may.
    private static let slow = String(repeating: "a", count: 100) + "cb"

    /// Serves the file while `body` runs, and returns the messages of the diagnostic log.
    private static func messages(_ text: String, _ body: (FileGateway) throws -> Void) throws
        -> [JSONFragment]
    {
        let pipe = RawPipe()
        defer { close(pipe.reader) }
        let gateway = try FileGateway(text, log: pipe.writer) { $0.logLevel = .warning }
        let result = Result { try body(gateway) }
        gateway.stop()
        close(pipe.writer)
        let lines = pipe.readAll().split(separator: "\n")
        try result.get()
        return try lines.map { try JSONFragment(validating: Array($0.utf8)[...]) }
    }

    @Test(
        "A text that takes a pattern too many steps is a warning with a count, at most one a second, and no error"
    )
    func patternSteps() throws {
        let clock = ContinuousClock()
        let began = clock.now
        let messages = try Self.messages(Self.patterns) { gateway in
            for _ in 0..<30 { #expect(try gateway.get("/pat?s=\(Self.slow)").status == 400) }
            let client = try RawClient(port: gateway.server.port)
            client.send("GET /field HTTP/1.1\r\nHost: test\r\ns: \(Self.slow)\r\n\r\n")
            #expect(client.receive()?.status == 400)
            let body = #"{"s":"\#(Self.slow)"}"#
            client.send(
                "POST /body HTTP/1.1\r\nHost: test\r\nContent-Type: application/json\r\n"
                    + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
            #expect(client.receive()?.status == 400)
        }
        let seconds = Int((clock.now - began) / .seconds(1))
        #expect((1...(2 + seconds)).contains(messages.count), "\(messages)")
        #expect(messages.allSatisfy { $0[member: "level"]?.stringValue == "warning" }, "\(messages)")
        #expect(
            messages.allSatisfy { $0[member: "message"]?.stringValue == "request refused by a limit" })
        let counts = messages.compactMap { $0[member: "count"]?.intValue }
        #expect(counts.reduce(0, +) == 32)
        #expect(
            messages.first?[member: "what"]?.stringValue?.contains(
                #"of /pat: Query parameter "s": the check by the schema at "#) == true)
        #expect(!messages.description.contains("aaaa"), "the log has the client's text")
    }

    @Test("A fault of an endpoint is still an error, for each request")
    func fault() throws {
        let pipe = RawPipe()
        defer { close(pipe.reader) }
        _ = try withLoggedGateway(errors: pipe.writer, configure: { _ in }) { gateway in
            gateway.get("/page") { _ in throw Broken() }
        } _: { server in
            let client = try RawClient(port: server.port)
            for _ in 0..<3 { #expect(client.get("/page")?.status == 500) }
        }
        close(pipe.writer)
        let lines = pipe.readAll().split(separator: "\n")
        #expect(lines.filter { $0.contains(#""level":"error","message":"endpoint failed""#) }.count == 3)
    }

    @Test("A proxied response that breaks off is logged with a code that fits the status")
    func brokenRelay() throws {
        let lines = try withProxy(
            [.readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nab"), .reset],
            [
                .readRequest, .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\nzz"),
                .close,
            ]
        ) { server, _ in
            for _ in 0..<2 {
                let client = try RawClient(port: server.port)
                // A POST is not repeated.
                client.send(
                    "POST /files/x HTTP/1.1\r\nHost: test\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
                _ = client.readToEnd()
            }
        }
        // Each may break off before or after its head has been passed on.
        let told = lines.map { line in
            ["status", "code", "end"].map { line[member: $0]?.stringValue ?? "\(line[member: $0] ?? .null)" }
        }
        let (seen, unseen) = (["200", "OK", "aborted"], ["502", "BAD_GATEWAY", "complete"])
        #expect(told.count == 2 && told.allSatisfy { $0 == seen || $0 == unseen }, "\(lines)")
    }

    @Test("A request without an answer has a code for its end", arguments: [true, false])
    func unanswered(stops: Bool) throws {
        let held = PublishSubject<JSONFragment>()
        let lines = try withLoggedGateway(stops: stops) {
            $0.drainDeadline = .milliseconds(200)
        } declare: { gateway in
            gateway.get("/page") { _ in .parts(value: held.take(1).asSingle()) }
        } _: { server in
            let client = try RawClient(port: server.port)
            client.send("GET /page HTTP/1.1\r\nHost: test\r\n\r\n")
            try spin(while: !held.hasObservers) { "the handler has not subscribed" }
            if stops { server.stop() } else { server.drain() }
            server.waitUntilStopped()
        }
        #expect(lines.statuses == [stops ? 500 : 503])
        #expect(lines.first?[member: "code"]?.stringValue == (stops ? "ABORTED" : "DRAINING"))
    }
}
