import EventIO
import Foundation
import HTTPModel
import TestSupport
import Testing

@testable import HTTPOutbound

@Suite(
    "Calls to nginx over TLS", .timeLimit(.minutes(2)),
    .enabled(if: Nginx.isInstalled, "nginx is not installed: make setup"))
struct NginxTLSTests {
    @Test("Files arrive complete over reused connections")
    func files() async throws {
        let nginx = try Nginx.secure(files: [
            "a": Array("hello".utf8), "b": [UInt8](repeating: 7, count: 5_000_000),
        ])
        try await ClientHarness.with { harness in
            let api = try await harness.upstream(Wire.origin(nginx.port))
            for _ in 0..<5 {
                #expect(try await api.get("/a").text == "hello")
                #expect(try await api.get("/b").text?.utf8.count == 5_000_000)
            }
            let report = try await harness.report()
            #expect(report.opened == 1 && report.reused == 9, "\(report)")
        }
    }

    @Test(
        "Streamed uploads, paused downloads and refused bodies work over TLS"
    )
    func bodies() async throws {
        let nginx = try Nginx.secure(
            "client_max_body_size 20m; gzip on; gzip_types *; location / { dav_methods PUT; }")
        let block = (0..<65_536).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
        func put(_ body: ScriptedBody) -> OutboundRequest {
            OutboundRequest(method: .put, target: Array("/a".utf8)[...], body: .stream(body))
        }
        try await ClientHarness.with { harness in
            let api = try await harness.upstream(Wire.origin(nginx.port))
            for length in [16 << 20, nil] as [Int64?] {
                let body = ScriptedBody(Array(repeating: block, count: 256), length: length)
                #expect(try await [201, 204].contains(api.call(put(body)).status ?? 0))
                #expect(body.used.mostQueued < 256 << 10, "too many bytes were queued")
            }
            let fields: HTTPFields = ["Accept-Encoding": "gzip"]
            for request in [OutboundRequest(target: "/a"), OutboundRequest(target: "/a", fields: fields)] {
                let call = try await StreamedCall.begin(
                    api, request,
                    onPiece: { call in
                        call.pauseBody()
                        call.resumeSoon()
                    })
                #expect(try await call.end().status == 200)
                #expect(call.record.bytes.count == 16 << 20)
                #expect(
                    call.record.bytes[..<65_536] == block[...]
                        && call.record.bytes.suffix(65_536) == block[...])
            }
            #expect(try await harness.report().opened == 1)
            let large = ScriptedBody(Array(repeating: block, count: 1024), length: 64 << 20)
            #expect(try await api.call(put(large)).status == 413)
            #expect(large.used.requested < 1024)
        }
    }

    @Test("Calls succeed although nginx closes idle connections, even a POST")
    func keepaliveTimeout() async throws {
        let nginx = try Nginx.secure(
            "keepalive_timeout 100ms; location /post { return 200 $ssl_session_reused; }")
        try await ClientHarness.with { harness in
            let api = try await harness.upstream(Wire.origin(nginx.port))
            // nginx answers "r" if the connection resumed a session.
            #expect(try await api.post("/post").text == ".")
            try await harness.until { $0.idle == 0 }
            #expect(try await api.post("/post").text == "r")
        }
    }

    @Test(
        "nginx answers 400 without the client certificate it requires, and identifies the client by it"
    )
    func clientCertificate() async throws {
        let folder = ScratchFolder()
        try TestAuthority.shared.pem.write(
            toFile: folder.file("clients.pem"), atomically: true, encoding: .utf8)
        let nginx = try Nginx.secure(
            """
            ssl_client_certificate \(folder.file("clients.pem"));
            ssl_verify_client on;
            location / { return 200 $ssl_client_s_dn; }
            """)
        try await ClientHarness.with { harness in
            #expect(try await harness.upstream(Wire.origin(nginx.port)).get().status == 400)
            let identity = TestAuthority.shared.issue(nil, name: "The client")
            var configuration = Wire.configuration
            configuration.identity = .init(
                certificateChain: .text(identity.certificate), privateKey: .text(identity.key))
            let known = try await harness.upstream(Wire.origin(nginx.port, TLSContext(configuration)))
            #expect(try await known.get().text == "CN=The client")
        }
    }
}
