import COpenSSL
import TestSupport
import Testing

@testable import EventIO

@Suite("The certificate that a client gets", .timeLimit(.minutes(1)))
struct ServerNameTests {
    private static let first = TestAuthority.shared.issue("DNS:first.example.com", name: "first")
    private static let firstRSA = TestAuthority.shared.issue(
        "DNS:first.example.com", name: "first RSA", key: .rsa(bits: 2048))
    private static let exact = TestAuthority.shared.issue("DNS:a.example.com", name: "exact")
    private static let wild = TestAuthority.shared.issue("DNS:*.example.com", name: "wild")
    private static let edwards = TestAuthority.shared.issue(
        "DNS:ed.example.com", name: "Ed25519", key: .ed25519)
    private static let edwardsRSA = TestAuthority.shared.issue(
        "DNS:ed.example.com", name: "Ed25519's RSA", key: .rsa(bits: 2048))

    /// The name in the subject of the certificate that the client gets.
    private func subject(_ context: TLSServerContext, _ options: TLSClient.Options) async throws -> String {
        try await withLoop { loop in
            try await withSecured(context, loop: loop) { _, client in
                try client.startTLS(TLSClient(options))
                let der = try #require(client.tls?.certificate)
                var start: UnsafePointer<UInt8>?
                return try der.withUnsafeBufferPointer { bytes in
                    start = bytes.baseAddress
                    let certificate = try #require(d2i_X509(nil, &start, bytes.count))
                    defer { X509_free(certificate) }
                    return CertificateFacts.subject(of: certificate)
                }
            }
        }
    }

    @Test(
        "An exact name comes before a wildcard label; none or an unknown name gets the first",
        arguments: [
            (nil, "first"), ("unknown.test", "first"), ("first.example.com", "first"),
            ("A.Example.COM", "exact"), ("a.example.com.", "exact"), ("b.example.com", "wild"),
            ("x.a.example.com", "first"), ("example.com", "first"), (".example.com", "first"),
        ] as [(String?, String)])
    func names(name: String?, expected: String) async throws {
        let context = try TLSServerContext.serving(Self.first, Self.exact, Self.wild)
        var options = TLSClient.Options()
        options.serverName = name
        #expect(try await subject(context, options) == "CN = \(expected)")
    }

    @Test("For one name the client's algorithms choose the type of key")
    func keys() async throws {
        let context = try TLSServerContext.serving(
            Self.first, Self.firstRSA, Self.edwards, Self.edwardsRSA)
        var options = TLSClient.Options()
        for is12 in [false, true] {
            options.isOnly12 = is12
            options.serverName = "first.example.com"
            options.signatures = "ECDSA+SHA256:RSA-PSS+SHA256"
            #expect(try await subject(context, options) == "CN = first")
            options.signatures = "RSA-PSS+SHA256"
            #expect(try await subject(context, options) == "CN = first RSA")
            options.serverName = nil
            #expect(try await subject(context, options) == "CN = first RSA")
            options.serverName = "ed.example.com"
            options.signatures = "ed25519:ECDSA+SHA256:RSA-PSS+SHA256"
            #expect(try await subject(context, options) == "CN = Ed25519")
            options.signatures = "ECDSA+SHA256:RSA-PSS+SHA256"
            #expect(try await subject(context, options) == "CN = Ed25519's RSA")
        }
    }

    @Test("The issuers behind a leaf are sent, so that a client that knows the root can verify it")
    func chain() async throws {
        let intermediate = TestAuthority(name: "Intermediate", issuer: .shared)
        let leaf = intermediate.issue("DNS:localhost")
        for chain in [[intermediate.pem], []] {
            var configuration = TLSServerConfiguration(certificates: [.init(Self.first)])
            configuration.certificates.append(.init(leaf, chain: chain))
            let context = try TLSServerContext(configuration)
            try await withLoop { loop in
                let listener = try Listener(bind: .loopback())
                try await loop.perform {
                    listener.start(loop: loop) { stream in
                        stream.start(handler: Recorder())
                        stream.acceptTLS(context)
                    }
                }
                let client = try TLSContext(.trusting())
                let port = listener.address.port ?? 0
                let driven = try await StreamDriver.connecting(loop: loop) { handler in
                    let stream = SocketStream.connect(
                        to: .loopback(port: port), loop: loop, timeout: patience, handler: handler)
                    stream.startTLS(client, host: "localhost", deadline: loop.now + patience)
                    return stream
                }
                let event = try await driven.next()
                if chain.isEmpty {
                    guard case .failed(let error) = event else {
                        Issue.record("\(event)")
                        return
                    }
                    #expect(error.tls?.kind == .certificateError)
                } else {
                    #expect(event == .connected)
                }
                try await driven.on { $0.close() }
                try await loop.perform { listener.close() }
            }
        }
    }
}
