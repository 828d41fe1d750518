import GatewayCore
import Glibc
import JSONBytes
import Networking
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("Times and causes in the access log")
struct AccessLogTimeTests {
    private static func lines(
        _ text: String, configure: (inout GatewayServerConfiguration) -> Void = { _ in },
        _ body: (FileGateway) throws -> Void
    ) throws -> [JSONFragment] {
        let pipe = RawPipe()
        defer { close(pipe.reader) }
        let gateway = try FileGateway(text, log: pipe.writer) {
            $0.accessLog = true
            configure(&$0)
        }
        let result = Result { try body(gateway) }
        gateway.stop()
        close(pipe.writer)
        let lines = pipe.readAll().split(separator: "\n").filter { $0.contains(#""requestId""#) }
        try result.get()
        return try lines.map { try JSONFragment(validating: Array($0.utf8)[...]) }
    }

    private static func server(_ responses: String...) throws -> ScriptedUpstream {
        try ScriptedUpstream(responses.flatMap { [.readRequest, .send($0)] })
    }

    private static func ok(_ json: String) -> String { FileGateway.ok(json) }

    private static func milliseconds(_ json: JSONFragment?, _ member: String) throws -> Double {
        try #require(json?[member: member]?.doubleValue, "\(member) is missing in \(json as Any)")
    }

    /// Milliseconds as a whole number, so that a comparison is exact.
    private static func microseconds(_ milliseconds: Double) -> Int { Int((milliseconds * 1000).rounded()) }

    @Test("A part that reads another starts when that has ended, and its time is its own")
    func ownTime() throws {
        let upstream = try Self.server(
            Self.ok(#"{"seller":7}"#), Self.ok(#"{"name":"Kim"}"#))
        defer { upstream.stop() }
        let lines = try Self.lines(
            """
            version: 1
            upstreams: {shop: {url: "http://127.0.0.1:\(upstream.port)"}}
            endpoints:
            - get: /page
              parts:
                product: {upstream: shop, get: /product}
                seller: {upstream: shop, get: "/seller/{parts.product.seller}"}

            """
        ) { gateway in
            let status = try gateway.get("/page").status
            #expect(status == 200)
        }
        let line = try #require(lines.first)
        let (product, seller) = (
            line[member: "parts"]?[member: "product"], line[member: "parts"]?[member: "seller"]
        )
        let ended = try Self.milliseconds(product, "startMs") + Self.milliseconds(product, "elapsedMs")
        let start = try Self.milliseconds(seller, "startMs")
        #expect(try Self.milliseconds(product, "startMs") < start)
        // Times are rounded down to microseconds.
        #expect(start >= ended - 0.1 && ended > 0)
        let whole = try Self.milliseconds(line, "elapsedMs")
        let own = try Self.milliseconds(seller, "elapsedMs")
        #expect(Self.microseconds(start + own) <= Self.microseconds(whole) + 1)
        for part in [product, seller] {
            let call = try #require(part?[member: "calls"]?[element: 0])
            let starts = try [call, part].map { Self.microseconds(try Self.milliseconds($0, "startMs")) }
            let times = try [call, part].map { Self.microseconds(try Self.milliseconds($0, "elapsedMs")) }
            #expect(starts[0] >= starts[1] - 1 && times[0] <= times[1] + 1)
        }
    }

    @Test("A part that never began has no start, and its time is 0")
    func neverBegan() throws {
        let upstream = try ScriptedUpstream([.readRequest, .awaitEnd])
        defer { upstream.stop() }
        let lines = try Self.lines(
            """
            version: 1
            upstreams: {shop: {url: "http://127.0.0.1:\(upstream.port)"}}
            endpoints:
            - get: /page
              deadline: 100ms
              parts:
                product: {upstream: shop, get: /product}
                seller: {upstream: shop, get: "/seller/{parts.product.seller}"}

            """
        ) { gateway in
            let status = try gateway.get("/page").status
            #expect(status == 504)
        }
        let seller = lines.first?[member: "parts"]?[member: "seller"]
        #expect(seller?[member: "startMs"]?.isNull == true)
        let times = try ["seller", "product"].map {
            try Self.milliseconds(lines.first?[member: "parts"]?[member: $0], "elapsedMs")
        }
        #expect(times[0] == 0 && times[1] >= 99)
    }

    @Test("A retried call lists its attempts with their starts, times, and statuses or reasons")
    func tries() throws {
        let upstream = try ScriptedUpstream(
            [.readRequest, .send("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n"), .readRequest, .close],
            .answering(Self.ok("1")))
        defer { upstream.stop() }
        let lines = try Self.lines(FileGateway.text(["shop": (upstream.port, "")])) {
            let status = try $0.get("/shop").status
            #expect(status == 200)
        }
        let call = try #require(
            lines.first?[member: "parts"]?[member: "part"]?[member: "calls"]?[element: 0])
        let tries = try #require(call[member: "tries"]).elements
        #expect(tries.count == call[member: "attempts"]?.intValue)
        #expect(tries.first?[member: "status"]?.intValue == 503)
        #expect(tries.first?[member: "reason"]?.stringValue == "upstream_status")
        #expect(tries.last?[member: "status"]?.intValue == 200)
        #expect(tries.last?[member: "reason"] == nil)
        var end = try Self.milliseconds(call, "startMs")
        for attempt in tries {
            let start = try Self.milliseconds(attempt, "startMs")
            #expect(start >= end - 0.002)
            end = try Self.milliseconds(attempt, "startMs") + Self.milliseconds(attempt, "elapsedMs")
            #expect(attempt[member: "address"]?.stringValue == "127.0.0.1:\(upstream.port)")
        }
        let callEnd = try Self.milliseconds(call, "startMs") + Self.milliseconds(call, "elapsedMs")
        #expect(end <= callEnd + 0.01)
    }

    @Test("A retried call that the deadline cancels lists its attempts; the last one has no status or reason")
    func cancelledTries() throws {
        let upstream = try ScriptedUpstream(
            [.readRequest, .send("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n"), .readRequest, .awaitEnd])
        defer { upstream.stop() }
        let text = """
            version: 1
            upstreams: {shop: {url: "http://127.0.0.1:\(upstream.port)"}}
            endpoints:
            - {get: /page, deadline: 500ms, parts: {part: {upstream: shop, get: /x}}}

            """
        let lines = try Self.lines(text) {
            let status = try $0.get("/page").status
            #expect(status == 504)
        }
        let call = try #require(
            lines.first?[member: "parts"]?[member: "part"]?[member: "calls"]?[element: 0])
        #expect(call[member: "cancelled"]?.boolValue == true)
        let tries = try #require(call[member: "tries"]).elements
        #expect(tries.map { $0[member: "status"]?.intValue } == [503, nil])
        #expect(tries.map { $0[member: "reason"]?.stringValue } == ["upstream_status", nil])
        #expect(tries.allSatisfy { $0[member: "address"]?.stringValue == "127.0.0.1:\(upstream.port)" })
        let start = try Self.milliseconds(tries[1], "startMs")
        let end = try Self.milliseconds(call, "startMs") + Self.milliseconds(call, "elapsedMs")
        #expect(abs(try start + Self.milliseconds(tries[1], "elapsedMs") - end) < 5)
    }

    @Test("The log and the timeline of a request list the same attempts with the same times")
    func sameAttempts() throws {
        let upstream = try ScriptedUpstream(
            [.readRequest, .send("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n"), .readRequest, .close],
            .answering(Self.ok("1")))
        defer { upstream.stop() }
        var shown: [JSONFragment] = []
        let lines = try Self.lines(FileGateway.text(["shop": (upstream.port, "")], more: "timeline: on\n")) {
            gateway in
            let client = try RawClient(port: gateway.server.port)
            client.send("GET /shop HTTP/1.1\r\nHost: test\r\nPrefer: timeline\r\n\r\n")
            let body = Array(try #require(client.receive()).body)
            let meta = try JSONFragment(validating: body[...])[member: "meta"]
            let call = meta?[member: "timeline"]?[element: 0]?[member: "calls"]?[element: 0]
            shown = try #require(call?[member: "attempts"]).elements
        }
        let call = lines.first?[member: "parts"]?[member: "part"]?[member: "calls"]?[element: 0]
        let logged = try #require(call?[member: "tries"]).elements
        #expect(shown.count > 1 && logged.count == shown.count)
        #expect(logged.map { $0[member: "status"]?.intValue } == shown.map { $0[member: "status"]?.intValue })
        #expect(
            logged.map { $0[member: "reason"]?.stringValue }
                == shown.map { $0[member: "reason"]?.stringValue })
        for (entry, attempt) in zip(logged, shown) {
            let (start, end) = try (
                Self.milliseconds(attempt, "beganMs"), Self.milliseconds(attempt, "endMs")
            )
            #expect(abs(try Self.milliseconds(entry, "elapsedMs") - (end - start)) < 0.01)
        }
    }

    @Test(
        "The log names what makes a response invalid; the client does not learn it",
        arguments: [
            (
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                "Transfer-Encoding"
            ),
            ("HTTP/1.1 200 OK\r\nX-A : 1\r\nContent-Length: 2\r\n\r\n{}", "colon"),
            ("HTTP/1.1 200 OK\nContent-Length: 2\n\n{}", "LF"),
            ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}", "Content-Length"),
            ("SSH-2.0-OpenSSH_9.2\r\n", "HTTP"),
            ("HTTP/1.1 200 OK\r\nContent-Encoding: br\r\nContent-Length: 2\r\n\r\nxx", "br"),
        ])
    func invalidResponse(response: String, word: String) throws {
        let upstream = try Self.server(response)
        defer { upstream.stop() }
        var answer = ""
        let lines = try Self.lines(
            FileGateway.text(["shop": (upstream.port, ", retry: {attempts: 1}")])
        ) { answer = try $0.get("/shop").text }
        let call = lines.first?[member: "parts"]?[member: "part"]?[member: "calls"]?[element: 0]
        let detail = try #require(call?[member: "detail"]?.stringValue)
        #expect(detail.contains(word), "\(detail)")
        #expect(!answer.contains(detail))
    }

    @Test(
        "The cause of decode_error and missing_data is in the log",
        arguments: [
            ("[1]", "keep: [id]", "unexpected JSON type"), ("{}", "pick: /id", "the data has nothing at /id"),
            ("<html>", "keep: [id]", "JSON"), ("7", "keep: [id]", "unexpected JSON type"),
        ] as [(String, String, String)])
    func cause(body: String, shape: String, message: String) throws {
        let upstream = try Self.server(Self.ok(body))
        defer { upstream.stop() }
        let text = """
            version: 1
            upstreams: {shop: {url: "http://127.0.0.1:\(upstream.port)"}}
            endpoints:
            - get: /page
              parts: {part: {upstream: shop, get: /x, \(shape)}}

            """
        let lines = try Self.lines(text) { _ = try $0.get("/page") }
        let told = lines.first?[member: "parts"]?[member: "part"]?[member: "message"]?.stringValue
        #expect(told?.contains(message) == true, "\(lines)")
    }

    @Test("A 400 is logged with the names of the values that it refuses, and without values or rules")
    func refusedValues() throws {
        let text = """
            version: 1
            endpoints:
            - post: /page
              query: {page: {type: integer}, sort: {enum: [hidden1, hidden2]}}
              headers: {X-Key: {pattern: "hidden3", required: true}}
              body: {type: object, properties: {n: {type: integer}}}
              data: {value: 1}

            """
        let lines = try Self.lines(text) { gateway in
            let client = try RawClient(port: gateway.server.port)
            client.send(
                "POST /page?page=secret1&sort=secret2 HTTP/1.1\r\nHost: test\r\nX-Key: secret3\r\n"
                    + "Content-Type: application/json\r\nContent-Length: 15\r\n\r\n"
                    + #"{"n":"secret4"}"#)
            #expect(client.receive()?.status == 400)
        }
        let line = try #require(lines.first)
        let refused = try #require(line[member: "refused"]).elements.compactMap(\.stringValue)
        #expect(refused.prefix(3) == ["query.page", "query.sort", "field.X-Key"])
        #expect(refused.last?.hasPrefix("body") == true && refused.last?.contains("n") == true)
        #expect(!line.description.contains("secret") && !line.description.contains("hidden"))
    }

    @Test("The log does not tell names of members that the client chose, however deep they are")
    func chosenNames() throws {
        let text = """
            version: 1
            endpoints:
            - post: /page
              body:
                type: object
                additionalProperties: false
                properties:
                  tags: {type: object, additionalProperties: {type: object, properties: {n: {type: integer}}}}
              data: {value: 1}

            """
        for (body, refused) in [
            (#"{"secret":1}"#, ["body.*"]),
            (#"{"tags":{"secret":{"n":"x"}},"secret2":1}"#, ["body.tags.*", "body.*"]),
            (#"{"tags":{"secret":1}}"#, ["body.tags.*"]), (#"{"tags":1}"#, ["body.tags"]),
        ] {
            let lines = try Self.lines(text) { gateway in
                let reply = try RawClient(port: gateway.server.port).post("/page", body: body)
                #expect(reply?.status == 400)
                // The client gets its own names.
                #expect(reply?.text.contains("secret") == body.contains("secret"))
            }
            let line = try #require(lines.first)
            #expect(line[member: "refused"]?.elements.compactMap(\.stringValue) == refused)
            #expect(!line.description.contains("secret"))
        }
    }

    @Test(
        "A request that the parser, the router or the host check refuses is logged with the part that is wrong",
        arguments: [
            ("GET / HTTP/1.1\r\nHost: test\r\nX-Key: secret\u{1}\r\n\r\n", 400, "field.X-Key"),
            ("GET / HTTP/1.1\r\n\r\n", 400, "field.Host"), ("GET /secret# HTTP/1.1\r\n\r\n", 400, "target"),
            ("GET / HTTP/3.0\r\n\r\n", 505, "version"),
            ("GET / HTTP/1.1\r\nHost: test\r\nExpect: secret\r\n\r\n", 417, "field.Expect"),
            (
                "POST /page HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\nsecret\r\n", 400,
                "body"
            ),
            (
                "POST /read HTTP/1.1\r\nHost: test\r\nExpect: 100-continue\r\nContent-Length: 2\r\n"
                    + "Content-Type: application/json\r\nX-Key: secret\r\n\r\n", 400, "field.X-Key"
            ),
            ("GET /a/%2 HTTP/1.1\r\nHost: test\r\n\r\n", 400, "path"),
            ("GET /page HTTP/1.1\r\nHost: secret\r\n\r\n", 421, "field.Host"),
        ])
    func malformed(request: String, status: Int, part: String) throws {
        let text = """
            version: 1
            hosts: [test]
            endpoints:
            - {post: /page, data: {value: 1}}
            - {post: /read, headers: {X-Key: {type: integer}}, body: {type: object}, data: {value: 1}}

            """
        let lines = try Self.lines(text) { gateway in
            let client = try RawClient(port: gateway.server.port)
            client.send(request)
            #expect(client.receive()?.status == status)
        }
        let line = try #require(lines.first)
        #expect(line[member: "status"]?.intValue == status)
        #expect(line[member: "refused"]?.elements.compactMap(\.stringValue) == [part])
        // The path is logged as it came, and so is a valid host, which the operator may want to serve.
        let isShown = part == "target" || part == "path" || status == 421
        #expect(isShown || !line.description.contains("secret"))
        if status == 421 { #expect(line[member: "host"]?.stringValue == "secret") }
    }
}
