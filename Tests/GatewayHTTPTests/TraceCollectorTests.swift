import GatewayCore
import HTTPModel
import JSONBytes
import Networking
import TestSupport
import TestTools
import Testing

@testable import GatewayHTTP

extension TraceExportTests {
    private static let canCollect = Rotel.isInstalled && SpanReader.isInstalled

    @Test(
        "rotel takes the spans of a request, and passes them on as they were",
        .enabled(if: canCollect, "\(Rotel.isMissing), \(SpanReader.isMissing)"))
    func throughRotel() throws {
        let collector = try SpanCollector(.ok)
        defer { collector.stop() }
        let rotel = try Rotel(to: collector.url)
        defer { rotel.stop() }
        var sent: [String] = []
        _ = try serve(
            collector, through: rotel.url,
            body: { server, upstream in
                try expect(200, server, "/page/a")
                server.flushSpans()
                try server.wait(for: #"spans_total{result="exported"}"#, toBe: 4)
                try spin(while: collector.requests == 0) { "nothing is passed on: \(rotel.log)" }
                sent = upstream.requests.compactMap {
                    $0.firstMatch(of: /traceparent: (\S+)/).map { String($0.output.1) }
                }
            })
        let spans = try collector.spans()
        #expect(spans.map(\.name).sorted() == ["GET", "GET /page/{name}", "part first", "part two"])
        let server = try #require(spans.first { $0.kind == 2 })
        #expect(server.attributes["http.route"] == "/page/{name}" && server.status == 0)
        #expect(server.resource["service.name"] == "sluice" && server.scope.hasPrefix("sluice "))
        let attempt = try #require(spans.first { $0.kind == 3 })
        #expect(sent == ["00-\(attempt.trace)-\(attempt.id)-01"])
        #expect(attempt.start >= server.start && attempt.end <= server.end)
    }

    @Test(
        "Behind nginx and HAProxy the trace of a failed request is found at the collector, at ratio 0.01",
        .enabled(
            if: canCollect && Nginx.isInstalled && HAProxy.isInstalled,
            "\(Rotel.isMissing), \(SpanReader.isMissing), \(Nginx.isMissing), \(HAProxy.isMissing)"))
    func failedBehindProxies() throws {
        let collector = try SpanCollector(.ok)
        defer { collector.stop() }
        let rotel = try Rotel(to: collector.url)
        defer { rotel.stop() }
        var spans: [SpanReader.Span] = []
        let lines = try serve(
            collector, through: rotel.url, upstream: Self.bad,
            change: {
                $0.traces.ratio = 0.01
                $0.clients.trusted = (try? TrustedProxies(["127.0.0.1"])) ?? TrustedProxies()
            },
            body: { server, _ in
                let proxy = try HAProxy(before: server.port, mode: "http", frontend: "option forwardfor")
                defer { proxy.stop() }
                let nginx = try RealProxyTests.nginx(before: Int(proxy.port))
                defer { nginx.stop() }
                let client = try RawClient(port: Int(nginx.port), host: 2)
                // A client whose trace is not sampled, and one that has none.
                let parent = "traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00\r\n"
                for (path, field) in [("ann", parent), ("bob", "")] {
                    client.send("GET /page/\(path) HTTP/1.1\r\nHost: inner\r\n\(field)\r\n")
                    #expect(try client.reply().status == 503, "\(nginx.errorLog) \(proxy.log)")
                }
                server.flushSpans()
                // Of each request its own, two parts and three attempts.
                try server.wait(for: #"spans_total{result="exported"}"#, toBe: 12)
                try spin(while: collector.requests == 0) { "nothing is passed on: \(rotel.log)" }
                try spin(
                    while: {
                        spans = try collector.spans()
                        return spans.count < 12
                    }()
                ) { "\(spans.count) spans of 12 are passed on: \(rotel.log)" }
            })
        #expect(lines.count == 2 && lines[0][member: "trace"]?.stringValue == "exported")
        for (line, name) in zip(lines, ["ann", "bob"]) {
            let trace = try #require(line[member: "traceId"]?.stringValue)
            #expect(name == "bob" || trace == "4bf92f3577b34da6a3ce929d0e0e4736")
            let mine = spans.filter { $0.trace == trace }
            #expect(mine.count == 6)
            let server = try #require(mine.first { $0.kind == 2 })
            #expect(server.attributes["url.path"] == "/page/\(name)")
            #expect(server.attributes["client.address"] == "127.0.0.2")
            #expect(server.attributes["network.peer.address"] == "127.0.0.1")
            #expect(server.attributes["error.type"] == "UPSTREAM_UNAVAILABLE" && server.status == 2)
            #expect(server.parent == (name == "ann" ? "00f067aa0ba902b7" : ""))
            #expect(mine.filter { $0.attributes["error.type"] == "503" }.count == 3)
        }
    }
}
