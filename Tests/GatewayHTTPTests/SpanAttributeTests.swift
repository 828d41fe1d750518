import GatewayConfig
import GatewayCore
import HTTPModel
import JSONBytes
import Networking
import Rx
import TestSupport
import TestTools
import Testing

@testable import GatewayHTTP

/// A call with a key in its query.
private enum SearchAPI: TargetType {
    case find

    var baseURL: String { "http://127.0.0.1:1" }
    var path: RequestPath { "/find" }
    var task: RequestTask { .parameters(["key": "hush"], encoding: .query) }
}

extension TraceExportTests {
    /// The request's own span.
    private func server(_ spans: [SpanReader.Span]) throws -> SpanReader.Span {
        try #require(spans.first { $0.kind == 2 })
    }

    @Test(
        "The resource names the service, its version and this process",
        .enabled(if: SpanReader.isInstalled, "\(SpanReader.isMissing)"))
    func resource() throws {
        let collector = try SpanCollector(.ok)
        defer { collector.stop() }
        _ = try serve(
            collector,
            change: {
                $0.name = "edge"
                $0.version = "1.2.3"
                $0.traces.resource = ["team": "b"]
            },
            body: { server, _ in try expect(200, server, "/quick") })
        let span = try server(collector.spans())
        #expect(span.scope == "sluice 1.2.3")
        #expect(span.resource["service.name"] == "edge" && span.resource["service.version"] == "1.2.3")
        #expect(span.resource["host.name"]?.isEmpty == false && span.resource["team"] == "b")
        let instance = try #require(span.resource["service.instance.id"])
        #expect(instance.wholeMatch(of: /[0-9a-f]{32}/) != nil)
    }

    @Test(
        "The span has the scheme and host that a trusted proxy tells, else the scheme that the settings say",
        .enabled(if: SpanReader.isInstalled, "\(SpanReader.isMissing)"),
        arguments: [
            (true, URLScheme.http, "https", "shop.example 8443"),
            (false, URLScheme.http, "http", "test 81"), (false, URLScheme.https, "https", "test 81"),
        ])
    func scheme(isTrusted: Bool, standard: URLScheme, expected: String, host: String) throws {
        let collector = try SpanCollector(.ok)
        defer { collector.stop() }
        _ = try serve(
            collector,
            change: {
                $0.clients.trusted = (try? TrustedProxies(isTrusted ? ["loopback"] : [])) ?? TrustedProxies()
                $0.clients.scheme = standard
            },
            body: { server, _ in
                let fields = "X-Forwarded-Proto: https\r\nX-Forwarded-Host: shop.example:8443\r\n"
                try expect(200, server, "/quick", fields)
            })
        let attributes = try server(collector.spans()).attributes
        #expect(attributes["url.scheme"] == expected)
        #expect("\(attributes["server.address"] ?? "-") \(attributes["server.port"] ?? "-")" == host)
    }

    @Test(
        "The span of an attempt says where the request went, without the query",
        .enabled(if: SpanReader.isInstalled, "\(SpanReader.isMissing)"))
    func attempt() throws {
        let collector = try SpanCollector(.ok)
        defer { collector.stop() }
        var (port, target) = (UInt16(0), "")
        _ = try serve(
            collector,
            declare: { gateway in
                let api = gateway.provider(SearchAPI.self, upstream: "parts")
                gateway.get("/search") { _ in .parts(found: api.rx.request(.find).fragment()) }
            },
            body: { server, upstream in
                try expect(200, server, "/search?key=hush")
                (port, target) = (upstream.port, upstream.requests.first ?? "")
            })
        #expect(target.hasPrefix("GET /base/find?key=hush "))
        let spans = try collector.spans()
        let attempt = try #require(spans.first { $0.kind == 3 })
        #expect(attempt.status == 0)
        #expect(
            attempt.attributes == [
                "http.request.method": "GET", "url.full": "http://127.0.0.1:\(port)/base/find",
                "server.address": "127.0.0.1", "server.port": "\(port)",
                "network.peer.address": "127.0.0.1", "sluice.upstream": "parts",
                "http.response.status_code": "200",
            ])
        #expect(!spans.map { "\($0)" }.joined().contains("hush"))
    }

    @Test(
        "An IPv6 address has brackets in a URL alone",
        .enabled(if: SpanReader.isInstalled, "\(SpanReader.isMissing)"))
    func sixthVersion() throws {
        let collector = try SpanCollector(.ok)
        defer { collector.stop() }
        _ = try serve(
            collector,
            // Nobody listens there.
            change: { $0.upstreams = ["parts": "http://[::1]:1/base"] },
            body: { server, _ in
                let client = try RawClient(port: server.port)
                client.send("GET /page/a HTTP/1.1\r\nHost: [2001:db8::1]:81\r\n\r\n")
                let reply = try client.reply()
                #expect(reply.status >= 500)
            })
        let spans = try collector.spans()
        let server = try server(spans)
        #expect(server.attributes["server.address"] == "2001:db8::1")
        #expect(server.attributes["server.port"] == "81")
        let attempts = spans.filter { $0.kind == 3 }
        #expect(!attempts.isEmpty)
        for attributes in attempts.map(\.attributes) {
            #expect(attributes["url.full"] == "http://[::1]:1/base/first")
            #expect(attributes["server.address"] == "::1" && attributes["server.port"] == "1")
        }
    }

    @Test(
        "An attempt without a response has failed for its reason",
        .enabled(if: SpanReader.isInstalled, "\(SpanReader.isMissing)"))
    func refused() throws {
        let collector = try SpanCollector(.ok)
        defer { collector.stop() }
        _ = try serve(
            collector,
            change: { $0.upstreams = ["parts": "http://127.0.0.1:1"] },
            body: { server, _ in try expect(502, server, "/page/a") })
        let spans = try collector.spans()
        let server = try server(spans)
        #expect(server.status == 2 && server.attributes["error.type"] == "BAD_GATEWAY")
        let part = try #require(spans.first { $0.name == "part first" })
        let attempts = spans.filter { $0.kind == 3 }
        #expect(!attempts.isEmpty)
        for span in [part] + attempts {
            #expect(span.status == 2 && span.attributes["error.type"] == "connection_refused")
            #expect(span.attributes["sluice.reason"] == "connection_refused")
            #expect(span.attributes["http.response.status_code"] == nil)
        }
    }

    @Test(
        "404 is an error of an attempt, and not of a request, nor is a partial answer",
        .enabled(if: SpanReader.isInstalled, "\(SpanReader.isMissing)"))
    func statuses() throws {
        let collector = try SpanCollector(.ok)
        defer { collector.stop() }
        _ = try serve(
            collector, upstream: "HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n",
            declare: { gateway in
                let parts = gateway.provider(PartsAPI.self, upstream: "parts")
                gateway.get("/partial") { _ in
                    .parts(first: parts.rx.request(.first).fragment().optional(), two: 2)
                }
                gateway.get("/none") { _ in throw GatewayError.notFound() }
            },
            body: { server, _ in
                try expect(404, server, "/page/a")
                try expect(404, server, "/none")
                try expect(200, server, "/partial")
            })
        let spans = try collector.spans()
        let servers = spans.filter { $0.kind == 2 }
        #expect(servers.map(\.status) == [0, 0, 0])
        #expect(servers.map { $0.attributes["sluice.code"] } == ["NOT_FOUND", "NOT_FOUND", "PARTIAL"])
        #expect(servers.map { $0.attributes["http.response.status_code"] } == ["404", "404", "200"])
        #expect(servers.allSatisfy { $0.attributes["error.type"] == nil })
        let attempts = spans.filter { $0.kind == 3 }
        #expect(attempts.map(\.status) == [2, 2])
        #expect(attempts.map { $0.attributes["error.type"] } == ["404", "404"])
    }
}
