import GatewayConfig
import GatewayCore
import JSONBytes
import TestSupport
import Testing

@testable import GatewayHTTP

extension TraceExportTests {
    private static let parent = "traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331"

    @Test("A drawn number decides for strangers: of 400 requests with one trace, about half are sampled")
    func half() throws {
        let collector = try SpanCollector(.ok)
        defer { collector.stop() }
        let lines = try serve(
            collector,
            change: { $0.traces.ratio = 0.5 },
            body: { server, _ in
                let client = try RawClient(port: server.port)
                for _ in 0..<400 {
                    let reply = try client.ask("/quick", "\(Self.parent)-01")
                    #expect(reply.status == 200)
                }
            })
        let sampled = lines.filter { $0[member: "trace"]?.stringValue == "sampled" }.count
        #expect(lines.count == 400 && (120...280).contains(sampled), "\(sampled) of \(lines.count)")
        let ids = Set(lines.map { $0[member: "traceId"]?.stringValue })
        #expect(ids == ["0af7651916cd43dd8448eb211c80319c"])
    }

    @Test(
        "While traces are exported, upstreams get the gateway's decision in bit 0, and the client's bit 1",
        arguments: [1.0, 0])
    func flags(ratio: Double) throws {
        let collector = try SpanCollector(.ok)
        defer { collector.stop() }
        var sent: [String] = []
        _ = try serve(
            collector,
            change: { $0.traces.ratio = ratio },
            body: { server, upstream in
                for flags in ["00", "01", "02", "03", "ff"] {
                    try expect(200, server, "/page/a", "\(Self.parent)-\(flags)\r\n")
                }
                sent = traceParents(upstream).map { String($0.suffix(3)) }
            })
        #expect(
            sent
                == (ratio == 1
                    ? ["-01", "-01", "-03", "-03", "-03"] : ["-00", "-00", "-02", "-02", "-02"]))
    }

    @Test(
        "A slow request is exported although it was not sampled, with the phase that its line names",
        .enabled(if: SpanReader.isInstalled, "\(SpanReader.isMissing)"))
    func slow() throws {
        let collector = try SpanCollector(.ok)
        defer { collector.stop() }
        let lines = try serve(
            collector,
            change: {
                $0.traces.ratio = 0
                $0.slow = .nanoseconds(1)
            },
            body: { server, _ in try expect(200, server, "/page/a") })
        #expect(lines.map { $0[member: "trace"]?.stringValue } == ["exported"])
        let phase = try #require(lines.first?.value(at: "/slow/phase")?.stringValue)
        let spans = try collector.spans()
        #expect(spans.count == 4 && spans.allSatisfy { $0.flags == 0 && $0.status == 0 })
        let server = try #require(spans.first { $0.kind == 2 })
        #expect(server.attributes["sluice.phase"] == phase)
        #expect(server.attributes["sluice.code"] == nil && server.attributes["error.type"] == nil)
    }
}
