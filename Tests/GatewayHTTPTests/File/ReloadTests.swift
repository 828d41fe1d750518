import GatewayCore
import HTTPModel
import NetworkingSession
import Resilience
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("A reload of a gateway's file", .timeLimit(.minutes(2)))
struct ReloadTests {
    private static func echo(_ json: String) throws -> ScriptedUpstream {
        try ScriptedUpstream([.answer { _ in FileGateway.ok(json) }])
    }

    /// An endpoint without upstreams.
    private static func fixed(_ path: String, _ value: String, more: String = "") -> String {
        "version: 1\n\(more)endpoints:\n- get: \(path)\n  parts: {is: {value: \(value)}}\n"
    }

    // MARK: Rule 12

    @Test("Rule 12: a file with errors changes nothing, and each problem is told with its place")
    func brokenFile() throws {
        let gateway = try FileGateway(Self.fixed("/a", "1"))
        defer { gateway.stop() }
        let problems = try gateway.problems(
            of: Self.fixed("/a", "2", more: "limits: {deadline: 5, answr: 1MiB}\n"))
        #expect(
            problems == [
                "sluice.yaml:2:20: error: 5 needs a unit: 5s",
                "sluice.yaml:2:23: error: limits has no member \"answr\"; did you mean \"answer\"?",
            ])
        #expect(try gateway.get("/a").text.contains(#""data":{"is":1}"#))
        let report = try #require(gateway.server.settled.configuration)
        #expect(!report.isLastSuccessful)
        #expect((report.reloads, report.failedReloads) == (0, 1))
        try gateway.reload(Self.fixed("/a", "3"))
        #expect(try gateway.get("/a").text.contains(#""data":{"is":3}"#))
        let later = try #require(gateway.server.settled.configuration)
        #expect(later.isLastSuccessful)
        #expect((later.reloads, later.failedReloads) == (1, 1))
        #expect(later.lastSuccess >= report.lastSuccess)
    }

    @Test("Rule 12: what only a start can change needs a restart, and nothing else changes either")
    func restart() throws {
        let gateway = try FileGateway(Self.fixed("/a", "1"))
        defer { gateway.stop() }
        let more = """
            listen: {port: 1, host: "::1", loops: 7}
            name: other
            limits: {connections: 7, upstreamBodies: 2MiB}

            """
        #expect(
            try gateway.problems(of: Self.fixed("/a", "2", more: more)) == [
                "sluice.yaml:2:25: error: listen.host needs a restart",
                "sluice.yaml:2:16: error: listen.port needs a restart",
                "sluice.yaml:2:39: error: listen.loops needs a restart",
                "sluice.yaml:3:7: error: name needs a restart",
                "sluice.yaml:4:23: error: limits.connections needs a restart",
                "sluice.yaml:4:42: error: limits.upstreamBodies needs a restart",
            ])
        #expect(try gateway.get("/a").text.contains(#""data":{"is":1}"#))
    }

    @Test("A draining gateway refuses to reload, and counts no SIGHUP as a failure")
    func draining() throws {
        let gateway = try FileGateway(Self.fixed("/a", "1"))
        gateway.server.drain()
        #expect(try gateway.problems(of: Self.fixed("/a", "2")) == ["the gateway is draining"])
        gateway.server.hangUp()
        gateway.server.waitUntilStopped()
        #expect(gateway.server.reloads.report?.failedReloads == 1)
    }

    // MARK: Rule 13

    @Test(
        "Rule 13: a request in flight ends on the generation that routed it, and the next one begins on the new one"
    )
    func inFlight() throws {
        let go = Signal()
        let slow = try ScriptedUpstream([.readRequest, .wait(go), .send(FileGateway.ok("\"old\"")), .again])
        let new = try Self.echo("\"new\"")
        defer {
            slow.stop()
            new.stop()
        }
        let gateway = try FileGateway(FileGateway.text(["a": (slow.port, "")]))
        defer { gateway.stop() }
        let client = try RawClient(port: gateway.server.port)
        #expect(client.send("GET /a HTTP/1.1\r\nHost: x\r\n\r\n"))
        try spin(while: slow.requests.isEmpty) { "no request, \(slow.connections) connections" }
        try gateway.reload(FileGateway.text(["a": (new.port, "")]))
        #expect(try gateway.get("/a").text.contains(#""part":"new""#))
        go.fire()
        #expect(try client.reply().text.contains(#""part":"old""#))
        #expect(try #require(client.get("/a")).text.contains(#""part":"new""#))
        client.close()
        // The connection to the old address ended with its call.
        try spin(while: slow.clientEnded.count == 0) { "no connection has ended, of \(slow.connections)" }
        #expect(slow.requests.count == 1)
    }

    @Test("Rule 13: a request whose body is still arriving ends on the generation that routed it")
    func bodyInFlight() throws {
        func text(_ value: Int) -> String {
            """
            version: 1
            endpoints:
            - post: /a
              body: {type: object}
              parts: {is: {value: \(value)}, was: {value: "{body.n}"}}

            """
        }
        let gateway = try FileGateway(text(1))
        defer { gateway.stop() }
        let client = try RawClient(port: gateway.server.port)
        let head =
            "POST /a HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 7\r\n\r\n"
        #expect(client.send(head + "{\"n\""))
        // An answer shows that the loop has read the head.
        #expect(try gateway.get("/a").status == 405)
        try gateway.reload(text(2))
        try gateway.reload(text(3))
        #expect(client.send(":5}"))
        #expect(try client.reply().text.contains(#""data":{"is":1,"was":5}"#))
        #expect(client.send(head + "{\"n\":6}"))
        #expect(try client.reply().text.contains(#""data":{"is":3,"was":6}"#))
        client.close()
    }

    @Test("Rule 13: an upstream with the same name and URL keeps its connection")
    func sameUpstream() throws {
        let upstream = try Self.echo("1")
        defer { upstream.stop() }
        let gateway = try FileGateway(FileGateway.text(["a": (upstream.port, "")]))
        defer { gateway.stop() }
        for count in 1...5 {
            #expect(try gateway.get("/a").status == 200)
            #expect(upstream.requests.count == count)
            try gateway.reload(
                FileGateway.text(
                    ["a": (upstream.port, ", timeouts: {total: \(count)s}")], more: "timeline: true\n"))
        }
        #expect(upstream.connections == 1)
    }

    @Test("Of two upstreams with one address, one that is gone takes its own connection with it")
    func sharedAddress() throws {
        let upstream = try Self.echo("1")
        defer { upstream.stop() }
        let gateway = try FileGateway(FileGateway.text(["a": (upstream.port, ""), "b": (upstream.port, "")]))
        defer { gateway.stop() }
        #expect(try gateway.get("/a").status == 200)
        #expect(try gateway.get("/b").status == 200)
        #expect(upstream.connections == 2)
        try gateway.reload(FileGateway.text(["a": (upstream.port, "")]))
        try spin(while: upstream.clientEnded.count == 0) { "no connection has ended" }
        #expect(try gateway.get("/a").status == 200)
        #expect(try gateway.get("/b").status == 404)
        #expect(upstream.connections == 2)
        #expect(upstream.clientEnded.count == 1)
    }

    @Test("The idle connections of an upstream that is gone close, and one in use ends with its call")
    func goneUpstream() throws {
        let go = Signal()
        let idle = try Self.echo("1")
        let busy = try ScriptedUpstream([.readRequest, .wait(go), .send(FileGateway.ok()), .again])
        defer {
            idle.stop()
            busy.stop()
        }
        let gateway = try FileGateway(
            FileGateway.text(["idle": (idle.port, ""), "busy": (busy.port, "")]))
        defer { gateway.stop() }
        #expect(try gateway.get("/idle").status == 200)
        let client = try RawClient(port: gateway.server.port)
        #expect(client.send("GET /busy HTTP/1.1\r\nHost: x\r\n\r\n"))
        try spin(while: busy.requests.isEmpty) { "no request, \(busy.connections) connections" }
        try gateway.reload(Self.fixed("/a", "1"))
        try spin(while: idle.clientEnded.count == 0) { "no connection has ended, of \(idle.connections)" }
        #expect(busy.clientEnded.count == 0)
        go.fire()
        #expect(try client.reply().status == 200)
        client.close()
        try spin(while: busy.clientEnded.count == 0) { "no connection has ended, of \(busy.connections)" }
        try spin(while: gateway.server.settled.tables.upstreams > 0) { "\(gateway.server.settled.tables)" }
        #expect(gateway.server.settled.tables.pools == 0)
    }

    @Test("An upstream that is gone stays gone over further reloads, while a call to it lasts")
    func goneForGood() throws {
        let go = Signal()
        let upstream = try ScriptedUpstream([
            .answer { request in
                if request.hasPrefix("GET /x"), (try? go.waitBlocking()) == nil { return "" }
                return FileGateway.ok()
            }
        ])
        let other = try Self.echo("1")
        defer {
            upstream.stop()
            other.stop()
        }
        let checked = ", health: {path: /health, interval: 200ms}"
        let gateway = try FileGateway(
            FileGateway.text(["a": (upstream.port, checked), "b": (other.port, checked)]))
        defer { gateway.stop() }
        func checks(_ upstream: ScriptedUpstream) -> Int {
            upstream.requests.count { $0.hasPrefix("GET /health") }
        }
        try spin(while: checks(upstream) == 0) { "no check; requests \(upstream.requests.count)" }
        let client = try RawClient(port: gateway.server.port)
        #expect(client.send("GET /a HTTP/1.1\r\nHost: x\r\n\r\n"))
        try spin(while: !upstream.requests.contains { $0.hasPrefix("GET /x") }) {
            "requests \(upstream.requests)"
        }
        let text = FileGateway.text(["b": (other.port, checked)])
        for _ in 0..<3 { try gateway.reload(text) }
        let last = checks(upstream)
        let seen = checks(other)
        try spin(while: checks(other) < seen + 2) { "\(checks(other)) checks, \(seen) before" }
        #expect(checks(upstream) == last)
        #expect(gateway.server.settled.tables.upstreams == 2)
        go.fire()
        #expect(try client.reply().status == 200)
        client.close()
        try spin(while: gateway.server.settled.tables.upstreams > 1) { "\(gateway.server.settled.tables)" }
    }

    @Test("A wrong URL that a reload corrects leaves nothing of the unreachable upstream behind")
    func correctedURL() throws {
        let closed = try ScriptedUpstream(.closed, [[.readRequest]])
        let upstream = try Self.echo("1")
        defer {
            closed.stop()
            upstream.stop()
        }
        let gateway = try FileGateway(FileGateway.text(["a": (closed.port, "")]))
        defer { gateway.stop() }
        #expect(try gateway.get("/a").status == 502)
        try gateway.reload(FileGateway.text(["a": (upstream.port, "")]))
        #expect(try gateway.get("/a").status == 200)
        try spin(while: gateway.server.settled.tables.upstreams > 1) { "\(gateway.server.settled.tables)" }
    }

    // MARK: Settings

    @Test("A larger and a smaller bodyLimit take effect, on open connections too")
    func bodyLimit() throws {
        func text(_ limit: String) -> String {
            """
            version: 1
            endpoints:
            - post: /a
              bodyLimit: \(limit)
              body: {type: object}
              parts: {is: {value: "{body.n}"}}

            """
        }
        let gateway = try FileGateway(text("1KiB"))
        defer { gateway.stop() }
        let client = try RawClient(port: gateway.server.port)
        defer { client.close() }
        /// Sends a body of this many bytes and returns the status.
        func status(of size: Int) throws -> Int {
            let client = size > 3 << 20 ? try RawClient(port: gateway.server.port) : client
            let body = "{\"n\":\"" + String(repeating: "x", count: size - 8) + "\"}"
            _ = client.send(
                "POST /a HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: \(size)\r\n\r\n"
                    + body)
            return try client.reply().status
        }
        #expect(try status(of: 1024) == 200)
        // Above the server's own limit, which is 1 MiB at first.
        try gateway.reload(text("4MiB"))
        #expect(try status(of: 2 << 20) == 200)
        try gateway.reload(text("2KiB"))
        #expect(try status(of: 2048) == 200)
        #expect(try status(of: 4 << 20) == 413)
        #expect(try status(of: 2049) == 413)
    }

    @Test("A limit of concurrency takes effect at once, and attempts in flight count on")
    func concurrency() throws {
        let go = Signal()
        let upstream = try ScriptedUpstream([.readRequest, .wait(go), .send(FileGateway.ok()), .again])
        defer { upstream.stop() }
        func text(_ limit: Int) -> String {
            FileGateway.text(["a": (upstream.port, ", concurrency: \(limit), retry: {attempts: 1}")])
        }
        let gateway = try FileGateway(text(5))
        defer { gateway.stop() }
        let client = try RawClient(port: gateway.server.port)
        #expect(client.send("GET /a HTTP/1.1\r\nHost: x\r\n\r\n"))
        try spin(while: upstream.requests.isEmpty) { "no request, \(upstream.connections) connections" }
        #expect(gateway.server.settled.upstreams["a"]?.attemptsInFlight == 1)
        try gateway.reload(text(1))
        #expect(try gateway.get("/a").text.contains("concurrency_limit"))
        #expect(gateway.server.settled.upstreams["a"]?.refusals == 1)
        go.fire()
        #expect(try client.reply().status == 200)
        client.close()
        try spin(while: gateway.server.settled.upstreams["a"]?.attemptsInFlight != 0) {
            "\(gateway.server.settled.upstreams["a"]?.attemptsInFlight ?? -1) attempts in flight"
        }
        #expect(gateway.server.settled.upstreams["a"]?.refusals == 1)
    }

    @Test(
        "An open circuit stays open over reloads; a circuit with other settings begins closed and keeps its count"
    )
    func circuit() throws {
        let upstream = try ScriptedUpstream([
            .answer { _ in "HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n" }
        ])
        defer { upstream.stop() }
        func text(_ breaker: String, _ more: String = "") -> String {
            FileGateway.text(
                [
                    "a": (
                        upstream.port,
                        ", retry: {attempts: 1}, breaker: {minimumCalls: 2, open: \(breaker), maxOpen: 2m}"
                    )
                ],
                more: more)
        }
        let gateway = try FileGateway(text("1m"))
        defer { gateway.stop() }
        func circuit() -> UpstreamReport? { gateway.server.settled.upstreams["a"] }
        for _ in 0..<2 { #expect(try gateway.get("/a").status == 502) }
        #expect(circuit()?.circuit != .closed)
        try gateway.reload(text("1m", "timeline: true\n"))
        #expect(try gateway.get("/a").text.contains("circuit_open"))
        #expect(circuit()?.openings == 1)
        try gateway.reload(text("50s"))
        #expect(circuit()?.circuit == .closed)
        #expect(circuit()?.openings == 1)
        #expect(try gateway.get("/a").status == 502)
        #expect(upstream.requests.count == 3)
    }

    @Test("The health checks of an upstream that is gone stop, and those of another one go on")
    func healthChecks() throws {
        let upstream = try Self.echo("1")
        let other = try Self.echo("1")
        defer {
            upstream.stop()
            other.stop()
        }
        let checked = ", health: {path: /health, interval: 200ms}"
        let both = FileGateway.text(["a": (upstream.port, checked), "b": (other.port, checked)])
        let gateway = try FileGateway(both)
        defer { gateway.stop() }
        func checks(_ upstream: ScriptedUpstream) -> Int {
            upstream.requests.count { $0.contains("GET /health") }
        }
        try spin(while: checks(upstream) == 0 || checks(other) == 0) {
            "\(checks(upstream)) and \(checks(other)) checks"
        }
        let timers = gateway.server.settled.timers
        // Without a further round at each reload.
        let before = ContinuousClock.now
        for _ in 0..<20 { try gateway.reload(both) }
        let rounds = 2 + Int((ContinuousClock.now - before) / .milliseconds(180))
        #expect(checks(upstream) <= rounds)
        // A check that is on its way has one, too.
        try spin(while: gateway.server.settled.timers > timers) {
            "\(gateway.server.settled.timers) timers, \(timers) before"
        }
        try gateway.reload(FileGateway.text(["b": (other.port, checked)]))
        try spin(while: upstream.clientEnded.count == 0) {
            "no connection has ended, of \(upstream.connections)"
        }
        let last = checks(upstream)
        let seen = checks(other)
        try spin(while: checks(other) < seen + 2) { "\(checks(other)) checks, \(seen) before" }
        #expect(checks(upstream) == last)
    }
}
