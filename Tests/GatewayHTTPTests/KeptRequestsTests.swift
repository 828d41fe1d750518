import EventIO
import GatewayConfig
import GatewayCore
import Glibc
import JSONBytes
import Metrics
import Networking
import Rx
import TestSupport
import TestTools
import Testing

@testable import GatewayHTTP

@Suite("The failed and slow requests that a gateway keeps and logs", .timeLimit(.minutes(1)))
struct KeptRequestsTests {
    private static let good = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1"
    private static let bad = "HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n"

    /// Serves `/page/{name}`, which calls an upstream that answers so, and `/none`.
    private func serve(
        _ answer: String, configure: (inout GatewayServerConfiguration) -> Void = { _ in },
        _ options: EndpointOption..., body: (GatewayServer, AdminTester) throws -> Void
    ) throws {
        let upstream = try ScriptedUpstream([.answer { _ in answer }])
        defer { upstream.stop() }
        try withAdminGateway { configuration in
            configuration.upstreams = ["parts": "http://127.0.0.1:\(upstream.port)"]
            configuration.upstreamPolicy.breaker = nil
            configure(&configuration)
        } declare: { gateway in
            let parts = gateway.provider(PartsAPI.self, upstream: "parts")
            gateway.group("", options[0]) { gateway in
                gateway.get("/page/{name}") { _ in .parts(first: parts.rx.request(.first).fragment()) }
            }
            gateway.get("/other") { _ in .parts(other: parts.rx.request(.first).fragment()) }
            gateway.get("/none") { _ in .json(1) }
        } _: { server, admin in
            try body(server, admin)
        }
    }

    @Test("A failed request is kept with its calls, also if nothing is logged, and found by both of its ids")
    func failed() throws {
        try serve(Self.bad, .slow(.seconds(3600))) { server, admin in
            let client = try RawClient(port: server.port)
            #expect(client.get("/page/ann?secret=1")?.status == 502)
            #expect(client.get("/none")?.status == 200)
            try spin(while: try admin.kept("failed").isEmpty) { "no request is kept" }
            let line = try #require(try admin.kept("failed").first)
            #expect(line[member: "code"]?.stringValue == "BAD_GATEWAY")
            #expect(line[member: "path"]?.stringValue == "/page/ann")
            #expect(line[member: "repeats"] == nil)
            let part = try #require(line[member: "timeline"]?.elements.first)
            #expect(part[member: "part"]?.stringValue == "first")
            #expect(part[member: "kind"]?.stringValue == "serverErr")
            let call = try #require(part[member: "calls"]?.elements.first)
            let attempt = try #require(call[member: "attempts"]?.elements.first)
            #expect(call[member: "upstream"]?.stringValue == "parts")
            #expect(call[member: "method"]?.stringValue == "GET")
            #expect(attempt[member: "connection"]?.stringValue == "new")
            #expect(attempt[member: "address"]?.stringValue?.hasPrefix("127.0.0.1:") == true)
            #expect(attempt[member: "status"]?.intValue == 500)
            #expect(attempt[member: "reason"]?.stringValue == "upstream_status")
            let times = ["beganMs", "assignedMs", "sentMs", "firstByteMs", "endMs"].map {
                attempt[member: $0]?.doubleValue ?? -1
            }
            #expect(times == times.sorted() && times.first ?? -1 >= 0, "\(times)")
            #expect(!line.description.contains("secret"))
            #expect(try admin.kept("slow").isEmpty)
            for name in ["requestId", "traceId"] {
                let id = try #require(line[member: name]?.stringValue)
                let one = try admin.ask("GET /requests/\(id)")
                #expect(one.status == 200 && one.text.contains(id), "\(name)")
            }
            #expect(try admin.ask("GET /requests/unknown").status == 404)
        }
    }

    @Test("A slow request is kept and counted with its phase; a fast one, and a client's mistake, are not")
    func slow() throws {
        try serve(Self.good, .slow(.nanoseconds(1))) { server, admin in
            let client = try RawClient(port: server.port)
            #expect(client.get("/none")?.status == 200)
            #expect(client.get("/nothing")?.status == 404)
            #expect(client.get("/page/ann")?.status == 200)
            try spin(while: try admin.kept("slow").isEmpty) { "no request is kept" }
            let slow = try admin.kept("slow")
            #expect(slow.map { $0[member: "route"]?.stringValue } == ["/page/{name}"])
            let phase = try #require(slow[0][member: "slow"]?[member: "phase"]?.stringValue)
            #expect(SlowPhase.Phase(rawValue: phase) != nil)
            #expect(slow[0][member: "timeline"]?.elements.count == 1)
            #expect(slow[0][member: "answerMs"]?.doubleValue ?? -1 >= 0)
            #expect(server.metrics.value(.httpSlowRequests, ["/page/{name}", phase]) == 1)
            #expect(try admin.kept("failed").isEmpty)
        }
    }

    @Test("Of many equal failures in a row the first is kept, and counts the others")
    func repeats() throws {
        try serve(Self.bad, .slow(.seconds(3600))) { server, admin in
            let client = try RawClient(port: server.port)
            for number in 0..<50 { #expect(client.get("/page/\(number)")?.status == 502) }
            func counted() throws -> Int {
                try admin.kept("failed").reduce(0) { $0 + 1 + ($1[member: "repeats"]?.intValue ?? 0) }
            }
            try spin(while: try counted() < 50) { "not all are counted" }
            #expect(try counted() == 50)
            #expect(try admin.kept("failed").count < 50)
        }
    }

    @Test("At most 64 of each kind are kept, and the oldest go first")
    func ring() {
        let kept = KeptRecords()
        var now = MonotonicTime.clock()
        for number in 0..<70 {
            now = now + .milliseconds(1)
            let key = KeptRecords.Key(route: "/\(number)", reason: "x")
            #expect(kept.begins(key, at: now))
            kept.keep(Array("{\"n\":\(number)}\n".utf8), key, requestID: nil, at: now)
        }
        #expect(kept.all.failed.count == 64)
        #expect(kept.all.failed.first.map { String(decoding: $0.line, as: UTF8.self) } == "{\"n\":6}")
        #expect(kept.all.failed.last.map { String(decoding: $0.line, as: UTF8.self) } == "{\"n\":69}")
        // Alike within 100 ms.
        #expect(!kept.begins(KeptRecords.Key(route: "/50", reason: "x"), at: now))
        #expect(kept.begins(KeptRecords.Key(route: "/50", reason: "x"), at: now + .milliseconds(100)))
        kept.keep(
            Array(repeating: UInt8(ascii: "a"), count: KeptRecords.longestLine + 1),
            KeptRecords.Key(route: "/long", reason: "x"), requestID: nil, at: now)
        #expect(kept.all.failed.last?.key.route == "/69")
    }

    @Test(
        "What a loop has kept before its first answer is not news, however late that comes; the rest is, once"
    )
    func news() {
        let (one, two) = (KeptRecords(), KeptRecords())
        let now = MonotonicTime.clock()
        func keep(_ route: String, in kept: KeptRecords, after milliseconds: Int64) {
            kept.keep(
                Array("{}".utf8), KeptRecords.Key(route: route, reason: "x"), requestID: nil,
                at: now + .milliseconds(milliseconds))
        }
        keep("/old", in: one, after: 0)
        keep("/old", in: two, after: 0)
        func both(after milliseconds: Int64) -> [(kept: Kept, now: MonotonicTime)?] {
            [one, two].map { ($0.all, now + .milliseconds(milliseconds)) }
        }
        var news = RecordNews()
        // The second loop is silent.
        #expect(news.take([both(after: 1)[0], nil]).isEmpty)
        keep("/a", in: one, after: 2)
        #expect(news.take(both(after: 200)).map(\.key.route) == ["/a"])
        keep("/c", in: one, after: 204)
        keep("/b", in: two, after: 203)
        #expect(news.take(both(after: 400)).map(\.key.route) == ["/b", "/c"])
        #expect(news.take(both(after: 800)).isEmpty)
    }

    private typealias Kept = (failed: [KeptRecords.Record], slow: [KeptRecords.Record])

    @Test("A record is news when nothing can repeat it any more, so that its repeats are complete")
    func repeatedNews() throws {
        let kept = KeptRecords()
        let now = MonotonicTime.clock()
        let key = KeptRecords.Key(route: "/a", reason: "x")
        var news = RecordNews()
        #expect(news.take([(kept.all, now)]).isEmpty)
        #expect(kept.begins(key, at: now))
        kept.keep(Array("{}".utf8), key, requestID: nil, at: now)
        #expect(news.take([(kept.all, now + .milliseconds(50))]).isEmpty)
        #expect(!kept.begins(key, at: now + .milliseconds(99)))
        let taken = news.take([(kept.all, now + .milliseconds(100))])
        #expect(taken.map(\.repeats) == [1])
        #expect(kept.begins(key, at: now + .milliseconds(100)))
    }

    @Test("Events have a snapshot at once, and each request that fails from then on")
    func events() throws {
        try serve(Self.bad, .slow(.seconds(3600))) { server, admin in
            let client = try RawClient(port: server.port)
            #expect(client.get("/page/before")?.status == 502)
            try spin(while: try admin.kept("failed").isEmpty) { "no request is kept" }
            let events = try RawClient(port: admin.port)
            defer { events.close() }
            #expect(events.send("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n"))
            let head = try events.read(through: "\r\n\r\n")
            #expect(head.contains("Content-Type: text/event-stream\r\n"))
            let snapshot = try events.read(through: "\n\n")
            #expect(snapshot.contains("event: snapshot\ndata: {\"name\":"))
            #expect(client.get("/other")?.status == 502)
            var event = ""
            for _ in 0..<20 where !event.contains("event: request\n") {
                event = try events.read(through: "\n\n")
            }
            #expect(event.contains(#""path":"/other""#), "\(event)")
            #expect(try admin.ask("GET /status").status == 200)
        }
    }

    @Test("The 17th client of the events is refused, until another one leaves")
    func eventClients() throws {
        try serve(Self.good, .slow(.seconds(3600))) { _, admin in
            var clients: [RawClient] = []
            defer { for client in clients { client.close() } }
            for _ in 0..<AdminEvents.mostClients {
                let client = try RawClient(port: admin.port)
                clients.append(client)
                #expect(client.send("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n"))
                #expect(try client.read(through: "\r\n\r\n").hasPrefix("HTTP/1.1 200 "))
            }
            #expect(try admin.ask("GET /events").status == 503)
            clients.removeFirst().close()
            try spin(while: try admin.ask("HEAD /events").status == 503) { "the events have no room" }
        }
    }

    @Test(
        "A line has the protocol, the host and the fields that the log names, cut and joined, and no others")
    func fields() throws {
        let logged = try LoggedFields(["User-Agent", "X-Tenant", "X-None"])
        let lines = try withLoggedGateway { configuration in
            configuration.logFields = logged
        } declare: { gateway in
            gateway.get("/page") { _ in .json(1) }
        } _: { server in
            let client = try RawClient(port: server.port)
            let long = String(repeating: "é", count: 200)
            #expect(
                client.send(
                    "GET /page HTTP/1.1\r\nHost: localhost:81\r\nUser-Agent: \(long)\r\nX-Tenant: a\r\n"
                        + "X-Tenant: b\"\r\nX-Other: c\r\n\r\n"))
            #expect(try client.reply().status == 200)
            #expect(client.send("GET /page HTTP/1.0\r\nHost: localhost\r\n\r\n"))
            #expect(try client.reply().status == 200)
        }
        #expect(lines.map { $0[member: "proto"]?.stringValue } == ["HTTP/1.1", "HTTP/1.0"])
        #expect(lines.map { $0[member: "host"]?.stringValue } == ["localhost:81", "localhost"])
        let fields = try #require(lines[0][member: "fields"])
        #expect(fields.members.map(\.name) == ["User-Agent", "X-Tenant"])
        #expect(fields[member: "X-Tenant"]?.stringValue == "a, b\"")
        #expect(fields[member: "User-Agent"]?.stringValue?.utf8.count == 256)
        #expect(lines[1][member: "fields"] == nil)
    }

    @Test(
        "Fields with credentials, texts that are not names of fields, and more than 8 fields cannot be logged",
        arguments: [
            ["Cookie"], ["authorization"], ["X-Api-Key"], ["X-Vault-Token"], ["X-Session-Id"],
            ["X-Amzn-Oidc-Data"], ["Cf-Access-Jwt-Assertion"], ["a b"], ["A", "a"],
            (0..<9).map { "X-\($0)" },
        ])
    func refusedFields(names: [String]) {
        #expect(throws: LoggedFields.Fault.self) { try LoggedFields(names) }
    }

    @Test("A logged field is cut between characters, and bytes that are not UTF-8 hide nothing")
    func badFields() throws {
        let ascii = String(repeating: "a", count: 255)
        #expect(RecordLines.shown(Array((ascii + "é").utf8)) == ascii)
        #expect(RecordLines.shown(Array((ascii + "é").utf8.dropFirst())).hasSuffix("aé"))
        #expect(RecordLines.shown(Array((ascii.dropLast(2) + "😀").utf8)) == String(ascii.dropLast(2)))
        #expect(RecordLines.shown([0x61, 0xFF, 0x62]) == "a\u{FFFD}b")
        #expect(RecordLines.shown([UInt8](repeating: 0x80, count: 300)).count <= 256)
        let fields = try LoggedFields(["X-Tenant"])
        try withAdminGateway {
            $0.logFields = fields
        } declare: { gateway in
            gateway.get("/fails") { _ in throw GatewayError(.upstreamUnavailable, "no") }
        } _: { server, admin in
            let client = try RawClient(port: server.port)
            let head = "GET /fails HTTP/1.1\r\nHost: test\r\nX-Tenant: a"
            client.send(Array(head.utf8) + [0xFF] + Array("\r\n\r\n".utf8))
            #expect(client.receive()?.status == 503)
            let records = try admin.json("GET /requests")[member: "failed"]?.elements ?? []
            #expect(records.count == 1)
            #expect(records.first?[member: "fields"]?[member: "X-Tenant"]?.stringValue == "a\u{FFFD}")
        }
    }
}
