import COpenSSL
import EventIO
import TestSupport
import Testing

@Suite("TLS verification", .timeLimit(.minutes(1)))
struct TLSVerificationTests {
    /// Returns the error of a handshake with such a server; nil if it succeeds.
    private func failure(
        _ identity: TestIdentity, chain: [String] = [], host: String = "localhost",
        _ configuration: TLSConfiguration = .trusting()
    ) async throws -> TLSError? {
        var options = TLSServer.Options()
        options.identity = identity
        options.chain = chain
        var found: TLSError?
        try await withServer(options, .awaitEnd) { server, loop in
            let driven = try await StreamDriver.securing(
                server, by: TLSContext(configuration), host: host, loop: loop)
            switch try await driven.next() {
            case .connected: try await driven.on { $0.close() }
            case .failed(let error):
                found = error.tls
                #expect(error.description.hasPrefix("handshake 127.0.0.1:\(server.port): TLS "), "\(error)")
            case let other: Issue.record("\(String(describing: other))")
            }
        }
        return found
    }

    private func fault(
        _ identity: TestIdentity, host: String = "localhost", _ configuration: TLSConfiguration = .trusting()
    ) async throws -> Int32? {
        let error = try await failure(identity, host: host, configuration)
        if let error { #expect(error.kind == .certificateError) }
        return error.map { Int32($0.code) }
    }

    private static let unknownAuthority = X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY

    @Test("An expired certificate is rejected")
    func expired() async throws {
        let identity = TestAuthority.shared.issue(days: -20 ... -10)
        #expect(try await fault(identity) == X509_V_ERR_CERT_HAS_EXPIRED)
        #expect(try await failure(identity)?.reason == "certificate has expired")
    }

    @Test("A certificate that is not valid yet is rejected")
    func notYetValid() async throws {
        #expect(try await fault(TestAuthority.shared.issue(days: 10...20)) == X509_V_ERR_CERT_NOT_YET_VALID)
    }

    @Test("A self-signed certificate is rejected")
    func selfSigned() async throws {
        #expect(
            try await fault(TestAuthority.shared.issue(isSelfSigned: true))
                == X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT)
    }

    @Test("A certificate of an untrusted authority is rejected")
    func unknownAuthority() async throws {
        #expect(try await fault(TestAuthority.other.issue()) == Self.unknownAuthority)
        #expect(try await fault(TestAuthority.shared.issue(), TLSConfiguration()) == Self.unknownAuthority)
    }

    @Test(
        "A certificate for another name or address is rejected",
        arguments: [
            ("DNS:other.example", "localhost"), ("DNS:localhost", "127.0.0.1"), ("IP:127.0.0.2", "127.0.0.1"),
            ("DNS:127.0.0.1", "127.0.0.1"), ("DNS:*.example.com", "example.com"),
            ("DNS:*.example.com", "a.b.example.com"), ("DNS:w*.example.com", "www.example.com"),
            ("IP:0:0:0:0:0:0:0:2", "::1"),
        ])
    func nameMismatch(names: String, host: String) async throws {
        let isAddress = host.first?.isNumber == true || host.contains(":")
        #expect(
            try await fault(TestAuthority.shared.issue(names), host: host)
                == (isAddress ? X509_V_ERR_IP_ADDRESS_MISMATCH : X509_V_ERR_HOSTNAME_MISMATCH))
    }

    @Test("The common name is ignored")
    func commonName() async throws {
        #expect(
            try await fault(TestAuthority.shared.issue(nil, name: "localhost"), host: "localhost")
                == X509_V_ERR_HOSTNAME_MISMATCH)
    }

    @Test(
        "A matching name or address is accepted, in any spelling",
        arguments: [
            ("DNS:localhost", "localhost"), ("DNS:localhost", "LOCALHOST"), ("DNS:localhost", "localhost."),
            ("DNS:*.example.com", "www.example.com"), ("IP:127.0.0.1", "127.0.0.1"),
            ("IP:0:0:0:0:0:0:0:1", "::1"), ("IP:0:0:0:0:0:0:0:1", "[::1]"),
        ])
    func accepted(names: String, host: String) async throws {
        #expect(try await failure(TestAuthority.shared.issue(names), host: host) == nil)
    }

    @Test("A chain is verified up to a trusted authority, and fails without its intermediates")
    func chain() async throws {
        let between = TestAuthority(name: "Between", issuer: .shared)
        #expect(try await failure(between.issue(), chain: [between.pem]) == nil)
        #expect(try await failure(between.issue())?.code == Int(Self.unknownAuthority))
        // A trusted authority need not be a root.
        #expect(try await failure(between.issue(), .trusting(between)) == nil)
    }

    @Test("The configuration's server name takes precedence over the host")
    func serverName() async throws {
        var configuration = TLSConfiguration.trusting()
        configuration.serverName = "api.example"
        #expect(try await failure(TestAuthority.shared.issue("DNS:api.example"), configuration) == nil)
        #expect(
            try await fault(TestAuthority.shared.issue("DNS:localhost"), configuration)
                == X509_V_ERR_HOSTNAME_MISMATCH)
    }

    @Test("Without verification any certificate is accepted")
    func insecure() async throws {
        var configuration = TLSConfiguration()
        configuration.verification = .insecureNone
        let identity = TestAuthority.other.issue("DNS:other.example", days: -20 ... -10)
        #expect(try await failure(identity, configuration) == nil)
    }

    @Test("A pin must match a key of the verified chain: the server's or its authority's")
    func pins() async throws {
        let identity = TestAuthority.shared.issue()
        var configuration = TLSConfiguration.trusting()
        configuration.pins = [TestAuthority.other.identity.pin]
        #expect(try await fault(identity, configuration) == X509_V_ERR_APPLICATION_VERIFICATION)
        #expect(
            try await failure(identity, configuration)?.reason
                == "no key in the server's chain is pinned")
        configuration.pins.insert("sha256//" + identity.pin)
        #expect(try await failure(identity, configuration) == nil)
        configuration.pins = [TestAuthority.shared.identity.pin]
        #expect(try await failure(identity, configuration) == nil)
    }

    @Test("A pin does not replace verification, and without verification only the server's own key counts")
    func pinsWithoutVerification() async throws {
        let identity = TestAuthority.other.issue()
        var configuration = TLSConfiguration.trusting()
        configuration.pins = [identity.pin]
        #expect(try await fault(identity, configuration) == Self.unknownAuthority)
        configuration.verification = .insecureNone
        #expect(try await failure(identity, configuration) == nil)
        // Anyone can append an authority's certificate to their own.
        configuration.pins = [TestAuthority.other.identity.pin]
        #expect(
            try await failure(identity, chain: [TestAuthority.other.pem], configuration)?.code
                == Int(X509_V_ERR_APPLICATION_VERIFICATION))
    }

    @Test("SNI carries a name, but never an address", arguments: ["localhost", "127.0.0.1"])
    func serverNameIndication(host: String) async throws {
        try await withServer(TLSServer.Options(), .awaitEnd) { server, loop in
            let driven = try await StreamDriver.securing(server, host: host, loop: loop)
            #expect(try await driven.next() == .connected)
            try await driven.on { $0.close() }
            try await server.clientEnded.wait()
            #expect(server.handshakes.map(\.serverName) == [host == "localhost" ? "localhost" : nil])
        }
    }

    @Test(
        "A server that requires a client certificate receives it, and sends an alert to a client without a certificate"
    )
    func clientCertificate() async throws {
        var options = TLSServer.Options()
        options.clientAuthority = .shared
        try await withServer(options, .send("welcome"), .awaitEnd) { server, loop in
            let nameless = try await StreamDriver.securing(server, loop: loop)
            // In TLS 1.3 the alert arrives after the client's handshake is done (RFC 8446, section 4.4.2.4).
            #expect(try await nameless.next() == .connected)
            let error = try await nameless.failure()
            #expect(error?.tls?.kind == .alertReceived)
            #expect(error?.tls?.reason == "certificate_required")
            #expect(error?.tls?.code == 116)

            let identity = TestAuthority.shared.issue(nil, name: "The client")
            var configuration = TLSConfiguration.trusting()
            configuration.identity = .init(
                certificateChain: .text(identity.certificate), privateKey: .text(identity.key))
            let known = try await StreamDriver.securing(server, by: TLSContext(configuration), loop: loop)
            #expect(try await known.next() == .connected)
            #expect(try await known.bytes(7) == utf8("welcome"))
            #expect(server.handshakes.map(\.clientName) == ["/CN=The client"])
            try await known.on { $0.close() }
        }
    }
}
