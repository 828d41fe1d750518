import GatewayCore
import Glibc
import HTTPInbound
import JSONBytes
import Rx
import TestSupport
import Testing

@testable import GatewayHTTP

/// Covers requests that are refused before an endpoint sees them.
@Suite("Refusals on the wire")
struct RefusalTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let request: String
        let status: Int
        let code: String

        init(_ name: String, _ request: String, _ status: Int, _ code: String) {
            testDescription = name
            self.request = request
            self.status = status
            self.code = code
        }
    }

    private static func configuration() -> GatewayServerConfiguration {
        var configuration = GatewayServerConfiguration()
        configuration.port = 0
        configuration.loops = 1
        configuration.accessLog = false
        configuration.logLevel = .error
        configuration.drainDelay = .zero
        configuration.hosts = .any
        return configuration
    }

    private func serve(
        _ configuration: GatewayServerConfiguration = configuration(),
        _ declare: (Gateway) throws -> Void = { $0.post("/page") { _ in .json(1) } },
        _ body: (Int) throws -> Void
    ) throws {
        let server = try GatewayServer.start(configuration, declare: declare)
        defer {
            server.stop()
            server.waitUntilStopped()
        }
        try body(server.port)
    }

    private func expectEnvelope(_ answer: RawClient.Reply, _ status: Int, _ code: String) throws {
        #expect(answer.status == status)
        #expect(answer.value("Content-Type") == "application/json; charset=utf-8")
        #expect(answer.value("Content-Length") == "\(answer.text.utf8.count)")
        #expect(answer.values("Cache-Control") == ["no-store"])
        #expect(answer.values("X-Content-Type-Options") == ["nosniff"])
        let date = try #require(answer.value("Date"))
        #expect(date.wholeMatch(of: /[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT/) != nil)
        let json = try JSONFragment(validating: Array(answer.text.utf8)[...])
        #expect(json[member: "code"]?.stringValue == code)
        #expect(json[member: "status"]?.intValue == status)
        #expect(json[member: "message"]?.stringValue?.isEmpty == false)
        #expect(json[member: "data"]?.isNull == true)
        let id = try #require(answer.value("X-Request-Id"))
        #expect(!id.isEmpty)
        #expect(json[member: "meta"]?[member: "requestId"]?.stringValue == id)
    }

    static let rows: [Row] = [
        Row("no Host", "GET / HTTP/1.1\r\n\r\n", 400, "INVALID_REQUEST"),
        Row("TLS", "\u{16}\u{3}\u{1}\r\n\r\n", 400, "INVALID_REQUEST"),
        Row("CONNECT", "CONNECT x:80 HTTP/1.1\r\nHost: x\r\n\r\n", 405, "METHOD_NOT_ALLOWED"),
        Row(
            "a body that does not come", "POST /page HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nabc",
            408,
            "REQUEST_TIMEOUT"),
        Row(
            "a body beyond the limit", "POST /page HTTP/1.1\r\nHost: x\r\nContent-Length: 99\r\n\r\n", 413,
            "PAYLOAD_TOO_LARGE"),
        Row(
            "a long target", "GET /" + String(repeating: "a", count: 8192) + " HTTP/1.1\r\nHost: x\r\n\r\n",
            414, "URI_TOO_LONG"),
        Row(
            "a long field",
            "GET / HTTP/1.1\r\nHost: x\r\nA: " + String(repeating: "a", count: 16_384) + "\r\n\r\n",
            431, "HEADERS_TOO_LARGE"),
        Row(
            "an unknown coding", "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\n", 501,
            "NOT_IMPLEMENTED"),
        Row(
            "another method on a health path", "POST /health/ready HTTP/1.0\r\n\r\n", 405,
            "METHOD_NOT_ALLOWED"),
        Row("HTTP/2", "GET / HTTP/2.0\r\nHost: x\r\n\r\n", 505, "HTTP_VERSION_NOT_SUPPORTED"),
    ]

    @Test("A refusal is a complete envelope with Date and an id", arguments: rows)
    func isInTheEnvelope(_ row: Row) throws {
        var configuration = Self.configuration()
        configuration.limits.requestBody = 10
        configuration.inbound.bodyDeadline = .milliseconds(30)
        try serve(configuration) { port in
            let client = try RawClient(port: port)
            client.send(row.request)
            let answer = try #require(client.receive())
            try expectEnvelope(answer, row.status, row.code)
            #expect(answer.value("Connection") == "close")
            #expect(client.reachesEnd(), "bytes follow the announced body")
            let server = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"
            let allow = row.request.contains("/health/") ? "GET, HEAD, OPTIONS" : server
            #expect(answer.value("Allow") == (row.status == 405 ? allow : nil))
        }
    }

    private static let refusedByHead: [Row] = [
        Row("an unknown path", "POST /other", 404, "NOT_FOUND"),
        Row("another method", "PUT /page", 405, "METHOD_NOT_ALLOWED"),
        Row("another method on a health path", "POST /health/ready", 405, "METHOD_NOT_ALLOWED"),
        Row("an invalid path", "POST /page/../other", 400, "INVALID_REQUEST"),
        Row("a foreign name", "POST http://elsewhere.test/page", 421, "MISDIRECTED"),
        Row("a loop", "POST /page", 508, "LOOP_DETECTED"),
        Row("an accepted head", "POST /page", 413, "PAYLOAD_TOO_LARGE"),
    ]

    @Test("The refusal of a head comes before that of a body, whatever its length", arguments: refusedByHead)
    func headFirst(_ row: Row) throws {
        var configuration = Self.configuration()
        configuration.limits.requestBody = 10
        configuration.hosts = .localhost
        let via = String(repeating: "1.1 sluice, ", count: 8) + "1.1 sluice"
        try serve(configuration) { port in
            for body in ["Content-Length: 3000000", "Content-Length: 3000000\r\nExpect: 100-continue"] {
                let client = try RawClient(port: port)
                let host = row.status == 421 ? "elsewhere.test" : "localhost"
                let loop = row.status == 508 ? "Via: \(via)\r\n" : ""
                client.send("\(row.request) HTTP/1.1\r\nHost: \(host)\r\n\(loop)\(body)\r\n\r\n")
                let answer = try #require(client.receive())
                try expectEnvelope(answer, row.status, row.code)
                #expect(answer.value("Connection") == "close")
                #expect(client.reachesEnd())
            }
        }
    }

    @Test(
        "A refused body gets an answer in its endpoint's style",
        arguments: [
            ("Content-Length: 99\r\n\r\n", 413),
            ("Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6\r\n world\r\n", 413),
            ("Transfer-Encoding: chunked\r\n\r\nz\r\n", 400),
            ("Content-Length: 9\r\n\r\nabc", 408),
        ])
    func endpointsStyle(body: String, status: Int) throws {
        var configuration = Self.configuration()
        configuration.limits.requestBody = 10
        configuration.inbound.bodyDeadline = .milliseconds(30)
        let declare: (Gateway) -> Void = { gateway in
            gateway.post("/page", .envelope(.bare(completeField: "X-Complete"))) { _ in .json(1) }
        }
        try serve(configuration, declare) { port in
            let client = try RawClient(port: port)
            client.send("POST /page HTTP/1.1\r\nHost: x\r\n" + body)
            let answer = try #require(client.receive())
            #expect(answer.status == status)
            #expect(answer.value("Content-Type") == "application/problem+json")
            #expect(answer.value("X-Complete") == "false")
            #expect(answer.value("Connection") == "close")
            #expect(client.reachesEnd())
        }
    }

    @Test(
        "A request refused after its head is complete gets its own id and the error format it prefers",
        arguments: [
            ("POST /page HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\nExpect: x\r\n", 417),
            ("GET /page HTTP/1.1\r\n", 400),
            ("POST /page HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n", 400),
            ("POST /page HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n", 501),
            ("CONNECT x:80 HTTP/1.1\r\nHost: x\r\n", 405),
        ])
    func refusedHeadsAreRead(request: String, status: Int) throws {
        try serve { port in
            for isWhole in [true, false] {
                let client = try RawClient(port: port)
                let head = request + "X-Request-Id: mine\r\nAccept: application/problem+json\r\n\r\n"
                if isWhole {
                    client.send(head)
                } else {
                    for byte in head.utf8 { client.send([byte]) }
                }
                let answer = try #require(client.receive())
                #expect(answer.status == status)
                #expect(answer.value("X-Request-Id") == "mine")
                #expect(answer.value("Content-Type") == "application/problem+json")
                #expect(answer.value("Connection") == "close")
                #expect(client.reachesEnd())
            }
        }
    }

    @Test(
        "A request beyond the limit of requests in flight gets 503 OVERLOADED, and its connection stays usable"
    )
    func overload() throws {
        let held = PublishSubject<JSONFragment>()
        var configuration = Self.configuration()
        configuration.inbound.requestsInFlight = 1
        try serve(configuration, { $0.get("/held") { _ in .parts(value: held.take(1).asSingle()) } }) {
            port in
            let request = "GET /held HTTP/1.1\r\nHost: test\r\n\r\n"
            let first = try RawClient(port: port)
            first.send(request)
            try spin(while: !held.hasObservers) { "the handler has not subscribed" }
            let second = try RawClient(port: port)
            second.send(request)
            let refused = try #require(second.receive())
            try expectEnvelope(refused, 503, "OVERLOADED")
            #expect(refused.value("Connection") == nil)
            held.onNext(JSONFragment(string: "done"))
            #expect(first.receive()?.status == 200)
            second.send(request)
            try spin(while: !held.hasObservers) { "the handler has not subscribed" }
            held.onNext(JSONFragment(string: "done"))
            #expect(second.receive()?.status == 200)
        }
    }

    @Test("Health answers have a request id, the client's or a fresh one")
    func healthHasIDs() throws {
        try serve { port in
            let client = try RawClient(port: port)
            client.send("GET /health/live HTTP/1.1\r\nHost: x\r\nX-Request-Id: mine\r\n\r\n")
            #expect(client.receive()?.value("X-Request-Id") == "mine")
            for request in ["GET /health/ready", "OPTIONS /health/live"] {
                client.send("\(request) HTTP/1.1\r\nHost: x\r\n\r\n")
                let id = client.receive()?.value("X-Request-Id")
                #expect((id ?? "").count > 8, "\(request)")
            }
        }
    }

    @Test("OPTIONS * is answered with all methods and a request id")
    func optionsForTheServer() throws {
        try serve { port in
            let client = try RawClient(port: port)
            client.send("OPTIONS * HTTP/1.1\r\nHost: x\r\nX-Request-Id: mine\r\n\r\n")
            let answer = try #require(client.receive())
            #expect(answer.status == 204)
            #expect(answer.value("Allow") == "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS")
            #expect(answer.value("X-Request-Id") == "mine")
        }
    }
}
