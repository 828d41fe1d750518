import GatewayCore
import Glibc
import JSONBytes
import Locking
import Networking
import Rx
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("The circuit of an upstream", .timeLimit(.minutes(1)))
struct CircuitTests {
    /// An upstream that answers with this status until it is changed.
    private final class Upstream: Sendable {
        let status = Lock("500 Internal Server Error")
        let asked = Lock(0)

        func listen() throws -> ScriptedUpstream {
            try ScriptedUpstream([
                .answer { [self] _ in
                    asked.withLock { $0 += 1 }
                    return "HTTP/1.1 \(status.withLock { $0 })\r\nContent-Length: 1\r\n\r\n1"
                }
            ])
        }
    }

    private struct Run {
        var messages: [JSONFragment] = []
        var requests: [JSONFragment] = []

        /// The messages about circuits, in their order.
        var circuit: [String] {
            messages.compactMap { $0[member: "message"]?.stringValue }.filter { $0.hasPrefix("circuit") }
        }
    }

    /// A circuit that ten failures open for 100 ms and two successes close.
    private static let quick: CircuitBreakerPolicy = {
        var policy = CircuitBreakerPolicy()
        policy.minimumCalls = 10
        policy.open = .milliseconds(100)
        policy.maxOpen = .milliseconds(200)
        policy.probes = 2
        return policy
    }()

    /// Serves `/page` with one call to the upstream `parts`, and `/other` with one to `other`.
    private func serve(
        _ parts: ScriptedUpstream, loops: Int = 1, breaker: CircuitBreakerPolicy? = quick,
        retry: CallRetryPolicy = .never,
        configure: (inout GatewayServerConfiguration) -> Void = { _ in },
        _ body: (GatewayServer) throws -> Void
    ) throws -> Run {
        defer { parts.stop() }
        let pipe = RawPipe()
        defer { close(pipe.reader) }
        let other = try ScriptedUpstream([
            .answer { _ in "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n2" }
        ])
        defer { other.stop() }
        var run = Run()
        run.requests = try withLoggedGateway(errors: pipe.writer) { configuration in
            configuration.loops = loops
            configuration.logLevel = .info
            configuration.upstreams = [
                "parts": "http://127.0.0.1:\(parts.port)", "other": "http://127.0.0.1:\(other.port)",
            ]
            configure(&configuration)
        } declare: { gateway in
            var policy = CallPolicy()
            policy.retry = retry
            let parts = gateway.provider(PartsAPI.self, upstream: "parts", policy: policy)
            let other = gateway.provider(PartsAPI.self, upstream: "other", policy: policy)
            gateway.upstream("parts") { $0.breaker = breaker }
            gateway.get("/page") { _ in .parts(first: parts.rx.request(.first).fragment()) }
            gateway.get("/stream") { _ in
                .parts(pieces: parts.rx.stream(.second).toArray().map { JSONFragment(string: "\($0.count)") })
            }
            gateway.get("/other") { _ in .parts(second: other.rx.request(.second).fragment()) }
        } _: { server in
            try body(server)
        }
        close(pipe.writer)
        run.messages = try pipe.readAll().split(separator: "\n").map {
            try JSONFragment(validating: Array($0.utf8)[...])
        }
        return run
    }

    private func error(_ reply: RawClient.Reply?) throws -> JSONFragment {
        let text = try #require(reply?.text)
        let errors = try JSONFragment(validating: Array(text.utf8)[...])[member: "errors"]
        return try #require(errors?.elements.first)
    }

    private func fail(_ client: RawClient, times: Int) {
        for _ in 0..<times { _ = client.get("/page") }
    }

    @Test(
        "Failures open it: then calls fail at once with circuit_open, no attempt and the time left, and nothing is sent"
    )
    func opens() throws {
        let upstream = Upstream()
        var policy = Self.quick
        policy.open = .seconds(300)
        policy.maxOpen = .seconds(300)
        let run = try serve(upstream.listen(), breaker: policy) { server in
            let client = try RawClient(port: server.port)
            fail(client, times: 10)
            #expect(upstream.asked.withLock { $0 } == 10)
            let reply = try #require(client.get("/page"))
            #expect(reply.status == 503)
            let seconds = try #require(reply.value("Retry-After").flatMap { Int($0) })
            #expect((269...331).contains(seconds))
            #expect(
                reply.value("Proxy-Status") == "sluice; error=destination_unavailable; details=\"first\"")
            let error = try error(reply)
            #expect(error[member: "reason"]?.stringValue == "circuit_open")
            #expect(error[member: "kind"]?.stringValue == "networkFail")
            #expect(error[member: "attempts"]?.intValue == 0)
            #expect(error[member: "notRetried"] == nil)
            #expect(error[member: "retryable"]?.boolValue == true)
            #expect(upstream.asked.withLock { $0 } == 10)
            // Another upstream and the gateway's readiness are not concerned.
            #expect(client.get("/other")?.status == 200)
            #expect(client.get("/health/ready")?.status == 200)
            let report = try #require(server.settled.upstreams["parts"])
            #expect(report.openings == 1)
            #expect(report.refusals == 1)
            #expect(
                server.metric(#"upstream_refused_total{upstream="parts",reason="circuit_open"}"#) == 1)
            #expect(server.metric(#"upstream_circuit_state{upstream="parts"}"#) == 2)
            #expect(server.metric(#"upstream_circuit_openings_total{upstream="parts"}"#) == 1)
            #expect(server.metric(#"upstream_circuit_state{upstream="other"}"#) == 0)
            guard case .open = report.circuit else {
                Issue.record("\(report)")
                return
            }
            #expect(server.settled.upstreams["other"]?.circuit == .closed)
        }
        #expect(run.circuit == ["circuit opened"])
        let line = try #require(
            run.messages.first { $0[member: "message"]?.stringValue == "circuit opened" })
        #expect(line[member: "upstream"]?.stringValue == "parts")
        #expect(line[member: "attempts"]?.intValue == 10)
        #expect(line[member: "failures"]?.intValue == 10)
    }

    @Test("Without a breaker every call is sent")
    func off() throws {
        let upstream = Upstream()
        let run = try serve(upstream.listen(), breaker: nil) { server in
            let client = try RawClient(port: server.port)
            fail(client, times: 40)
            #expect(upstream.asked.withLock { $0 } == 40)
            #expect(server.settled.upstreams["parts"] == nil)
        }
        #expect(run.circuit == [])
    }

    @Test(
        "A failed probe opens it again; when the upstream has recovered, probes close it", arguments: [1, 4])
    func recovers(loops: Int) throws {
        let upstream = Upstream()
        let run = try serve(upstream.listen(), loops: loops) { server in
            // The kernel spreads the connections over the loops.
            let clients = try (0..<16).map { _ in try RawClient(port: server.port) }
            var turn = 0
            func ask() -> RawClient.Reply? {
                turn += 1
                return clients[turn % clients.count].get("/page")
            }
            for _ in 0..<10 { _ = ask() }
            #expect(server.settled.upstreams["parts"]?.openings == 1)
            try spin(
                while: { () -> Bool in
                    _ = ask()
                    return server.settled.upstreams["parts"]?.openings == 1
                }()
            ) { "\(server.settled.upstreams["parts"] as Any)" }
            upstream.status.withLock { $0 = "200 OK" }
            try spin(while: ask()?.status != 200) {
                "\(server.settled.upstreams["parts"] as Any)"
            }
            try spin(
                while: { () -> Bool in
                    _ = ask()
                    return server.settled.upstreams["parts"]?.circuit != .closed
                }()
            ) { "\(server.settled.upstreams["parts"] as Any)" }
            // All loops send again, and earlier failures do not count.
            for _ in clients { #expect(ask()?.status == 200) }
            upstream.status.withLock { $0 = "500 Internal Server Error" }
            for _ in 0..<5 { _ = ask() }
            #expect(server.settled.upstreams["parts"]?.circuit == .closed)
        }
        let words = run.circuit
        #expect(words.first == "circuit opened")
        #expect(words.dropFirst().first == "circuit half-open")
        #expect(words.contains("circuit opened again"))
        #expect(words.last == "circuit closed")
        #expect(words.count { $0 == "circuit opened" || $0 == "circuit closed" } == 2)
    }

    @Test(
        "Client errors, 501 and bodies that are not JSON leave it closed",
        arguments: ["404 Not Found", "429 Too Many Requests", "501 Not Implemented", "200 OK"])
    func answers(status: String) throws {
        let asked = Lock(0)
        let upstream = try ScriptedUpstream([
            .answer { _ in
                asked.withLock { $0 += 1 }
                return "HTTP/1.1 \(status)\r\nContent-Length: 1\r\n\r\n{"
            }
        ])
        let run = try serve(upstream) { server in
            let client = try RawClient(port: server.port)
            fail(client, times: 30)
            #expect(asked.withLock { $0 } == 30)
        }
        #expect(run.circuit == [])
    }

    @Test(
        "Refused connections, silence and answers that are not HTTP open it", arguments: ["", "junk\r\n\r\n"])
    func faults(answer: String) throws {
        let upstream = try ScriptedUpstream(
            answer.isEmpty ? [.readRequest, .close] : [.readRequest, .send(answer), .close])
        let run = try serve(upstream) { server in
            let client = try RawClient(port: server.port)
            fail(client, times: 10)
            #expect(try error(client.get("/page"))[member: "reason"]?.stringValue == "circuit_open")
        }
        #expect(run.circuit == ["circuit opened"])
    }

    @Test("Clients that leave do not open it")
    func leavingClients() throws {
        let upstream = try ScriptedUpstream([.readRequest, .awaitEnd])
        let run = try serve(upstream) { server in
            for count in 1...20 {
                let client = try RawClient(port: server.port)
                client.send("GET /page HTTP/1.1\r\nHost: test\r\n\r\n")
                try spin(while: upstream.requestRead.count < count) {
                    "\(upstream.requestRead.count) of \(count) requests"
                }
                client.reset()
                try spin(while: upstream.clientEnded.count < count) {
                    "\(upstream.clientEnded.count) of \(count) connections ended"
                }
            }
            #expect(server.settled.upstreams["parts"]?.circuit == .closed)
        }
        #expect(run.circuit == [])
    }

    @Test("A probe whose response is a stream without end closes it when the response begins")
    func endlessProbe() throws {
        let failing = Lock(true)
        let upstream = try ScriptedUpstream([
            .answer { request in
                if failing.withLock({ $0 }) { return "HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n" }
                return request.hasPrefix("GET /second")
                    ? "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n1"
                    : "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1"
            }
        ])
        var policy = Self.quick
        policy.probes = 1
        let run = try serve(upstream, breaker: policy) {
            $0.limits.deadline = .seconds(300)
        } _: { server in
            let client = try RawClient(port: server.port)
            fail(client, times: 10)
            failing.withLock { $0 = false }
            // Until the circuit is half-open, the stream is refused.
            var stream = try RawClient(port: server.port)
            func asks() -> Bool { stream.send("GET /stream HTTP/1.1\r\nHost: test\r\n\r\n") }
            #expect(asks())
            try spin(
                while: { () throws -> Bool in
                    guard server.settled.upstreams["parts"]?.circuit != .closed else { return false }
                    if server.settled.requests == 0 {
                        stream = try RawClient(port: server.port)
                        _ = asks()
                    }
                    return true
                }()
            ) { "\(server.settled.upstreams["parts"] as Any), \(server.settled.requests) requests" }
            #expect(client.get("/page")?.status == 200)
            stream.reset()
        }
        #expect(run.circuit == ["circuit opened", "circuit half-open", "circuit closed"])
    }

    @Test("While it is not closed, nothing is retried")
    func noRetry() throws {
        let upstream = Upstream()
        upstream.status.withLock { $0 = "503 Service Unavailable" }
        var policy = Self.quick
        policy.open = .seconds(300)
        policy.maxOpen = .seconds(300)
        _ = try serve(upstream.listen(), breaker: policy, retry: CallRetryPolicy()) { server in
            let client = try RawClient(port: server.port)
            // Three attempts each: the tenth attempt is the first of the fourth call.
            fail(client, times: 3)
            let error = try error(client.get("/page"))
            #expect(error[member: "reason"]?.stringValue == "upstream_status")
            #expect(error[member: "attempts"]?.intValue == 1)
            #expect(error[member: "notRetried"]?.stringValue == "circuit")
            #expect(
                server.metric(#"upstream_not_retried_total{upstream="parts",rule="circuit"}"#) == 1)
            #expect(upstream.asked.withLock { $0 } == 10)
        }
    }
}
