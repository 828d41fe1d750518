import TestTools
import Testing

@testable import OTLP

@Suite("Spans on the wire", .timeLimit(.minutes(1)))
struct SpanBatchTests {
    private static let trace = TraceID(high: 0x0af7_6519_16cd_43dd, low: 0x8448_eb21_1c80_319c)

    private func request(_ batch: inout SpanBatch) -> [UInt8] {
        ExportRequest.bytes(
            of: [batch.take().bytes], resource: [("service.name", "édge"), ("host.name", "a")],
            scope: ("sluice", "1.2"))
    }

    @Test("An answer that is no message, or a cut one, is refused, and others tell what was rejected")
    func rejected() throws {
        for wrong: [UInt8] in [[0x0a], [0x0a, 5, 1], [0xff, 0xff], [0x0b], [0x0a, 2, 0x08, 0x80], [0, 0]] {
            #expect(ExportRequest.rejected(in: wrong[...]) == nil, "\(wrong)")
        }
        let none = try #require(ExportRequest.rejected(in: []))
        #expect(none.count == 0)
        // partial_success {rejected_spans: 300, error_message: "no", a field of a later version}.
        let count: [UInt8] = [0x08, 0xac, 0x02]
        let message: [UInt8] = [0x12, 2, 0x6e, 0x6f]
        let other: [UInt8] = [0x1d, 1, 0, 0, 0]
        let partial = count + message + other
        let told = try #require(
            ExportRequest.rejected(in: ([0x0a, UInt8(partial.count)] + partial)[...]))
        #expect(told.count == 300 && told.message == "no")
    }

    @Test(
        "Another library reads ids, times, attributes and status as they were given",
        .enabled(if: SpanReader.isInstalled, "\(SpanReader.isMissing)"))
    func decoded() throws {
        var batch = SpanBatch()
        batch.add(
            Span(
                trace: Self.trace, id: 0xb7ad_6b71_6920_3331, parent: 0x0102, kind: .server,
                start: 1_764_000_000_000_000_001, end: 1_764_000_000_000_005_000, hasFailed: true, flags: 1),
            "GET", "/users/{id}"
        ) { span in
            span.attribute("http.response.status_code", 503)
            span.attribute("url.path", "/ü")
            span.attribute("negative", -1)
            span.attribute("http.request.header.x-tenant", list: "a, b")
            span.attribute("long", String(repeating: "x", count: 20_000))
        }
        batch.add(
            Span(trace: Self.trace, id: 1, parent: 0, kind: .internal, start: 10, end: 5), nil, "part"
        ) { _ in }
        #expect(batch.count == 2)
        let spans = try SpanReader.spans(in: [request(&batch)])
        #expect(batch.count == 0)
        try #require(spans.count == 2)
        let first = spans[0]
        #expect(first.trace == "0af7651916cd43dd8448eb211c80319c" && first.id == "b7ad6b7169203331")
        #expect(first.parent == "0000000000000102" && first.name == "GET /users/{id}")
        #expect(first.kind == 2 && first.status == 2 && first.flags == 1)
        #expect(first.start == 1_764_000_000_000_000_001 && first.end == 1_764_000_000_000_005_000)
        #expect(
            first.attributes.filter { $0.key != "long" } == [
                "http.response.status_code": "503", "url.path": "/ü", "negative": "-1",
                "http.request.header.x-tenant": "[a, b]",
            ])
        #expect(first.attributes["long"]?.count == 20_000)
        #expect(first.resource == ["service.name": "édge", "host.name": "a"] && first.scope == "sluice 1.2")
        // A clock that was set back makes no negative time.
        #expect(spans[1].parent.isEmpty && spans[1].start == 10 && spans[1].end == 10)
        #expect(spans[1].status == 0 && spans[1].kind == 1)
    }

    @Test(
        "A request with thousands of spans in several batches is one message",
        .enabled(if: SpanReader.isInstalled, "\(SpanReader.isMissing)"))
    func many() throws {
        var batches: [[UInt8]] = []
        for number in 0..<4 {
            var batch = SpanBatch()
            for index in 0..<500 {
                batch.add(
                    Span(
                        trace: Self.trace, id: UInt64(number * 500 + index + 1), parent: 0, kind: .client,
                        start: 1, end: 2), nil, "GET"
                ) { $0.attribute("index", index) }
            }
            batches.append(batch.take().bytes)
        }
        let bytes = ExportRequest.bytes(of: batches, resource: [], scope: ("sluice", "1"))
        let spans = try SpanReader.spans(in: [bytes])
        #expect(spans.map { UInt64($0.id, radix: 16) } == (1...2000).map { UInt64($0) })
    }
}
