import HTTPModel
import Networking
import NetworkingSession
import TestSupport
import Testing

@Suite(
    "Calls of a provider to Python's http.server", .timeLimit(.minutes(2)),
    .enabled(if: PythonServer.isInstalled, "python3 is not installed: make setup"))
struct PythonServerTests {
    private struct Named: Decodable, Equatable { var name: String }

    @Test(
        "Over HTTP/1.0, a missing file gets a 404, a JSON file is decoded, and no connection is reused"
    )
    func files() async throws {
        let python = try PythonServer(files: ["name.json": Array(#"{"name":"GREEN"}"#.utf8)])
        defer { python.stop() }
        try await PeerSession.with("http://127.0.0.1:\(python.port)") { peer async throws in
            let missing = try await peer.get("/nobody.json")
            #expect(missing.statusCode == 404)
            #expect(throws: NetworkError.self) { try missing.filterSuccessfulStatusCodes() }
            for _ in 0..<3 {
                #expect(try await peer.get("/name.json").map(Named.self) == Named(name: "GREEN"))
            }
            #expect(peer.session.report == PoolReport(opened: 4))
        }
    }

    @Test(
        "A truncated body fails the call after three attempts, and a body delimited by the close is complete"
    )
    func closeDelimited() async throws {
        let python = try PythonServer(
            """
            import os, struct
            class Handler(http.server.BaseHTTPRequestHandler):
                def do_GET(self):
                    self.send_response(200)
                    if self.path == "/short": self.send_header("Content-Length", "100")
                    self.end_headers()
                    for _ in range(4): self.wfile.write(b'{"name":' if _ == 0 else b'  ')
                    if self.path != "/short": self.wfile.write(b'"GREEN"}')
            """)
        defer { python.stop() }
        try await PeerSession.with("http://127.0.0.1:\(python.port)") { peer async throws in
            let error = try #require(try await peer.failure("/short"))
            #expect(error.reason == .responseIncomplete)
            #expect(error.attempts == 3)
            #expect(try await peer.get("/whole").map(Named.self) == Named(name: "GREEN"))
            #expect(peer.session.report.idle == 0)
        }
    }
}
