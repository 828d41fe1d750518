import EventIO
import HTTPModel
import TestSupport
import Testing

@testable import HTTPOutbound

@Suite(
    "Calls to openssl s_server", .timeLimit(.minutes(2)),
    .enabled(if: OpenSSLServer.isInstalled, "openssl is not installed: make setup"))
struct OpenSSLTests {
    private func with(
        _ server: OpenSSLServer, _ change: (inout TLSConfiguration) -> Void = { _ in },
        _ body: (OriginClient) async throws -> Void
    ) async throws {
        var configuration = Wire.configuration
        change(&configuration)
        let origin = try Wire.origin(server.port, TLSContext(configuration))
        try await ClientHarness.with { try await body($0.upstream(origin)) }
    }

    @Test("A page that ends with close_notify is complete")
    func page() async throws {
        try await with(OpenSSLServer()) { api in
            let result = try await api.get()
            #expect(result.status == 200, "\(result)")
            #expect(result.text?.contains("New, TLSv1.3") == true)
        }
    }

    @Test(
        "The second connection resumes the TLS session",
        arguments: ["-tls1_2", "-tls1_3"])
    func resumption(version: String) async throws {
        try await with(OpenSSLServer(TestAuthority.shared.issue(), version)) { api in
            #expect(try await api.get().text?.contains("New, TLSv1.") == true)
            let second = try await api.get()
            #expect(second.text?.contains("Reused, TLSv1.") == true, "\(second)")
        }
    }

    @Test("A server that speaks only TLS 1.1 fails the call")
    func oldVersion() async throws {
        try await with(
            OpenSSLServer(TestAuthority.shared.issue(), "-tls1_1", "-cipher", "DEFAULT:@SECLEVEL=0")
        ) { api in
            let reason = try await api.get().reason
            #expect(reason == "tls_alert_received" || reason == "tls_protocol_error", "\(reason ?? "none")")
        }
    }

    @Test("A server that shares no cipher with the client fails the call with its alert")
    func ciphers() async throws {
        try await with(
            OpenSSLServer(TestAuthority.shared.issue(), "-tls1_2", "-cipher", "ECDHE-RSA-AES128-GCM-SHA256")
        ) { api in
            let result = try await api.get()
            #expect(result.reason == "tls_alert_received", "\(result)")
            #expect(result.failure?.detail.hasSuffix("handshake_failure") == true)
        }
    }

    @Test("A server with a single TLS 1.2 cipher is accepted")
    func oneCipher() async throws {
        try await with(
            OpenSSLServer(TestAuthority.shared.issue(), "-tls1_2", "-cipher", "ECDHE-ECDSA-CHACHA20-POLY1305")
        ) { api in
            let result = try await api.get()
            #expect(result.text?.contains("ECDHE-ECDSA-CHACHA20-POLY1305") == true)
        }
    }

    @Test(
        "A server that requires a client certificate accepts only one from its own authority",
        arguments: ["-tls1_2", "-tls1_3"])
    func clientCertificate(version: String) async throws {
        let server = try await OpenSSLServer(
            TestAuthority.shared.issue(), version, "-Verify", "1", "-verify_return_error",
            clientAuthority: .shared)
        try await with(server) { api in
            let result = try await api.get()
            #expect(result.reason == "tls_alert_received", "\(result)")
        }
        for (authority, isAccepted) in [(TestAuthority.shared, true), (.other, false)] {
            let identity = authority.issue(nil, name: "The client", password: "secret")
            try await with(server) { configuration in
                configuration.identity = .init(
                    certificateChain: .text(identity.certificate), privateKey: .text(identity.key),
                    password: "secret")
            } _: { api in
                let result = try await api.get()
                if isAccepted {
                    #expect(result.text?.contains("The client") == true, "\(result)")
                } else {
                    #expect(result.reason == "tls_alert_received", "\(result)")
                    #expect(result.failure?.detail.hasSuffix("unknown_ca") == true)
                }
            }
        }
    }

    @Test(
        "An invalid certificate is refused",
        arguments: [
            ("expired", "certificate has expired"),
            ("other name", "IP address mismatch: the certificate is not for 127.0.0.1"),
            ("self-signed", "self-signed certificate"),
            ("untrusted", "unable to get local issuer certificate"),
        ])
    func certificates(fault: String, reason: String) async throws {
        let identity =
            switch fault {
            case "expired": TestAuthority.shared.issue(days: -20 ... -10)
            case "other name": TestAuthority.shared.issue("DNS:other.example")
            case "self-signed": TestAuthority.shared.issue(isSelfSigned: true)
            default: TestAuthority.other.issue()
            }
        try await with(OpenSSLServer(identity)) { api in
            let result = try await api.get()
            #expect(result.reason == "tls_certificate_error")
            #expect(result.failure?.detail.contains("\(reason), subject /") == true, "\(result)")
        }
    }

    @Test(
        "A server that accepts only h2 by ALPN fails the call, and one that accepts HTTP/1.1 serves it",
        arguments: ["h2", "http/1.1"])
    func applicationProtocols(name: String) async throws {
        try await with(OpenSSLServer(TestAuthority.shared.issue(), "-alpn", name)) { api in
            let result = try await api.get()
            if name == "h2" {
                #expect(result.reason == "tls_alert_received", "\(result)")
                #expect(result.failure?.detail.hasSuffix("no_application_protocol") == true)
            } else {
                #expect(result.status == 200, "\(result)")
            }
        }
    }
}
