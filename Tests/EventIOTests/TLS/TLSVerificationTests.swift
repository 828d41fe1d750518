import COpenSSL
import EventIO
import TestSupport
import Testing

@Suite("Whom TLS takes for the server", .timeLimit(.minutes(1)))
struct TLSVerificationTests {
    /// Why the handshake with such a server fails; nil where it does not.
    private func failure(
        _ identity: TestIdentity, chain: [String] = [], host: String = "localhost",
        _ configuration: TLSConfiguration = .trusting()
    ) async throws -> TLSError? {
        var options = TLSServer.Options()
        options.identity = identity
        options.chain = chain
        var found: TLSError?
        try await withServer(options, .awaitEnd) { server, loop in
            let driven = try await Driven.securing(
                server, by: TLSContext(configuration), host: host, loop: loop)
            switch await driven.next() {
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

    @Test("An expired certificate")
    func expired() async throws {
        let identity = TestAuthority.shared.issue(days: -20 ... -10)
        #expect(try await fault(identity) == X509_V_ERR_CERT_HAS_EXPIRED)
        #expect(try await failure(identity)?.reason == "certificate has expired")
    }

    @Test("One that is not valid yet")
    func notYetValid() async throws {
        #expect(try await fault(TestAuthority.shared.issue(days: 10...20)) == X509_V_ERR_CERT_NOT_YET_VALID)
    }

    @Test("A self-signed one")
    func selfSigned() async throws {
        #expect(
            try await fault(TestAuthority.shared.issue(isSelfSigned: true))
                == X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT)
    }

    @Test("One of an authority that is not trusted")
    func unknownAuthority() async throws {
        #expect(try await fault(TestAuthority.other.issue()) == Self.unknownAuthority)
        #expect(try await fault(TestAuthority.shared.issue(), TLSConfiguration()) == Self.unknownAuthority)
    }

    @Test(
        "One for another name or address",
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

    @Test("A common name is not a server name")
    func commonName() async throws {
        #expect(
            try await fault(TestAuthority.shared.issue(nil, name: "localhost"), host: "localhost")
                == X509_V_ERR_HOSTNAME_MISMATCH)
    }

    @Test(
        "A name or address in the certificate is accepted, however it is written",
        arguments: [
            ("DNS:localhost", "localhost"), ("DNS:localhost", "LOCALHOST"), ("DNS:localhost", "localhost."),
            ("DNS:*.example.com", "www.example.com"), ("IP:127.0.0.1", "127.0.0.1"),
            ("IP:0:0:0:0:0:0:0:1", "::1"), ("IP:0:0:0:0:0:0:0:1", "[::1]"),
        ])
    func accepted(names: String, host: String) async throws {
        #expect(try await failure(TestAuthority.shared.issue(names), host: host) == nil)
    }

    @Test("A chain is followed to the authority that is trusted, and fails without its links")
    func chain() async throws {
        let between = TestAuthority(name: "Between", issuer: .shared)
        #expect(try await failure(between.issue(), chain: [between.pem]) == nil)
        #expect(try await failure(between.issue())?.code == Int(Self.unknownAuthority))
        // An authority that is trusted need be no root.
        #expect(try await failure(between.issue(), .trusting(between)) == nil)
    }

    @Test("The name of the configuration goes before the host's")
    func serverName() async throws {
        var configuration = TLSConfiguration.trusting()
        configuration.serverName = "api.example"
        #expect(try await failure(TestAuthority.shared.issue("DNS:api.example"), configuration) == nil)
        #expect(
            try await fault(TestAuthority.shared.issue("DNS:localhost"), configuration)
                == X509_V_ERR_HOSTNAME_MISMATCH)
    }

    @Test("Without verification anything is accepted")
    func insecure() async throws {
        var configuration = TLSConfiguration()
        configuration.verification = .insecureNone
        let identity = TestAuthority.other.issue("DNS:other.example", days: -20 ... -10)
        #expect(try await failure(identity, configuration) == nil)
    }

    @Test("One of the pins has to be a key of the verified chain: the server's, or its authority's")
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

    @Test("A pin does not stand in for verification, and is asked of the server itself where there is none")
    func pinsWithoutVerification() async throws {
        let identity = TestAuthority.other.issue()
        var configuration = TLSConfiguration.trusting()
        configuration.pins = [identity.pin]
        #expect(try await fault(identity, configuration) == Self.unknownAuthority)
        configuration.verification = .insecureNone
        #expect(try await failure(identity, configuration) == nil)
        // Anybody can put an authority's certificate behind his own.
        configuration.pins = [TestAuthority.other.identity.pin]
        #expect(
            try await failure(identity, chain: [TestAuthority.other.pem], configuration)?.code
                == Int(X509_V_ERR_APPLICATION_VERIFICATION))
    }

    @Test("A name is said to the server (SNI), an address never", arguments: ["localhost", "127.0.0.1"])
    func serverNameIndication(host: String) async throws {
        try await withServer(TLSServer.Options(), .awaitEnd) { server, loop in
            let driven = try await Driven.securing(server, host: host, loop: loop)
            #expect(await driven.next() == .connected)
            try await driven.on { $0.close() }
            await server.clientEnded.wait()
            #expect(server.handshakes.map(\.serverName) == [host == "localhost" ? "localhost" : nil])
        }
    }

    @Test("A server that wants to know who calls is shown the certificate, and breaks off without one")
    func clientCertificate() async throws {
        var options = TLSServer.Options()
        options.clientAuthority = .shared
        try await withServer(options, .send("welcome"), .awaitEnd) { server, loop in
            let nameless = try await Driven.securing(server, loop: loop)
            // TLS 1.3 tells it after the client's handshake is over (RFC 8446 4.4.2.4).
            #expect(await nameless.next() == .connected)
            let error = await nameless.failure()
            #expect(error?.tls?.kind == .alertReceived)
            #expect(error?.tls?.reason == "certificate_required")
            #expect(error?.tls?.code == 116)

            let identity = TestAuthority.shared.issue(nil, name: "The client")
            var configuration = TLSConfiguration.trusting()
            configuration.identity = .init(
                certificateChain: .text(identity.certificate), privateKey: .text(identity.key))
            let known = try await Driven.securing(server, by: TLSContext(configuration), loop: loop)
            #expect(await known.next() == .connected)
            #expect(await known.bytes(7) == utf8("welcome"))
            #expect(server.handshakes.map(\.clientName) == ["/CN=The client"])
            try await known.on { $0.close() }
        }
    }
}
