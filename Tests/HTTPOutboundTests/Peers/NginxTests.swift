import EventIO
import HTTPModel
import TestSupport
import Testing

@testable import HTTPOutbound

@Suite("Calls to nginx", .timeLimit(.minutes(2)), .enabled(if: Nginx.isInstalled, "nginx is not installed"))
struct NginxTests {
    @Test("A call to a stopped nginx fails with connection_refused")
    func ended() async throws {
        let nginx = try Nginx()
        nginx.stop()
        try await ClientHarness.with { harness in
            let result = try await harness.upstream(port: nginx.port).get()
            #expect(result.reason == "connection_refused")
        }
    }

    @Test("An error page is returned as an ordinary response")
    func errorPage() async throws {
        let nginx = try Nginx()
        try await ClientHarness.with { harness in
            let result = try await harness.upstream(port: nginx.port).get("/missing")
            #expect(result.status == 404)
            #expect(result.text?.contains("404 Not Found") == true)
        }
    }

    @Test("Calls succeed although nginx closes each connection after keepalive_requests")
    func keepaliveRequests() async throws {
        let nginx = try Nginx("keepalive_requests 3;", files: ["a": Array("hello".utf8)])
        try await ClientHarness.with { harness in
            let api = try await harness.upstream(port: nginx.port)
            for _ in 0..<10 { #expect(try await api.get("/a").text == "hello") }
            let report = try await harness.report()
            #expect(report.opened == 4 && report.reused == 6, "\(report)")
        }
    }

    @Test("Calls succeed although nginx closes idle connections after keepalive_timeout, even a POST")
    func keepaliveTimeout() async throws {
        let nginx = try Nginx("keepalive_timeout 100ms; location /post { return 200 posted; }")
        try await ClientHarness.with { harness in
            let api = try await harness.upstream(port: nginx.port)
            #expect(try await api.post("/post").text == "posted")
            try await harness.until { $0.idle == 0 }
            #expect(try await api.post("/post").text == "posted")
            #expect(try await harness.report().opened == 2)
        }
    }

    @Test("A chunked response arrives complete")
    func chunked() async throws {
        let page = Array(repeating: "<p>one two three</p>\n", count: 20_000).joined()
        let nginx = try Nginx(
            "sub_filter two 2; sub_filter_once off; sub_filter_types *;", files: ["page": Array(page.utf8)])
        try await ClientHarness.with { harness in
            let result = try await harness.upstream(port: nginx.port).get("/page")
            let response = try result.get()
            #expect(response.head.fields["Transfer-Encoding"] == "chunked")
            #expect(response.body.count == page.utf8.count - 20_000 * 2)
        }
    }

    @Test("A call for a response throttled by limit_rate fails at its total limit")
    func slow() async throws {
        let nginx = try Nginx(
            "limit_rate 1k;", files: ["big": [UInt8](repeating: 0x61, count: 100_000)])
        try await ClientHarness.with { harness in
            let result = try await harness.upstream(port: nginx.port).call(
                OutboundRequest(target: "/big"), settings: CallSettings(total: .milliseconds(400)))
            #expect(result.reason == "http_response_timeout")
        }
    }
}
