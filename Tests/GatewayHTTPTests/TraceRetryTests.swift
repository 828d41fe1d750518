import GatewayConfig
import GatewayCore
import Glibc
import JSONBytes
import TestSupport
import Testing

@testable import GatewayHTTP

extension TraceExportTests {
    @Test("Waits double with each retry; the collector may ask for another; none is above 30 s")
    func waits() {
        func waits(_ share: Double) -> [Duration] {
            (0..<7).map { TraceExporter.wait(after: $0, asked: nil, share: share) }
        }
        #expect(waits(1) == [1, 2, 4, 8, 16, 30, 30].map { .seconds($0) })
        #expect(waits(0.5) == [.milliseconds(500)] + [1, 2, 4, 8, 16, 30].map { .seconds($0) })
        #expect(TraceExporter.wait(after: 4, asked: .seconds(3), share: 1) == .seconds(3))
        #expect(TraceExporter.wait(after: 0, asked: .seconds(90), share: 1) == .seconds(30))
    }

    private static let empty = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"

    @Test("A collector that stays busy gets the same spans six times, and then they have failed")
    func exhausted() throws {
        let collector = try SpanCollector(.status(503, retryAfter: "0"))
        defer { collector.stop() }
        _ = try serve(
            collector,
            body: { server, _ in
                try expect(200, server, "/page/a")
                server.flushSpans()
                try server.wait(for: Self.total(.failed), toBe: 4)
                #expect(server.metric(Self.total(.exported)) == 0)
            })
        #expect(TraceExporter.mostRetries == 5 && collector.requests == 6)
        #expect(Set(collector.bodies).count == 1)
    }

    @Test("Spans whose connection was lost are sent again over another one")
    func lostConnection() throws {
        let collector = try ScriptedUpstream([.readRequest, .close], [.answer { _ in Self.empty }])
        defer { collector.stop() }
        _ = try serve(
            nil, through: "http://127.0.0.1:\(collector.port)",
            body: { server, _ in
                try expect(200, server, "/page/a")
                server.flushSpans()
                try server.wait(for: Self.total(.exported), toBe: 4)
            })
        #expect(collector.connections == 2)
        #expect(collector.requests.count == 2 && Set(collector.requests).count == 1)
    }

    @Test("While the collector is unreachable, requests are answered, and it gets the spans once it is there")
    func unreachable() throws {
        let collector = try ScriptedUpstream(.closed, [[.answer { _ in Self.empty }]])
        defer { collector.stop() }
        _ = try serve(
            nil, through: "http://127.0.0.1:\(collector.port)",
            body: { server, _ in
                try expect(200, server, "/page/a")
                server.flushSpans()
                let exporter = try #require(server.tracing.exporter)
                try spin(while: !exporter.awaitsRetry) { "no request to the collector has failed" }
                try expect(200, server, "/page/b")
                #expect(server.metric(Self.total(.exported)) == 0)
                #expect(server.metric(Self.total(.failed)) == 0)
                collector.open()
                try spin(while: (server.metric(Self.total(.exported)) ?? 0) < 4) { "no span has arrived" }
            })
        // The drain sent the spans of the second request.
        let sent = collector.requests.map { request in
            ["/page/a", "/page/b"].map { request.contains($0) }
        }
        #expect(sent == [[true, false], [false, true]])
    }

    @Test("A collector that does not answer in time gets the same spans again")
    func late() throws {
        let collector = try SpanCollector(.silence, .ok)
        defer { collector.stop() }
        _ = try serve(
            collector,
            change: { $0.traces.timeout = .milliseconds(200) },
            body: { server, _ in
                try expect(200, server, "/page/a")
                server.flushSpans()
                try server.wait(for: Self.total(.exported), toBe: 4)
            })
        #expect(collector.requests >= 2)
        #expect(Set(collector.bodies).count == 1)
    }

    @Test("A failure is logged once a minute and without the collector's key, and its end is logged too")
    func logged() throws {
        let collector = try SpanCollector(.status(400), .status(400), .ok)
        defer { collector.stop() }
        let pipe = RawPipe()
        defer { close(pipe.reader) }
        _ = try serve(
            collector, through: collector.url + "/v1/traces?key=hush", errors: pipe.writer,
            change: { $0.logLevel = .info },
            body: { server, _ in
                let ends: [(TraceExporter.Outcome, Double)] = [(.failed, 1), (.failed, 2), (.exported, 1)]
                for (outcome, count) in ends {
                    try expect(200, server, "/quick")
                    server.flushSpans()
                    try server.wait(for: Self.total(outcome), toBe: count)
                }
            })
        close(pipe.writer)
        let text = pipe.readAll()
        let lines = try text.split(separator: "\n").map { try JSONFragment(validating: Array($0.utf8)[...]) }
            .filter { $0[member: "message"]?.stringValue?.hasPrefix("exporting spans") == true }
        func values(_ name: String) -> [String?] { lines.map { $0[member: name]?.stringValue } }
        #expect(values("message") == ["exporting spans failed", "exporting spans works again"])
        #expect(values("level") == ["warning", "info"])
        #expect(values("what") == ["the collector answered 400", nil])
        #expect(values("collector") == Array(repeating: collector.url + "/v1/traces", count: 2))
        #expect(!text.contains("hush"))
    }

    @Test("512 spans are sent at once, and the rest with the drain")
    func batch() throws {
        let collector = try SpanCollector(.ok)
        defer { collector.stop() }
        _ = try serve(
            collector,
            declare: { gateway in
                // The request's span and seven of its parts.
                gateway.get("/eight") { _ in .parts(a: 1, b: 2, c: 3, d: 4, e: 5, f: 6, g: 7) }
            },
            body: { server, _ in
                let client = try RawClient(port: server.port)
                for _ in 0..<70 { #expect(client.get("/eight")?.status == 200) }
                try server.wait(for: Self.total(.exported), toBe: Double(Tracer.batchSpans))
                #expect(collector.requests == 1)
            })
        #expect(Tracer.batchSpans == 512 && collector.requests == 2)
    }
}
