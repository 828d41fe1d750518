import EventIO
import Foundation
import GatewayCore
import HTTPModel
import JSONBytes
import Locking
import Metrics
import Networking
import Rx
import TestSupport
import TestTools
import Testing

@testable import GatewayHTTP

/// An upstream whose calls are not repeated.
enum PostedAPI: TargetType {
    case post

    var baseURL: String { "http://127.0.0.1:1" }
    var path: RequestPath { "/first" }
    var method: HTTPMethod { .post }
}

@Suite("The gateway's metrics", .timeLimit(.minutes(1)))
struct MetricsTests {
    /// An upstream that gives these answers one after the other, the last one again and again.
    private func upstream(_ answers: [String]) throws -> ScriptedUpstream {
        let rest = Lock(answers)
        return try ScriptedUpstream([
            .answer { _ in rest.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] } }
        ])
    }

    private static let good = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1"
    private static let bad = "HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n"

    /// Serves `/users/{name}` with the parts `first` and `second` of one upstream.
    private func serve(
        _ upstream: ScriptedUpstream, retry: CallRetryPolicy = .never, _ body: (GatewayServer) throws -> Void
    ) throws {
        defer { upstream.stop() }
        _ = try withLoggedGateway { configuration in
            configuration.upstreams = ["parts": "http://127.0.0.1:\(upstream.port)"]
        } declare: { gateway in
            var policy = CallPolicy()
            policy.retry = retry
            let parts = gateway.provider(PartsAPI.self, upstream: "parts", policy: policy)
            gateway.get("/users/{name}") { _ in
                .parts(first: parts.rx.request(.first).fragment())
            }
        } _: { server in
            try body(server)
        }
    }

    private func wait(
        _ server: GatewayServer, _ family: MetricFamily, _ values: String..., is value: Int
    ) throws {
        let read = { server.metrics.value(family, values) }
        try spin(while: read() != value) { "\(family.name) \(values) is \(read() ?? -1), not \(value)" }
    }

    @Test("A failed part, a success and a 404 are counted by route, outcome, part and attempt")
    func requests() throws {
        try serve(upstream([Self.bad, Self.good])) { server in
            let client = try RawClient(port: server.port)
            // Before the first request there is a success, at 0.
            try wait(server, .httpRequests, "/users/{name}", "GET", "200", "OK", is: 0)
            #expect(client.get("/users/ann")?.status == 502)
            try wait(server, .httpRequests, "/users/{name}", "GET", "502", "BAD_GATEWAY", is: 1)
            try wait(server, .parts, "/users/{name}", "first", "serverErr", "upstream_status", is: 1)
            #expect(server.metrics.value(.upstreamAttempts, ["parts", "5xx", ""]) == 1)
            #expect(client.get("/users/bob")?.status == 200)
            try wait(server, .httpRequests, "/users/{name}", "GET", "200", "OK", is: 1)
            try wait(server, .parts, "/users/{name}", "first", "success", "", is: 1)
            #expect(server.metrics.value(.upstreamAttempts, ["parts", "2xx", ""]) == 1)
            #expect(client.get("/nothing?secret=1")?.status == 404)
            try wait(server, .httpRequests, "_none", "GET", "404", "NOT_FOUND", is: 1)
            #expect(client.get("/health/live")?.status == 200)
            try wait(server, .httpRequests, "_health", "GET", "200", "OK", is: 1)
            let text = String(decoding: server.metricsText(.prometheus), as: UTF8.self)
            #expect(text.contains(#"sluice_http_request_duration_seconds_count{route="/users/{name}"} 2"#))
            let part = #"route="/users/{name}",part="first""#
            #expect(text.contains("sluice_part_duration_seconds_count{\(part)} 2"))
            #expect(text.contains(#"sluice_upstream_attempt_duration_seconds_count{upstream="parts"} 2"#))
            #expect(!text.contains("secret") && !text.contains("ann") && !text.contains("127.0.0.1"))
        }
    }

    @Test("Nothing that a client makes up becomes a label, and refusals are counted by reason")
    func refused() throws {
        try serve(upstream([Self.good])) { server in
            let strange = try RawClient(port: server.port)
            #expect(strange.send("FOO /users/x HTTP/1.1\r\nHost: x\r\n\r\n"))
            #expect(try strange.reply().status == 405)
            try wait(server, .httpRequests, "_none", "_OTHER", "405", "METHOD_NOT_ALLOWED", is: 1)
            let broken = try RawClient(port: server.port)
            #expect(broken.send("GET\r\n\r\n"))
            #expect(try broken.reply().status == 400)
            try wait(server, .httpRefused, "malformed", is: 1)
            try wait(server, .httpRequests, "_none", "_OTHER", "400", "INVALID_REQUEST", is: 1)
            #expect(server.metrics.value(.httpRefused, ["timeout"]) == 0)
        }
    }

    @Test("A call that is sent again is a retry, and two attempts")
    func retries() throws {
        let upstream = try upstream([Self.bad.replacing("500", with: "503"), Self.good])
        defer { upstream.stop() }
        _ = try withLoggedGateway { configuration in
            configuration.upstreams = ["parts": "http://127.0.0.1:\(upstream.port)"]
        } declare: { gateway in
            let parts = gateway.provider(PartsAPI.self, upstream: "parts")
            gateway.get("/page") { _ in .parts(first: parts.rx.request(.first).fragment()) }
        } _: { server in
            #expect(try RawClient(port: server.port).get("/page")?.status == 200)
            try wait(server, .upstreamAttempts, "parts", "2xx", "", is: 1)
            #expect(server.metrics.value(.upstreamAttempts, ["parts", "5xx", ""]) == 1)
            #expect(server.metrics.value(.upstreamRetries, ["parts"]) == 1)
            #expect(server.metrics.value(.upstreamNotRetried, ["parts", "method"]) == nil)
        }
    }

    @Test("A client that leaves before the next attempt has caused no retry")
    func cutBackoff() throws {
        let upstream = try upstream(["HTTP/1.1 503 No\r\nRetry-After: 5\r\nContent-Length: 0\r\n\r\n"])
        try serve(upstream, retry: CallRetryPolicy()) { server in
            let client = try RawClient(port: server.port)
            #expect(client.send("GET /users/ann HTTP/1.1\r\nHost: test\r\n\r\n"))
            try wait(server, .upstreamAttempts, "parts", "5xx", "", is: 1)
            client.close()
            try wait(server, .httpRequests, "/users/{name}", "GET", "499", "CANCELLED", is: 1)
            #expect(server.metrics.value(.upstreamRetries, ["parts"]) == 0)
            #expect(server.metrics.value(.upstreamAttempts, ["parts", "", "cancelled"]) == nil)
        }
    }

    @Test("A call that a rule keeps from another attempt is counted with the rule, which its log line has")
    func notRetried() throws {
        let upstream = try upstream([Self.bad.replacing("500", with: "503")])
        defer { upstream.stop() }
        let lines = try withLoggedGateway { configuration in
            configuration.upstreams = ["parts": "http://127.0.0.1:\(upstream.port)"]
        } declare: { gateway in
            let parts = gateway.provider(PostedAPI.self, upstream: "parts")
            gateway.post("/page") { _ in
                .parts(first: parts.rx.request(.post).fragment())
            }
        } _: { server in
            let client = try RawClient(port: server.port)
            #expect(client.send("POST /page HTTP/1.1\r\nHost: test\r\nContent-Length: 0\r\n\r\n"))
            #expect(try client.reply().status == 503)
            try wait(server, .upstreamNotRetried, "parts", "method", is: 1)
            #expect(server.metrics.value(.upstreamRetries, ["parts"]) == 0)
        }
        #expect(lines.first?.value(at: "/parts/first/notRetried")?.stringValue == "method")
    }

    @Test("Connections of clients and to upstreams are counted while they are open")
    func connections() throws {
        try serve(upstream([Self.good])) { server in
            try wait(server, .connections, is: 0)
            let client = try RawClient(port: server.port)
            #expect(client.get("/users/ann")?.status == 200)
            #expect(server.metrics.value(.connections, []) == 1)
            #expect(server.metrics.value(.connectionsAccepted, []) == 1)
            try wait(server, .httpRequestsInFlight, is: 0)
            #expect(server.metrics.largest(.connections, []) == 1)
            try wait(server, .upstreamConnections, "parts", "idle", is: 1)
            #expect(server.metrics.value(.upstreamConnections, ["parts", "leased"]) == 0)
            #expect(server.metrics.value(.upstreamConnectionsOpened, ["parts"]) == 1)
            #expect(server.metrics.value(.upstreamCallsInFlight, ["parts"]) == 0)
            client.close()
            try wait(server, .connections, is: 0)
            #expect(server.metrics.value(.connectionsAccepted, []) == 1)
        }
    }

    @Test("The text has the process, its loops and limits, is the same for a second, and promtool accepts it")
    func text() throws {
        try serve(upstream([Self.good])) { server in
            let client = try RawClient(port: server.port)
            #expect(client.get("/users/ann")?.status == 200)
            let text = server.metricsText(.prometheus)
            #expect(client.get("/users/bob")?.status == 200)
            #expect(server.metricsText(.prometheus) == text)
            let lines = Set(String(decoding: text, as: UTF8.self).split(separator: "\n"))
            for name in [
                "process_cpu_seconds_total", "process_resident_memory_bytes", "process_open_fds",
                "process_max_fds", "process_start_time_seconds",
                #"sluice_loop_cpu_seconds_total{loop="sluice-0"}"#,
                #"sluice_loop_busy_seconds_total{loop="sluice-0"}"#,
                "sluice_loop_wake_duration_seconds_count",
                #"sluice_limit_used_ratio{limit="connections"}"#,
                #"sluice_limit_used_ratio{limit="requests_in_flight"}"#, "sluice_draining",
                #"sluice_upstream_circuit_state{upstream="parts"}"#,
                #"sluice_log_messages_total{level="error"}"#,
            ] {
                let value = lines.first { $0.hasPrefix(name + " ") }?.split(separator: " ").last
                #expect(value.flatMap { Double($0) } != nil, "\(name)")
            }
            #expect(String(decoding: server.metricsText(.openMetrics), as: UTF8.self).hasSuffix("# EOF\n"))
            guard let promtool = PeerProcess.find("promtool") else { return }
            let folder = ScratchFolder()
            try Data(text).write(to: URL(fileURLWithPath: folder.file("metrics")))
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/bin/sh")
            process.arguments = ["-c", "\(promtool) check metrics <\(folder.file("metrics"))"]
            try process.run()
            process.waitForEnd()
            #expect(process.terminationStatus == 0)
        }
    }

    @Test(
        "The admin listener gives them to anyone, as OpenMetrics to a client that prefers it, and to GET alone"
    )
    func admin() throws {
        try withAdminGateway(token: "0123456789abcdef") { server, admin in
            // The loop has begun to count.
            try wait(server, .connections, is: 0)
            let plain = try admin.ask("GET /metrics", "Accept: */*")
            #expect(plain.status == 200)
            #expect(plain.value("Content-Type") == "text/plain; version=0.0.4; charset=utf-8")
            #expect(plain.text.contains("\n# TYPE sluice_connections gauge\nsluice_connections 0\n"))
            #expect(!plain.text.contains("# EOF"))
            let open = try admin.ask(
                "GET /metrics",
                "Accept: application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.2,*/*;q=0.1"
            )
            #expect(
                open.value("Content-Type") == "application/openmetrics-text; version=1.0.0; charset=utf-8")
            #expect(open.text.hasSuffix("# EOF\n"))
            let post = try admin.post("/metrics")
            #expect(post.status == 405)
            let status = try admin.ask("GET /status")
            #expect(status.status == 401)
            let client = try RawClient(port: server.port)
            defer { client.close() }
            #expect(client.get("/metrics")?.status == 404)
        }
    }
}
