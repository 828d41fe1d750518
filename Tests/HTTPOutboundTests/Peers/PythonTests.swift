import EventIO
import HTTPModel
import TestSupport
import Testing

@testable import HTTPOutbound

@Suite(
    "Calls to Python's http.server", .timeLimit(.minutes(2)),
    .enabled(if: PythonServer.isInstalled, "python3 is not installed"))
struct PythonTests {
    @Test("An HTTP/1.0 response with a length is accepted, and each call gets its own connection")
    func http10() async throws {
        let python = try PythonServer(files: ["a.txt": Array("hello".utf8)])
        try await ClientHarness.with { harness in
            let api = try await harness.upstream(port: python.port)
            for _ in 0..<3 { #expect(try await api.get("/a.txt").text == "hello") }
            let report = try await harness.report()
            #expect(report.opened == 3 && report.reused == 0, "\(report)")
        }
    }

    @Test("A body with neither a length nor chunks ends when the connection closes")
    func closeDelimited() async throws {
        let python = try PythonServer(
            """
            class Handler(http.server.BaseHTTPRequestHandler):
                def do_GET(self):
                    self.send_response(200)
                    self.end_headers()
                    for _ in range(1000):
                        self.wfile.write(b"0123456789")
            """)
        try await ClientHarness.with { harness in
            let result = try await harness.upstream(port: python.port).get("/")
            #expect(result.text?.count == 10_000)
            #expect(try await harness.report().idle == 0)
        }
    }

    @Test("A server that crashes within a response fails the call")
    func dies() async throws {
        let python = try PythonServer(
            """
            import os
            class Handler(http.server.BaseHTTPRequestHandler):
                def do_GET(self):
                    self.wfile.write(b"HTTP/1.1 200 OK\\r\\nContent-Length: 100\\r\\n\\r\\nhalf")
                    self.wfile.flush()
                    os.abort()
            """)
        try await ClientHarness.with { harness in
            let result = try await harness.upstream(port: python.port).get("/")
            #expect(result.reason == "http_response_incomplete")
        }
    }
}
