import Dispatch
import EventIO
import GatewayConfig
import GatewayCore
import JSONBytes
import Metrics
import Networking
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("The failed requests of all loops, and what the admin listener never shows", .timeLimit(.minutes(1)))
struct AdminRequestsTests {
    private static let failing = "http://127.0.0.1:1"

    private static func declare(_ gateway: Gateway) {
        let parts = gateway.provider(PartsAPI.self, upstream: "parts")
        gateway.get("/page/{name}") { _ in .parts(first: parts.rx.request(.first).fragment()) }
        gateway.post("/page") { _ in .parts(first: parts.rx.request(.first).fragment()) }
    }

    @Test("Each loop keeps its own requests, and a loop that does not answer is left out")
    func loops() throws {
        let release = DispatchSemaphore(value: 0)
        try withAdminGateway {
            $0.loops = 2
            $0.upstreams = ["parts": [Self.failing]]
        } declare: {
            Self.declare($0)
        } _: { server, admin in
            defer { release.signal() }
            let clients = try server.clientsOfLoops()
            // The same route, part and reason on one loop would be one record.
            for (name, client) in zip(["a", "b"], clients) {
                #expect(client.get("/page/\(name)")?.status == 502)
            }
            try spin(while: try admin.kept("failed").count < 2) { "not all requests are kept" }
            let all = try admin.json("GET /requests")
            #expect(all[member: "incomplete"] == nil)
            let failed = try #require(all[member: "failed"]?.elements)
            #expect(failed.map { $0[member: "path"]?.stringValue } == ["/page/a", "/page/b"])
            #expect(failed.allSatisfy { $0[member: "repeats"] == nil })
            // It blocks the loop, as a handler can.
            server.workers[0].loop.execute { _ = release.wait(timeout: .now() + 30) }
            let partial = try admin.json("GET /requests")
            #expect(partial[member: "incomplete"]?.boolValue == true)
            #expect(
                partial[member: "failed"]?.elements.map { $0[member: "path"]?.stringValue } == ["/page/b"])
        }
    }

    @Test("A kept request is its line of the access log, byte by byte")
    func line() throws {
        let upstream = try ScriptedUpstream([.answer { _ in "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1" }]
        )
        defer { upstream.stop() }
        var kept: [String] = []
        let lines = try withLoggedGateway {
            $0.admin.listen = [.loopback(port: 0)]
            $0.upstreams = ["parts": [Self.failing], "good": ["http://127.0.0.1:\(upstream.port)"]]
            $0.slow = .nanoseconds(1)
        } declare: { gateway in
            Self.declare(gateway)
            let good = gateway.provider(PartsAPI.self, upstream: "good")
            gateway.get("/good") { _ in .parts(first: good.rx.request(.first).fragment()) }
        } _: { server in
            let admin = AdminTester(server)
            let client = try RawClient(port: server.port)
            #expect(client.get("/page/a%20b?secret=1")?.status == 502)
            #expect(client.get("/good")?.status == 200)
            try spin(while: try admin.kept("slow").isEmpty) { "no request is kept" }
            kept = try ["failed", "slow"].flatMap { try admin.kept($0) }.map(\.description)
            let id = try #require(admin.kept("failed").first?[member: "requestId"]?.stringValue)
            #expect(try admin.ask("GET /requests/\(id)").text == kept[0])
        }
        #expect(kept == lines.map(\.description))
        #expect(kept.count == 2)
    }

    @Test("A snapshot follows each second")
    func snapshots() throws {
        try withAdminGateway { server, admin in
            let events = try RawClient(port: admin.port)
            defer { events.close() }
            events.send("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
            _ = try events.read(through: "\r\n\r\n")
            var connections: [String] = []
            let clock = ContinuousClock()
            let began = clock.now
            var client: RawClient?
            for _ in 0..<2 {
                _ = try events.read(through: "event: snapshot\ndata: ")
                let snapshot = try JSONFragment(parsing: String(events.read(through: "\n\n").dropLast(2)))
                connections.append(snapshot[member: "connections"]?.description ?? "-")
                client = try client ?? RawClient(port: server.port)
                #expect(client?.get("/quick")?.status == 200)
            }
            #expect(connections == ["0", "1"])
            #expect(clock.now - began > .milliseconds(900))
        }
    }

    @Test("No query, body or field that the log does not name is in /requests, /events or /explain")
    func secrets() throws {
        let logged = try LoggedFields(["X-Named"])
        try withAdminGateway {
            $0.upstreams = ["parts": [Self.failing]]
            $0.logFields = logged
        } declare: {
            Self.declare($0)
        } _: { server, admin in
            let events = try RawClient(port: admin.port)
            defer { events.close() }
            events.send("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
            _ = try events.read(through: "event: snapshot\n")
            let client = try RawClient(port: server.port)
            client.send(
                "POST /page?q=hidden-query HTTP/1.1\r\nHost: test\r\nX-Named: shown\r\nX-Other: hidden-field\r\n"
                    + "Authorization: Bearer hidden-token\r\nCookie: a=hidden-cookie\r\n"
                    + "Content-Type: application/json\r\nContent-Length: 13\r\n\r\n\"hidden-body\"")
            #expect(try client.reply().status == 502)
            try spin(while: try admin.kept("failed").isEmpty) { "no request is kept" }
            _ = try events.read(through: "event: request\n")
            let explained = try admin.post(
                "/explain",
                body: #"""
                    {"method":"POST","target":"/page?q=hidden-query","body":"hidden-body",
                     "fields":{"X-Named":"shown","X-Other":"hidden-field","Cookie":"a=hidden-cookie"}}
                    """#)
            let texts = [
                try admin.ask("GET /requests").text, try events.read(through: "\n\n"),
                try #require(explained.json()[member: "request"]).description,
            ]
            for (text, place) in zip(texts, ["/requests", "/events", "/explain"]) {
                #expect(text.contains(#""path":"/page""#), "\(place)")
                #expect(!text.contains("hidden"), "\(place): \(text)")
            }
            for text in texts[..<2] { #expect(text.contains(#""fields":{"X-Named":"shown"}"#), "\(text)") }
        }
    }

    @Test("Requests of operators change no count of requests, connections, parts or upstreams")
    func counts() throws {
        try withAdminGateway(token: "0123456789abcdef") {
            $0.upstreams = ["parts": [Self.failing]]
        } declare: {
            Self.declare($0)
        } _: { server, admin in
            func counts() -> [Substring] {
                // Loops also work for operators, and a reload frees unused entries.
                String(decoding: server.metrics.text(.prometheus, []), as: UTF8.self).split(separator: "\n")
                    .filter {
                        !$0.hasPrefix("sluice_loop_") && !$0.hasPrefix("sluice_upstream_table_entries")
                    }
            }
            let client = try RawClient(port: server.port)
            #expect(client.get("/page/a")?.status == 502)
            try spin(while: server.settled.requests > 0) { "the request goes on" }
            let before = counts()
            let token = "Authorization: Bearer 0123456789abcdef"
            for operation in AdminOperation.all where operation.path != "/drain" {
                let line = "\(operation.method.rawValue) \(operation.path)"
                let body = operation.path == "/log-level" ? #"{"level":"error"}"# : ""
                guard operation.path != "/events" else { continue }
                _ = try admin.ask(line)
                _ = try admin.ask(line, token, "Content-Type: application/json", body: body)
            }
            #expect(try admin.ask("HEAD /events", token).status == 200)
            #expect(try admin.ask("GET /nothing", token).status == 404)
            #expect(try admin.ask("GET /health/ready").status == 200)
            #expect(counts() == before)
        }
    }
}
