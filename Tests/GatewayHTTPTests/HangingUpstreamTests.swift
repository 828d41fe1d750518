import Glibc
import JSONBytes
import NetworkingSession
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("An upstream that hangs", .timeLimit(.minutes(1)))
struct HangingUpstreamTests {
    /// The time limits of a file.
    struct Limits: Sendable, CustomTestStringConvertible {
        var timeouts = "{total: 10s}"
        var deadline = "15s"
        var timeout = "10s"

        var testDescription: String { "timeouts \(timeouts), deadline \(deadline), timeout \(timeout)" }
    }

    static let limits = [
        Limits(timeouts: "{total: 80ms}", timeout: ""), Limits(deadline: "80ms"), Limits(timeout: "80ms"),
        Limits(timeouts: "{firstByte: 80ms}", timeout: ""),
        Limits(timeouts: "{total: 80ms, firstByte: 70ms}", timeout: ""),
        Limits(timeouts: "{total: 70ms, firstByte: 80ms}", deadline: "80ms"),
    ]

    private static let answer = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1"

    /// An upstream that sends this text in response to `/first`, and 1 to other paths if it answers them.
    private func upstream(sending text: String, answersOthers: Bool = true) throws -> ScriptedUpstream {
        try ScriptedUpstream([
            .answer { $0.hasPrefix("GET /first") || !answersOthers ? text : Self.answer }
        ])
    }

    /// A file with `/page`, which has these limits and calls `/first`, and `/other`, which calls `/second`.
    private func file(_ port: UInt16, _ limits: Limits, other: String = "10s") -> String {
        let timeout = limits.timeout.isEmpty ? "" : ", timeout: \(limits.timeout)"
        return """
            version: 1
            upstreams:
              parts:
                url: "http://127.0.0.1:\(port)"
                timeouts: \(limits.timeouts)
                breaker: {minimumCalls: 5, open: 5m, maxOpen: 5m}
            endpoints:
            - get: /page
              deadline: \(limits.deadline)
              parts:
                first: {upstream: parts, get: /first\(timeout)}
            - get: /other
              parts:
                second: {upstream: parts, get: /second, timeout: \(other)}
            """
    }

    private func reason(_ reply: RawClient.Reply) throws -> String? {
        let errors = try JSONFragment(validating: Array(reply.text.utf8)[...])[member: "errors"]
        return errors?.elements.first?[member: "reason"]?.stringValue
    }

    /// Calls `/page` until its circuit is open, and returns how many calls failed before.
    ///
    /// On a busy machine a call may get too little of its request's time to tell of the upstream, so there
    /// may be more of them than the circuit needs. `HangingCallTests` has the exact number.
    private func failuresBeforeOpening(_ gateway: FileGateway) throws -> Int {
        var failures = 0
        try spin(
            while: try { () throws -> Bool in
                guard try reason(try gateway.get("/page")) != "circuit_open" else { return false }
                failures += 1
                return true
            }()
        ) { "\(failures) failures, \(gateway.server.settled.upstreams["parts"] as Any)" }
        return failures
    }

    @Test("Its circuit opens, whichever limit ends the calls", arguments: limits)
    func opens(_ limits: Limits) throws {
        let hanging = try upstream(sending: "")
        defer { hanging.stop() }
        let gateway = try FileGateway(file(hanging.port, limits))
        defer { gateway.server.stop() }
        #expect(try failuresBeforeOpening(gateway) >= 5)
        #expect(gateway.server.settled.upstreams["parts"]?.openings == 1)
    }

    @Test("One of two addresses that hangs is ejected, whichever limit ends the calls", arguments: limits)
    func ejected(_ limits: Limits) throws {
        let peers = try AddressPeers(.answers, .isSilent)
        defer { peers.stop() }
        let text = file(0, limits).replacing(
            "url: \"http://127.0.0.1:0\"",
            with: """
                urls: ["http://127.0.0.1:\(peers.port)", "http://127.0.0.2:\(peers.port)"]
                    ejection: {consecutive: 3, base: 1m}
                """)
        let gateway = try FileGateway(text)
        defer { gateway.server.stop() }
        var isEjected: Bool {
            gateway.server.settled.upstreams["parts"]?.addresses["127.0.0.2:\(peers.port)"] == .ejected
        }
        var failures = 0
        try spin(
            while: try { () throws -> Bool in
                if try gateway.get("/page").status != 200 { failures += 1 }
                return !isEjected
            }()
        ) { "\(failures) failures, \(gateway.server.settled.upstreams["parts"] as Any)" }
        #expect(failures >= 3)
        for _ in 1...50 { #expect(try gateway.get("/page").status == 200) }
    }

    @Test("A call that gets little of its request's time is no failure")
    func late() throws {
        let hanging = try upstream(sending: "")
        defer { hanging.stop() }
        // At least 150 ms.
        let slow = try ScriptedUpstream([.readRequest, .trickle(Self.answer, pauseMilliseconds: 4)])
        defer { slow.stop() }
        let gateway = try FileGateway(
            """
            version: 1
            upstreams:
              slow: {url: "http://127.0.0.1:\(slow.port)"}
              parts: {url: "http://127.0.0.1:\(hanging.port)", breaker: {minimumCalls: 1}}
            endpoints:
            - get: /page
              deadline: 250ms
              parts:
                early: {upstream: slow, get: /}
                first: {upstream: parts, get: "/first/{parts.early}"}
            """)
        defer { gateway.server.stop() }
        try spin(
            while: try { () throws -> Bool in
                _ = try gateway.get("/page")
                return hanging.requests.count < 3
            }()
        ) { "\(hanging.requests.count) requests" }
        #expect(gateway.server.settled.upstreams["parts"]?.circuit == .closed)
    }

    @Test(
        "A response that still arrives when the time is over is no failure",
        arguments: [
            Limits(timeouts: "{total: 400ms}", timeout: ""), Limits(timeout: "400ms"),
            Limits(deadline: "400ms"),
        ])
    func drip(_ limits: Limits) throws {
        let response =
            "HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n[" + String(repeating: " ", count: 9999)
        let dripping = try ScriptedUpstream([.readRequest, .trickle(response, pauseMilliseconds: 5)])
        defer { dripping.stop() }
        let gateway = try FileGateway(
            file(dripping.port, limits).replacing("minimumCalls: 5", with: "minimumCalls: 1"))
        defer { gateway.server.stop() }
        for _ in 1...2 {
            let reason = try reason(try gateway.get("/page"))
            #expect(reason == (limits.deadline == "15s" ? "http_response_timeout" : "deadline_exceeded"))
        }
        #expect(gateway.server.settled.upstreams["parts"]?.circuit == .closed)
    }

    @Test(
        "An upstream that is silent within its response fails, whichever limit ends the calls",
        arguments: limits)
    func silentBody(_ limits: Limits) throws {
        let hanging = try upstream(sending: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n1")
        defer { hanging.stop() }
        let gateway = try FileGateway(file(hanging.port, limits))
        defer { gateway.server.stop() }
        #expect(try failuresBeforeOpening(gateway) >= 5)
    }

    @Test("Calls whose clients leave are no failures, however long they waited")
    func leavingClients() throws {
        let hanging = try upstream(sending: "")
        defer { hanging.stop() }
        let gateway = try FileGateway(file(hanging.port, Limits(timeout: "4s")))
        defer { gateway.server.stop() }
        let clients = try (1...12).map { _ in try RawClient(port: gateway.server.port) }
        for client in clients { client.send("GET /page HTTP/1.1\r\nHost: test\r\n\r\n") }
        try spin(while: hanging.requests.count < 12) { "\(hanging.requests.count) requests" }
        let sent = ContinuousClock.now
        // More than half of their time.
        try spin(while: ContinuousClock.now - sent < .milliseconds(2100)) { "" }
        for client in clients { client.reset() }
        try spin(while: hanging.clientEnded.count < 12) { "\(hanging.clientEnded.count) ended" }
        #expect(gateway.server.settled.upstreams["parts"]?.circuit == .closed)
    }

    // MARK: Other endpoints

    @Test(
        "If it answers the calls of another endpoint, its circuit stays closed, whatever the first one sets",
        arguments: ["", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n1"],
        [
            Limits(timeout: "20ms"), Limits(deadline: "20ms"),
            Limits(timeouts: "{firstByte: 20ms}", timeout: "25ms"),
        ])
    func answersOthers(text: String, _ limits: Limits) throws {
        let hanging = try upstream(sending: text)
        defer { hanging.stop() }
        let gateway = try FileGateway(file(hanging.port, limits))
        defer { gateway.server.stop() }
        for _ in 1...8 {
            for _ in 1...2 { #expect(try gateway.get("/page").status == 504) }
            #expect(try gateway.get("/other").status == 200)
        }
        let report = gateway.server.settled.upstreams["parts"]
        #expect(report?.circuit == .closed)
        #expect(report?.openings == 0)
    }

    @Test("If only one endpoint called it, calls of another one are sent, and a response closes the circuit")
    func refuted() throws {
        let hanging = try upstream(sending: "")
        defer { hanging.stop() }
        let gateway = try FileGateway(file(hanging.port, Limits(timeout: "20ms")))
        defer { gateway.server.stop() }
        #expect(try failuresBeforeOpening(gateway) >= 5)
        #expect(try gateway.get("/other").status == 200)
        #expect(gateway.server.settled.upstreams["parts"]?.circuit == .closed)
        // From now on it is known to answer.
        for _ in 1...20 {
            let reason = try reason(try gateway.get("/page"))
            #expect(reason != "circuit_open")
        }
        #expect(gateway.server.settled.upstreams["parts"]?.openings == 1)
    }

    @Test(
        "If the first call of another endpoint fails as well, the circuit is open for both, and the log says so"
    )
    func confirmed() throws {
        let hanging = try upstream(sending: "", answersOthers: false)
        defer { hanging.stop() }
        let pipe = RawPipe()
        defer { close(pipe.reader) }
        let gateway = try FileGateway(
            file(hanging.port, Limits(timeout: "20ms"), other: "20ms"), log: pipe.writer
        ) { $0.logLevel = .info }
        var isStopped = false
        defer { if !isStopped { gateway.stop() } }
        let failures = try failuresBeforeOpening(gateway)
        let first = try reason(try gateway.get("/other"))
        #expect(first == "http_response_timeout")
        for target in ["/other", "/page"] {
            #expect(try reason(try gateway.get(target)) == "circuit_open")
        }
        #expect(hanging.requests.count == failures + 1)
        gateway.stop()
        isStopped = true
        close(pipe.writer)
        let lines = try pipe.readAll().split(separator: "\n").map {
            try JSONFragment(validating: Array($0.utf8)[...])
        }
        let circuit = lines.filter { $0[member: "message"]?.stringValue?.hasPrefix("circuit") == true }
        #expect(
            circuit.map { $0[member: "message"]?.stringValue } == [
                "circuit opened", "circuit open for all endpoints",
            ])
        #expect(circuit.map { $0[member: "endpoint"]?.stringValue } == ["GET /page", nil])
    }
}
