import EventIO
import Foundation
import HTTPModel
import Networking
import NetworkingSession
import TestSupport
import Testing

@Suite(
    "Calls of a provider to nginx over TLS", .timeLimit(.minutes(2)),
    .enabled(if: Nginx.isInstalled, "nginx is not installed: make setup"))
struct NginxTests {
    private static let hello: [String: [UInt8]] = ["hello": Array("hello".utf8)]

    @Test("nginx is trusted with its authority's file but not with the system's roots")
    func authority() async throws {
        let nginx = try Nginx.secure(files: Self.hello)
        defer { nginx.stop() }
        try await PeerSession.with(nginx.secureURL, { $0.tls.trust = .system }) { peer async throws in
            let error = try #require(try await peer.failure("/hello"))
            #expect(error.reason == .tlsCertificateError)
            #expect(error.attempts == 1)
            #expect(
                error.underlyingErrors.contains {
                    "\($0)".contains("unable to get local issuer certificate")
                },
                "\(error.underlyingErrors)")
        }
        let file = nginx.folder.file("authority.pem")
        try TestAuthority.shared.pem.write(toFile: file, atomically: true, encoding: .utf8)
        try await PeerSession.with(nginx.secureURL, { $0.tls.trust = .authorities(.file(file)) }) {
            peer async throws in
            #expect(try await peer.text("/hello") == "hello")
            #expect(try await peer.get("/missing").statusCode == 404)
        }
    }

    @Test(
        "A key without a matching pin is refused even if its authority is trusted; one matching pin is enough"
    )
    func pins() async throws {
        let identity = TestAuthority.shared.issue()
        let nginx = try Nginx.secure(identity: identity, files: Self.hello)
        defer { nginx.stop() }
        let other = TestAuthority.shared.issue().pin
        try await PeerSession.with(nginx.secureURL, { $0.tls.pins = [other] }) { peer async throws in
            #expect(try await peer.failure("/hello")?.reason == .tlsCertificateError)
        }
        #expect(nginx.accessLog.isEmpty)
        try await PeerSession.with(nginx.secureURL, { $0.tls.pins = [other, "sha256//" + identity.pin] }) {
            peer async throws in
            #expect(try await peer.text("/hello") == "hello")
        }
    }

    @Test("A client certificate is sent only to the upstream it is configured for")
    func clientCertificate() async throws {
        let folder = ScratchFolder()
        try TestAuthority.shared.pem.write(
            toFile: folder.file("clients.pem"), atomically: true, encoding: .utf8)
        let nginx = try Nginx.secure(
            """
            ssl_client_certificate \(folder.file("clients.pem"));
            ssl_verify_client optional;
            location / { return 200 '$ssl_client_verify $ssl_client_s_dn'; }
            """, in: folder)
        defer { nginx.stop() }
        let identity = TestAuthority.shared.issue(nil, name: "The client")
        let stranger = TestAuthority.other.issue(nil, name: "A stranger")
        func shown(_ identity: TestIdentity, to host: String) async throws -> Response {
            try await PeerSession.calling(nginx.secureURL) { connections in
                var tls = connections.tls
                tls.identity = .init(
                    certificateChain: .text(identity.certificate), privateKey: .text(identity.key))
                connections.tlsByHost[host] = tls
            } _: { peer async throws in
                try await peer.get()
            }
        }
        #expect(try await shown(stranger, to: "127.0.0.1").statusCode == 400)
        #expect(try await shown(identity, to: "elsewhere.test").text == "NONE ")
        #expect(try await shown(identity, to: "127.0.0.1").text == "SUCCESS CN=The client")
    }

    @Test("A server that speaks only TLS 1.2 is accepted unless the minimum version is 1.3")
    func onlyTLS12() async throws {
        let nginx = try Nginx.secure("ssl_protocols TLSv1.2; location / { return 200 $ssl_protocol; }")
        defer { nginx.stop() }
        try await PeerSession.with(nginx.secureURL, { $0.tls.minimumVersion = .tls13 }) { peer async throws in
            #expect(try await peer.failure()?.reason == .tlsAlertReceived)
        }
        try await PeerSession.with(nginx.secureURL) { peer async throws in
            #expect(try await peer.text() == "TLSv1.2")
        }
    }

    @Test(
        "TLS sessions are resumed, but never across different TLS configurations",
        arguments: ["TLSv1.2", "TLSv1.3"])
    func resumption(version: String) async throws {
        let folder = ScratchFolder()
        let log = folder.file("sessions.log")
        let identity = TestAuthority.shared.issue()
        let nginx = try Nginx.secure(
            """
            ssl_protocols \(version);
            access_log \(log) sessions;
            keepalive_requests 1;
            """, identity: identity, http: "log_format sessions '$request_uri $ssl_session_reused';",
            files: Self.hello,
            in: folder)
        defer { nginx.stop() }
        func logged() -> [String] {
            ((try? String(contentsOfFile: log, encoding: .utf8)) ?? "").split(separator: "\n").map(
                String.init)
        }
        // With pins of its own, this test's sessions are not evicted by other tests' connections.
        let first: Set<String> = [identity.pin]
        for (pins, name) in [(first, "first"), (first.union([TestAuthority.shared.identity.pin]), "second")] {
            try await PeerSession.with(nginx.secureURL, { $0.tls.pins = pins }) { peer async throws in
                for _ in 0..<3 { _ = try await peer.get("/\(name)") }
            }
        }
        try spin(while: logged().count < 6) { "logged \(logged())" }
        #expect(logged() == ["/first .", "/first r", "/first r", "/second .", "/second r", "/second r"])
    }

    @Test("Calls succeed although nginx closes each connection after keepalive_requests, even a POST")
    func keepaliveRequests() async throws {
        let nginx = try Nginx.secure(
            "keepalive_requests 3; location /post { return 200 posted; }", files: Self.hello)
        defer { nginx.stop() }
        try await PeerSession.with(nginx.secureURL) { peer async throws in
            for _ in 0..<5 {
                #expect(try await peer.text("/hello") == "hello")
                #expect(try await peer.provider.request(peer.target("/post", .post)).text == "posted")
            }
            let report = peer.session.report
            #expect(report.opened == 4 && report.reused == 6, "\(report)")
        }
    }

    @Test("A gzip body over TLS is decoded, and an invalid gzip body is a failure")
    func gzip() async throws {
        try await coded("gzip", "gzip on; gzip_types *; gzip_min_length 1;", main: "")
    }

    @Test(
        "A br body over TLS is decoded, and an invalid br body is a failure",
        .enabled(if: Nginx.brotliModule != nil, "nginx's module for br is not installed: make setup"))
    func brotli() async throws {
        let module = try #require(Nginx.brotliModule)
        try await coded(
            "br", "brotli on; brotli_types *; brotli_min_length 1;", main: "load_module \(module);")
    }

    private func coded(_ coding: String, _ http: String, main: String) async throws {
        let text = #"{"list":["# + Array(repeating: #""value""#, count: 5000).joined(separator: ",") + "]}"
        let nginx = try Nginx.secure(
            "location = /lie { gzip off; add_header Content-Encoding \(coding); return 200 'no such thing'; }",
            http: http, main: main, files: ["list": Array(text.utf8)])
        defer { nginx.stop() }
        try await PeerSession.with(nginx.secureURL) { peer async throws in
            #expect(try await peer.failure("/lie")?.reason == .responseContentCoding)
            let response = try await peer.get("/list")
            #expect(response.text == text)
            #expect(response.fields[.contentEncoding] == nil)
        }
        // Each log line has the status, the request and the bytes sent.
        try spin(while: !nginx.accessLog.contains("200 GET /list HTTP/1.1 ")) {
            "access log: \(nginx.accessLog)"
        }
        let line = try #require(nginx.accessLog.split(separator: "\n").first { $0.contains("/list") })
        #expect(try #require(Int(line.split(separator: " ").last ?? "")) < text.utf8.count / 10, "\(line)")
    }

    @Test(
        "A body throttled by limit_rate fails at a short time limit and arrives complete within a longer one")
    func slow() async throws {
        let nginx = try Nginx.secure(
            "limit_rate 400k;", files: ["large": [UInt8](repeating: 0x61, count: 600_000)])
        defer { nginx.stop() }
        try await PeerSession.with(nginx.secureURL) { peer async throws in
            var target = peer.target("/large")
            target.timeout = .milliseconds(200)
            let error = await #expect(throws: NetworkError.self) { try await peer.provider.request(target) }
            #expect(error?.reason == .responseTimeout)
            #expect(try await peer.get("/large").data.count == 600_000)
        }
    }
}
