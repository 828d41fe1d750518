import EventIO
import Foundation
import HTTPModel
import TestSupport
import Testing

@testable import HTTPOutbound

@Suite(
    "Bodies to and from nginx", .timeLimit(.minutes(2)),
    .enabled(if: Nginx.isInstalled, "nginx is not installed"))
struct NginxBodyTests {
    private static let block = (0..<65_536).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }

    private static let limits = {
        var limits = OutboundLimits.patient
        limits.totalTimeout = .seconds(60)
        return limits
    }()

    private static func put(_ target: String, _ body: any OutboundBodySource) -> OutboundRequest {
        OutboundRequest(method: .put, target: Array(target.utf8)[...], body: .stream(body))
    }

    private static func size(_ path: String) -> Int {
        (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? -1
    }

    @Test(
        "When nginx refuses a body midway, the 413 is returned and the body stops",
        arguments: [true, false])
    func tooLarge(hasLength: Bool) async throws {
        let nginx = try Nginx("client_max_body_size 1m; location / { dav_methods PUT; }")
        try await ClientHarness.with(limits: Self.limits) { harness in
            let api = try await harness.upstream(port: nginx.port)
            let body = ScriptedBody(
                Array(repeating: Self.block, count: 1024), length: hasLength ? 64 << 20 : nil)
            let result = try await api.call(Self.put("/a", body))
            #expect(result.status == 413)
            #expect(body.used.requested < 1024 && body.used.closed == 1)
            #expect(try await harness.report().idle == 0)
            #expect(try await api.get("/none").status == 404)
        }
    }

    @Test("With Expect, the body is sent after nginx's 100 and not after its 413")
    func expectation() async throws {
        let nginx = try Nginx("client_max_body_size 1m; location / { dav_methods PUT; }")
        var limits = Self.limits
        limits.continueTimeout = .seconds(20)
        try await ClientHarness.with(limits: limits) { harness in
            let api = try await harness.upstream(port: nginx.port)
            let large = ScriptedBody([], length: 2 << 20, expectsContinue: true)
            #expect(try await api.call(Self.put("/a", large)).status == 413)
            #expect(large.used.opened == 0)
            let small = ScriptedBody([Self.block], length: 65_536, expectsContinue: true)
            #expect(try await api.call(Self.put("/a", small)).status == 201)
            #expect(Self.size(nginx.file("a")) == 65_536)
        }
    }

    @Test("A file of 64 MiB is uploaded, and downloaded as a stream")
    func files() async throws {
        let nginx = try Nginx("client_max_body_size 100m; location / { dav_methods PUT; }")
        let source = nginx.folder.file("source")
        let writer = try #require(fopen(source, "w"))
        for _ in 0..<1024 { fwrite(Self.block, 1, Self.block.count, writer) }
        fclose(writer)
        try await ClientHarness.with(limits: Self.limits) { harness in
            let api = try await harness.upstream(port: nginx.port)
            let size = Int64(1024 * Self.block.count)
            let body = BlockingBody(length: size) { try fileReader(source) }
            #expect(try await api.call(Self.put("/a", body)).status == 201)
            let call = try await StreamedCall.begin(api, OutboundRequest(target: "/a"))
            let result = try await call.end()
            #expect(result.status == 200 && result.text == "")
            #expect(try Data(call.record.bytes) == Data(contentsOf: URL(fileURLWithPath: source)))
            #expect(try await harness.report().idle == 1)
        }
    }

    @Test("An upload of 64 MiB in chunks keeps its queue bounded")
    func chunks() async throws {
        let nginx = try Nginx("client_max_body_size 100m; location / { dav_methods PUT; }")
        try await ClientHarness.with(limits: Self.limits) { harness in
            let api = try await harness.upstream(port: nginx.port)
            let body = ScriptedBody(Array(repeating: Self.block, count: 1024), length: nil)
            #expect(try await api.call(Self.put("/a", body)).status == 201)
            #expect(body.used.mostQueued < OutboundBodyWriter.queueLimit)
            #expect(Self.size(nginx.file("a")) == 64 << 20)
        }
    }

    @Test("A response compressed by nginx is decoded, both gathered and streamed")
    func gzip() async throws {
        let page = Array((0..<20_000).map { "<p>paragraph \($0)</p>\n" }.joined().utf8)
        let nginx = try Nginx("gzip on; gzip_types *; gzip_min_length 1;", files: ["page": page])
        try await ClientHarness.with(limits: Self.limits) { harness in
            let api = try await harness.upstream(port: nginx.port)
            let request = OutboundRequest(target: "/page", fields: ["Accept-Encoding": "gzip, deflate, br"])
            let response = try await api.call(request).get()
            #expect(Array(response.body) == page)
            #expect(response.head.fields["Content-Encoding"] == nil)
            let streamed = try await StreamedCall.begin(api, request)
            #expect(try await streamed.end().status == 200)
            #expect(streamed.record.bytes == page)
            let coded = try await api.call(request, settings: CallSettings(decodesContent: false)).get()
            #expect(coded.head.fields["Content-Encoding"] == "gzip" && coded.body.count < page.count / 2)
            let plain = try await api.get("/page").get()
            #expect(Array(plain.body) == page)
        }
    }

    @Test("A range request returns the requested part of a file")
    func range() async throws {
        let nginx = try Nginx(files: ["a": Self.block])
        try await ClientHarness.with(limits: Self.limits) { harness in
            let api = try await harness.upstream(port: nginx.port)
            let request = OutboundRequest(target: "/a", fields: ["Range": "bytes=10-19"])
            let response = try await api.call(request).get()
            #expect(response.head.status == .partialContent)
            #expect(response.body == Self.block[10..<20])
        }
    }

    @Test("A slow upload may outlast the read limit while the upstream keeps reading")
    func slowUpload() async throws {
        let python = try PythonServer(
            """
            class Handler(http.server.BaseHTTPRequestHandler):
                protocol_version = "HTTP/1.1"
                def do_PUT(self):
                    left = int(self.headers["Content-Length"])
                    while left > 0:
                        left -= len(self.rfile.read(min(left, 1 << 20)))
                        time.sleep(0.02)
                    self.send_response(201)
                    self.send_header("Content-Length", "0")
                    self.end_headers()
            """)
        var limits = Self.limits
        limits.readTimeout = .milliseconds(300)
        try await ClientHarness.with(limits: limits) { harness in
            let body = ScriptedBody(Array(repeating: Self.block, count: 512), length: 32 << 20)
            let result = try await harness.upstream(port: python.port).call(Self.put("/", body))
            #expect(result.status == 201)
        }
    }
}
