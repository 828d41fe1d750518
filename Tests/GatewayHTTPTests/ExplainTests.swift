import GatewayConfig
import GatewayCore
import JSONBytes
import Metrics
import Networking
import Rx
import TestSupport
import TestTools
import Testing

@testable import GatewayHTTP

@Suite("Explaining requests", .timeLimit(.minutes(1)))
struct ExplainTests {
    private func serve(
        upstream url: String? = nil, fields: LoggedFields = .none,
        _ body: (GatewayServer, AdminTester) throws -> Void
    ) throws {
        let upstream = try ScriptedUpstream([
            .answer { _ in "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1" }
        ])
        defer { upstream.stop() }
        try withAdminGateway { configuration in
            configuration.upstreams = ["parts": [url ?? "http://127.0.0.1:\(upstream.port)"]]
            configuration.logFields = fields
        } declare: { gateway in
            let parts = gateway.provider(PartsAPI.self, upstream: "parts")
            gateway.get("/page/{name}") { _ in .parts(first: parts.rx.request(.first).fragment()) }
            let posted = gateway.provider(PostedAPI.self, upstream: "parts")
            gateway.post("/posted") { _ in .parts(first: posted.rx.request(.post).fragment()) }
            gateway.post("/echo") { request in
                .parts(
                    tenant: try request.header("X-Tenant", as: String.self),
                    bytes: request.body.count)
            }
            gateway.post("/upload", .streamsBody) { _ in .json(1) }
            gateway.get("/streamed") { _ in
                .stream(Observable.just(Array("a,b".utf8)), contentType: "text/csv")
            }
            gateway.get("/large") { _ in .json(String(repeating: "a", count: 70_000)) }
        } _: { server, admin in
            try body(server, admin)
        }
    }

    @Test(
        "A request that no endpoint can answer is refused, and the message says why",
        arguments: [
            ("", 400, "The body must be an object"), ("{}", 400, "needs target"),
            (#"{"target":"page"}"#, 400, "target must be a path"),
            (#"{"target":"http://a/page"}"#, 400, "target must be a path"),
            (#"{"target":"/page/a","method":"CONNECT"}"#, 400, "method must be"),
            (#"{"target":"/page/a","fields":{"a b":"c"}}"#, 400, "fields has names"),
            (#"{"target":"/page/a","fields":{"A":"b\r\nc: d"}}"#, 400, "fields has names"),
            (#"{"target":"/page/a","body":1}"#, 400, "body must be a string"),
            (#"{"target":"/page/a","extra":1}"#, 400, "has no member"),
            (#"{"target":"/unknown"}"#, 404, "No endpoint"),
            (#"{"target":"/page/a","method":"DELETE"}"#, 405, "DELETE"),
            (#"{"target":"/upload","method":"POST","body":"x"}"#, 400, "streams bodies"),
        ])
    func refused(body: String, status: Int, message: String) throws {
        try serve { _, admin in
            let reply = try admin.post("/explain", body: body)
            #expect(reply.status == status)
            #expect(reply.text.contains(message), "\(reply.text)")
        }
    }

    @Test("An endpoint's answer and the record of its request are told, and neither logged nor counted")
    func path() throws {
        try serve { server, admin in
            let reply = try admin.post("/explain", body: #"{"target":"/page/ann?x=1"}"#)
            #expect(reply.status == 200)
            let told = try reply.json()
            let record = try #require(told[member: "request"])
            #expect(record[member: "status"]?.intValue == 200)
            #expect(record[member: "code"]?.stringValue == "OK")
            #expect(record[member: "route"]?.stringValue == "/page/{name}")
            let attempt = record.value(at: "/timeline/0/calls/0/attempts/0")
            #expect(attempt?[member: "status"]?.intValue == 200)
            #expect(attempt?[member: "connection"]?.stringValue == "new")
            #expect(told[member: "body"]?.stringValue?.contains(#""first":1"#) == true)
            #expect(told[member: "truncated"] == nil)
            #expect(server.metrics.value(.httpRequests, ["/page/{name}", "GET", "200", "OK"]) == 0)
            let text = try #require(RequestDrawing(record)).text
            #expect(text.hasPrefix("200 OK  "), "\(text)")
            #expect(text.contains("\nfirst success"), "\(text)")
            #expect(text.contains("\n  parts GET 1 new"), "\(text)")
        }
    }

    @Test("Fields and a body reach the endpoint, and of a large answer 64 KiB are shown")
    func values() throws {
        try serve { _, admin in
            let body = #"{"method":"POST","target":"/echo","fields":{"x-tenant":"a"},"body":"four"}"#
            let told = try admin.post("/explain", body: body).json()
            #expect(told[member: "body"]?.stringValue?.contains(#"{"tenant":"a","bytes":4}"#) == true)
            let large = try admin.post("/explain", body: #"{"target":"/large"}"#).json()
            #expect(large[member: "truncated"]?.boolValue == true)
            #expect(large[member: "body"]?.stringValue?.utf8.count == AdminExchange.explainedBody)
        }
    }

    @Test("A record has the operator's address as its client, and the fields that the log is to have")
    func client() throws {
        try serve(fields: try LoggedFields(["X-Tenant"])) { _, admin in
            let body = #"{"method":"POST","target":"/echo","fields":{"x-tenant":"a","x-other":"b"}}"#
            let record = try #require(admin.post("/explain", body: body).json()[member: "request"])
            #expect(record[member: "client"]?.stringValue == "127.0.0.1")
            #expect(record[member: "remote"]?.stringValue?.hasPrefix("127.0.0.1:") == true)
            #expect(record[member: "fields"]?.description == #"{"X-Tenant":"a"}"#)
        }
    }

    @Test("A streamed answer is told as such, and its body is not shown")
    func streamed() throws {
        try serve { _, admin in
            let told = try admin.post("/explain", body: #"{"target":"/streamed"}"#).json()
            #expect(told[member: "streamed"]?.boolValue == true)
            #expect(told[member: "body"]?.stringValue == "")
        }
    }

    @Test("The record of a request whose upstream is down draws why each attempt failed")
    func failed() throws {
        let down = try ScriptedUpstream(.closed, [])
        defer { down.stop() }
        let port = down.port
        try serve(upstream: "http://127.0.0.1:\(port)") { _, admin in
            let told = try admin.post("/explain", body: #"{"target":"/page/ann"}"#).json()
            let record = try #require(told[member: "request"])
            let text = try #require(RequestDrawing(record)).text
            #expect(text.hasPrefix("502 BAD_GATEWAY  "), "\(text)")
            #expect(text.contains("first networkFail"), "\(text)")
            for attempt in 1...3 {
                #expect(text.contains("\n  parts GET \(attempt) new "), "\(text)")
            }
            #expect(text.contains("connection_refused  127.0.0.1:\(port)"), "\(text)")
            #expect(record.value(at: "/parts/first/notRetried") == nil)
        }
    }

    @Test("The last attempt of a part names the rule that kept it from another one")
    func notRetried() throws {
        let unavailable = "HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n"
        let upstream = try ScriptedUpstream([.answer { _ in unavailable }])
        defer { upstream.stop() }
        let address = "127.0.0.1:\(upstream.port)"
        try serve(upstream: "http://\(address)") { _, admin in
            let body = #"{"target":"/posted","method":"POST"}"#
            let record = try #require(admin.post("/explain", body: body).json()[member: "request"])
            let text = try #require(RequestDrawing(record)).text
            #expect(text.contains("503 upstream_status  \(address), not retried: method  "), "\(text)")
        }
        let attempts =
            #"[{"beganMs":0,"endMs":1,"status":503,"address":"10.0.0.8:81"},{"beganMs":2,"endMs":4,"reason":"x"}]"#
        for (members, ending) in [
            (#""parts":{"a":{"notRetried":"budget"}},"#, "  x, not retried: budget  2.0 ms\n"),
            (#""steps":[{"b":{}},{"a":{"notRetried":"deadline"}}],"#, "  x, not retried: deadline  2.0 ms\n"),
            (
                #""parts":{"a":"networkFail"},"errors":[{"part":"a","notRetried":"circuit"}],"#,
                "  x, not retried: circuit  2.0 ms\n"
            ),
            (
                #""parts":{"a":{"notRetried":"budget\u001b"}},"omitted":6,"#,
                "  and 6 more attempts, not retried: budget?\n"
            ),
            (#""parts":{"a":{}},"#, "  x  2.0 ms\n"),
            (#""parts":{"b":{"notRetried":"budget"}},"#, "  x  2.0 ms\n"),
        ] {
            let omitted = members.contains("omitted") ? #","omitted":6"# : ""
            let record = try JSONFragment(
                parsing: #"""
                    {"status":503,\#(members)"timeline":[{"part":"a","beganMs":0,"endMs":4,
                     "calls":[{"upstream":"y","method":"GET","attempts":\#(attempts)}]\#(omitted)}]}
                    """#)
            let text = try #require(RequestDrawing(record)).text
            #expect(text.hasSuffix(ending), "\(text)")
            #expect(text.contains("503  10.0.0.8:81  1.0 ms\n"), "\(text)")
        }
    }

    @Test("A drawing has the same columns for all bars, omits what is not known, and no control characters")
    func drawing() throws {
        let record = try JSONFragment(
            parsing: """
                {"status":200,"code":"OK\\u001b[31m","method":"GET","route":"/a","elapsedMs":100,
                 "slow":{"part":"b","upstream":"y","phase":"first_byte","ms":70},
                 "timeline":[
                  {"part":"a","kind":"success","beganMs":0,"endMs":20,"calls":[]},
                  {"part":"b","kind":"success","beganMs":20,"endMs":100,"calls":[{"upstream":"y","method":"GET",
                   "attempts":[{"beganMs":20,"connection":"reused","assignedMs":25,"sentMs":25,"firstByteMs":95,
                    "endMs":100,"address":"10.0.0.8:81","status":200,"reason":null}]}]}]}
                """)
        let drawing = try #require(RequestDrawing(record))
        #expect(
            drawing.text == """
                200 OK?[31m  100 ms  GET /a
                slow: b, y first_byte 70 ms
                a success        |-------|
                b success                |------------------------------|
                  y GET 1 reused         ..----------------------------=   200  10.0.0.8:81  80 ms

                """)
        #expect(RequestDrawing(try JSONFragment(parsing: "{\"status\":200}")) == nil)
    }
}
