import EventIO
import HTTPModel
import TestSupport
import Testing

@testable import HTTPOutbound

@Suite("Upstreams on Unix-domain sockets", .timeLimit(.minutes(1)))
struct UnixSocketTests {
    private static func origin(_ path: String, host: String = "localhost") throws -> Origin {
        try #require(Origin(unixSocket: path, host: host))
    }

    @Test("A call to a socket path without a listener fails with connection_refused")
    func refused() async throws {
        let scratch = ScratchFolder()
        let gone = try ScriptedUpstream(unixPath: scratch.file("gone"), [.awaitEnd])
        gone.stop()
        try await ClientHarness.with { harness in
            for name in ["none", "gone"] {
                let result = try await harness.upstream(Self.origin(scratch.file(name))).get()
                #expect(result.reason == "connection_refused")
            }
        }
    }

    @Test("An origin with an invalid socket path or host is refused")
    func noOrigin() {
        #expect(Origin(unixSocket: "") == nil)
        #expect(Origin(unixSocket: "/" + String(repeating: "a", count: 107)) == nil)
        #expect(Origin(unixSocket: "/run/a.sock", host: "a/b") == nil)
        #expect(Origin(unixSocket: "/run/a.sock")?.description == "http+unix:/run/a.sock")
        #expect(Origin(unixSocket: "/run/a.sock")?.authority == "localhost")
    }

    @Test("The request carries the origin's host, and its connection is reused")
    func reuse() async throws {
        let scratch = ScratchFolder()
        let upstream = try ScriptedUpstream(
            unixPath: scratch.file("s"), [.readRequest, .send(CallTests.ok), .again])
        try await ClientHarness.with { harness in
            let api = try await harness.upstream(Self.origin(scratch.file("s"), host: "diary.internal"))
            #expect(try await api.get("/1").text == "hi")
            #expect(try await api.post("/2").text == "hi")
            #expect(upstream.requests.first == "GET /1 HTTP/1.1\r\nHost: diary.internal\r\n\r\n")
            #expect(upstream.connections == 1)
            let other = try await harness.upstream(Self.origin(scratch.file("s"), host: "other.internal"))
            #expect(try await other.get("/3").text == "hi")
            #expect(upstream.connections == 2, "a different host makes a different origin")
        }
        upstream.stop()
    }

    @Test(
        "Large bodies to and from nginx arrive complete over a Unix-domain socket",
        .enabled(if: Nginx.isInstalled, "nginx is not installed"))
    func nginx() async throws {
        let nginx = try Nginx(
            "client_max_body_size 100m; location / { dav_methods PUT; }", files: ["a": Array("hello".utf8)],
            onUnixSocket: true)
        try await ClientHarness.with { harness in
            let api = try await harness.upstream(Self.origin(#require(nginx.unixPath)))
            #expect(try await api.get("/a").text == "hello")
            let block = [UInt8](repeating: 0x61, count: 65_536)
            let body = ScriptedBody(Array(repeating: block, count: 256), length: 16 << 20)
            let put = OutboundRequest(method: .put, target: Array("/b".utf8)[...], body: .stream(body))
            #expect(try await api.call(put).status == 201)
            let call = try await StreamedCall.begin(api, OutboundRequest(target: "/b"))
            #expect(try await call.end().status == 200)
            #expect(call.record.bytes.count == 16 << 20)
            #expect(try await harness.report().opened == 1)
        }
    }

    @Test(
        "Calls to Python's http.server succeed over a Unix-domain socket",
        .enabled(if: PythonServer.isInstalled, "python3 is not installed"))
    func python() async throws {
        let python = try PythonServer(files: ["a": Array("hello".utf8)], onUnixSocket: true)
        try await ClientHarness.with { harness in
            let api = try await harness.upstream(Self.origin(#require(python.unixPath)))
            for _ in 0..<2 { #expect(try await api.get("/a").text == "hello") }
            #expect(try await harness.report().opened == 2)
        }
    }
}
