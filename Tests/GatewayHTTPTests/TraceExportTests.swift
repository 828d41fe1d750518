import GatewayConfig
import GatewayCore
import Glibc
import HTTPModel
import JSONBytes
import Metrics
import Networking
import TestSupport
import TestTools
import Testing

@testable import GatewayHTTP

@Suite("Traces and their collector", .timeLimit(.minutes(1)))
struct TraceExportTests {
    static let good = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1"
    static let bad = "HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n"

    /// A series of `sluice_spans_total`.
    static func total(_ result: TraceExporter.Outcome) -> String {
        #"spans_total{result="\#(result.rawValue)"}"#
    }

    /// Serves `/page/{name}`, which calls an upstream, while `body` runs, and drains.
    ///
    /// - Parameters:
    ///   - first: the URL where spans are sent, if it is not the collector's.
    ///   - errors: the descriptor for the gateway's messages.
    ///   - declare: declares more endpoints.
    func serve(
        _ collector: SpanCollector?, through first: String? = nil, upstream answer: String = Self.good,
        errors: Int32 = STDERR_FILENO,
        change: (inout GatewayServerConfiguration) -> Void = { _ in },
        declare: (Gateway) throws -> Void = { _ in },
        body: (GatewayServer, ScriptedUpstream) throws -> Void
    ) throws -> [JSONFragment] {
        let upstream = try ScriptedUpstream([.answer { _ in answer }])
        defer { upstream.stop() }
        return try withLoggedGateway(errors: errors) {
            $0.upstreams = ["parts": "http://127.0.0.1:\(upstream.port)/base"]
            $0.traces.collector = try? TraceSettings.collector(first ?? collector?.url ?? "off")
            $0.traces.rate = 0
            change(&$0)
        } declare: { gateway in
            let parts = gateway.provider(PartsAPI.self, upstream: "parts")
            gateway.get("/page/{name}") { _ in .parts(first: parts.rx.request(.first).fragment(), two: 2) }
            gateway.get("/quick") { _ in .json(1) }
            try declare(gateway)
        } _: {
            try body($0, upstream)
        }
    }

    /// Asks, and expects this status.
    func expect(
        _ status: Int, _ server: GatewayServer, _ target: String, _ fields: String = ""
    ) throws {
        let client = try RawClient(port: server.port)
        client.send("GET \(target) HTTP/1.1\r\nHost: test:81\r\n\(fields)\r\n")
        #expect(client.receive()?.status == status)
    }

    /// The `traceparent` of each request to an upstream.
    func traceParents(_ upstream: ScriptedUpstream) -> [String] {
        upstream.requests.compactMap {
            $0.firstMatch(of: /traceparent: (\S+)/).map { String($0.output.1) }
        }
    }

    @Test("A collector that refuses spans or answers with an error costs spans, and no request")
    func lost() throws {
        for reply in [SpanCollector.Reply.status(400), .status(500)] {
            let collector = try SpanCollector(reply)
            defer { collector.stop() }
            _ = try serve(
                collector,
                body: { server, _ in
                    try expect(200, server, "/page/a")
                    server.flushSpans()
                    try server.wait(for: #"spans_total{result="failed"}"#, toBe: 4)
                    #expect(server.metric(#"spans_total{result="exported"}"#) == 0)
                })
            // No retry: the collector would refuse them again.
            #expect(collector.requests == 1)
        }
    }

    @Test("After 429, 502, 503 and 504 the same spans are sent again when Retry-After says so")
    func retried() throws {
        let collector = try SpanCollector(
            .status(429, retryAfter: "0"), .status(502, retryAfter: "0"), .status(503, retryAfter: "0"),
            .status(504, retryAfter: "0"), .ok)
        defer { collector.stop() }
        _ = try serve(
            collector,
            body: { server, _ in
                try expect(200, server, "/page/a")
                server.flushSpans()
                try server.wait(for: #"spans_total{result="exported"}"#, toBe: 4)
            })
        #expect(collector.requests == 5)
        #expect(Set(collector.bodies).count == 1)
    }

    @Test("Spans that the collector rejects of a request are counted apart")
    func partialSuccess() throws {
        let collector = try SpanCollector(.rejects(1))
        defer { collector.stop() }
        _ = try serve(
            collector,
            body: { server, _ in
                try expect(200, server, "/page/a")
                server.flushSpans()
                try server.wait(for: #"spans_total{result="rejected"}"#, toBe: 1)
                #expect(server.metric(#"spans_total{result="exported"}"#) == 3)
            })
    }

    @Test("While the collector is silent, requests are answered, only so many spans wait, and a drain ends")
    func silent() throws {
        let collector = try SpanCollector(.silence)
        defer { collector.stop() }
        var (metrics, drained) = (MetricTable?.none, ContinuousClock.now)
        _ = try serve(
            collector,
            // No attempt ends while the test runs, so there is one.
            change: { $0.traces.timeout = .seconds(300) },
            body: { server, _ in
                // Of /quick there is one span each. A connection serves a limited number of requests.
                for number in 0..<Tracer.mostSpans + 50 where number % 500 == 0 {
                    let client = try RawClient(port: server.port)
                    for _ in number..<min(number + 500, Tracer.mostSpans + 50) {
                        #expect(client.get("/quick")?.status == 200)
                    }
                }
                try server.wait(for: #"spans_total{result="queue_full"}"#, toBe: 50)
                (metrics, drained) = (server.metrics, .now)
            })
        // The collector would keep it for 60 s.
        #expect(Tracing.patience == .seconds(2))
        #expect(ContinuousClock.now - drained < Tracing.patience + .seconds(15))
        #expect(metrics?.value(.spans, ["failed"]) == Tracer.mostSpans)
        #expect(collector.requests == 1)
    }

    @Test("A drain sends what waits")
    func drain() throws {
        let collector = try SpanCollector(.ok)
        defer { collector.stop() }
        let lines = try serve(collector, body: { server, _ in try expect(200, server, "/page/a") })
        #expect(collector.requests == 1)
        #expect(lines.first?[member: "trace"]?.stringValue == "sampled")
    }

    @Test(
        "A request has a span, one for each part and one for each attempt, below each other",
        .enabled(if: SpanReader.isInstalled, "\(SpanReader.isMissing)"))
    func spans() throws {
        let collector = try SpanCollector(.ok)
        defer { collector.stop() }
        var sent: [String] = []
        let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00"
        let lines = try serve(
            collector, upstream: Self.bad,
            change: {
                $0.logFields = (try? LoggedFields(["X-Tenant"])) ?? .none
            },
            body: { server, upstream in
                let fields = "traceparent: \(parent)\r\nX-Tenant: acme\r\nX-Secret: 1\r\n"
                try expect(503, server, "/page/ann?key=secret", fields)
                sent = traceParents(upstream)
            })
        let spans = try collector.spans()
        let server = try #require(spans.first { $0.kind == 2 })
        #expect(server.name == "GET /page/{name}" && server.trace == "0af7651916cd43dd8448eb211c80319c")
        #expect(server.parent == "b7ad6b7169203331" && server.status == 2)
        let port = try #require(lines.first?[member: "remote"]?.stringValue)
        #expect(port.hasPrefix("127.0.0.1:"))
        #expect(
            server.attributes == [
                "http.request.method": "GET", "http.route": "/page/{name}",
                "http.response.status_code": "503",
                "url.scheme": "http", "url.path": "/page/ann", "server.address": "test", "server.port": "81",
                "client.address": "127.0.0.1", "network.peer.address": "127.0.0.1",
                "sluice.request_id": lines.first?[member: "requestId"]?.stringValue ?? "-",
                "sluice.code": "UPSTREAM_UNAVAILABLE", "error.type": "UPSTREAM_UNAVAILABLE",
                "http.request.header.x-tenant": "[acme]",
            ])
        let parts = spans.filter { $0.kind == 1 }
        #expect(parts.map(\.name) == ["part first", "part two"])
        #expect(parts.allSatisfy { $0.parent == server.id })
        #expect(parts[0].status == 2 && parts[0].attributes["error.type"] == "upstream_status")
        #expect(parts[1].status == 0 && parts[1].attributes.isEmpty)
        let attempts = spans.filter { $0.kind == 3 }
        try #require(attempts.count == 3)
        #expect(attempts.allSatisfy { $0.name == "GET" && $0.parent == parts[0].id && $0.status == 2 })
        #expect(attempts.map { $0.attributes["http.request.resend_count"] } == [nil, "1", "2"])
        // Each attempt has told the upstream its own span.
        #expect(sent == attempts.map { "00-\($0.trace)-\($0.id)-01" })
        let first = attempts[0].attributes
        #expect(first["error.type"] == "503" && first["http.response.status_code"] == "503")
        #expect(first["sluice.upstream"] == "parts" && first["url.full"]?.contains("/base/") == true)
        #expect(first["network.peer.address"] == "127.0.0.1" && first["server.address"] == "127.0.0.1")
        #expect(Set(spans.map(\.id)).count == spans.count)
        #expect(spans.allSatisfy { $0.start >= server.start && $0.end <= server.end && $0.end >= $0.start })
        let all = spans.map { "\($0)" }.joined()
        #expect(!all.contains("secret") && !all.lowercased().contains("x-secret"))
        #expect(server.resource["service.name"] == "sluice" && server.resource["host.name"]?.isEmpty == false)
    }

    @Test(
        "An unsampled request is exported if it failed, says so in its line, and its upstream was told no span",
        .enabled(if: SpanReader.isInstalled, "\(SpanReader.isMissing)"))
    func unsampled() throws {
        let collector = try SpanCollector(.ok)
        defer { collector.stop() }
        var sent: [String] = []
        let lines = try serve(
            collector, upstream: Self.bad,
            change: {
                $0.traces.ratio = 0
            },
            body: { server, upstream in
                try expect(200, server, "/quick")
                try expect(503, server, "/page/a")
                sent = traceParents(upstream)
            })
        #expect(lines.map { $0[member: "trace"]?.stringValue } == [nil, "exported"])
        let spans = try collector.spans()
        #expect(spans.count == 6 && spans.allSatisfy { $0.flags == 0 })
        let server = try #require(spans.first { $0.kind == 2 })
        #expect(sent.count == 3 && sent.allSatisfy { $0 == "00-\(server.trace)-\(server.id)-00" })
        #expect(Set(spans.map(\.id)).count == 6)
    }

    @Test("Without failures and with ratio 0 nothing is exported, and the flags say so upstream")
    func off() throws {
        let collector = try SpanCollector(.ok)
        defer { collector.stop() }
        var sent: [String] = []
        let lines = try serve(
            collector, upstream: Self.bad,
            change: {
                $0.traces.ratio = 0
                $0.traces.failures = false
            },
            body: { server, upstream in
                let parent = "traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\r\n"
                try expect(503, server, "/page/a", parent)
                sent = traceParents(upstream)
            })
        #expect(collector.requests == 0)
        #expect(lines.first?[member: "trace"] == nil)
        // A stranger's flag does not count.
        #expect(sent.count == 3 && sent.allSatisfy { $0.hasSuffix("-00") })
    }

    @Test("The flag of a trusted proxy decides, whatever the ratio is", arguments: [true, false])
    func trusted(isSampled: Bool) throws {
        let collector = try SpanCollector(.ok)
        defer { collector.stop() }
        let lines = try serve(
            collector,
            change: {
                $0.traces.ratio = isSampled ? 0 : 1
                $0.clients.trusted = (try? TrustedProxies(["loopback"])) ?? TrustedProxies()
            },
            body: { server, _ in
                let flags = isSampled ? "01" : "00"
                let parent = "traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-\(flags)\r\n"
                try expect(200, server, "/page/a", parent)
            })
        #expect(lines.first?[member: "trace"]?.stringValue == (isSampled ? "sampled" : nil))
        #expect(collector.requests == (isSampled ? 1 : 0))
    }

    @Test(
        "A loop exports so many traces a second, sampled ones or slow ones, and counts the others",
        arguments: [1.0, 0])
    func rate(ratio: Double) throws {
        let collector = try SpanCollector(.ok)
        defer { collector.stop() }
        var limited: Double?
        let lines = try serve(
            collector,
            change: {
                $0.traces.rate = 2
                $0.traces.ratio = ratio
                if ratio == 0 { $0.slow = .nanoseconds(1) }
            },
            body: { server, _ in
                let client = try RawClient(port: server.port)
                // Without a call, a request ends in the turn in which it began.
                let path = ratio == 1 ? "/quick" : "/page/a"
                for _ in 0..<30 { #expect(client.get(path)?.status == 200) }
                // The last answer may arrive before its request is recorded.
                _ = server.settled
                limited = server.metric(Self.total(.rateLimited))
            })
        let trace = ratio == 1 ? "sampled" : "exported"
        let exported = lines.filter { $0[member: "trace"]?.stringValue == trace }.count
        // Seconds may change meanwhile.
        #expect((2...6).contains(exported))
        #expect(limited == Double(30 - exported))
    }

    @Test("The budget of traces begins again with each second")
    func budget() {
        var budget = TraceBudget()
        budget.rate = 2
        let times: [Int64] = [1_000_000_000, 1_500_000_000, 1_900_000_000, 2_000_000_000]
        let taken = times.map { budget.take(at: .init(nanoseconds: $0)) }
        #expect(taken == [true, true, false, true])
    }
}
