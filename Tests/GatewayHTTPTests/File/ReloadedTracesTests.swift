import GatewayCore
import JSONBytes
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("Traces over a reload", .timeLimit(.minutes(1)))
struct ReloadedTracesTests {
    private static let paths = ["/one", "/two", "/three", "/four"]

    private static func text(_ traces: String) -> String {
        "version: 1\n\(traces)\nendpoints:\n"
            + paths.map { "- get: \($0)\n  parts: {is: {value: 1}}\n" }.joined()
    }

    /// Which of the paths the spans of each request to a collector have.
    private static func paths(of collector: SpanCollector) -> [[String]] {
        collector.bodies.map { body in
            let text = String(decoding: body, as: UTF8.self)
            return paths.filter { text.contains($0) }
        }
    }

    @Test("A reload sends earlier spans to the earlier collector and later ones to the new one, or to nobody")
    func collectors() throws {
        let (first, second) = (try SpanCollector(.ok), try SpanCollector(.ok))
        defer {
            first.stop()
            second.stop()
        }
        let settings = [
            "traces: {url: \"\(first.url)\"}", "traces: {url: \"\(second.url)\"}",
            "traces: {url: \"\(second.url)\", ratio: 0}", "traces: {url: off}",
        ]
        let lines = try withLoggedFile(Self.text(settings[0])) { gateway in
            for (number, path) in Self.paths.enumerated() {
                if number > 0 { try gateway.reload(Self.text(settings[number])) }
                #expect(try gateway.get(path).status == 200)
                if number == 1 {
                    // The reload sent them.
                    try spin(while: first.requests == 0) { "no span has arrived" }
                    #expect(second.requests == 0)
                }
                if number > 0 { gateway.server.flushSpans() }
            }
            try spin(while: second.requests == 0) { "no span has arrived" }
        }
        #expect(Self.paths(of: first) == [["/one"]])
        #expect(Self.paths(of: second) == [["/two"]])
        let marks = try Self.paths.map { path in
            let line = try #require(lines.first { $0.contains("\"\(path)\"") })
            return try JSONFragment(validating: Array(line.utf8)[...])[member: "trace"]?.stringValue
        }
        #expect(marks == ["sampled", "sampled", nil, nil])
    }
}
