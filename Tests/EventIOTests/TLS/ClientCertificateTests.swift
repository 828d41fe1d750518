import Foundation
import TestSupport
import Testing

@testable import EventIO

@Suite("The certificates of clients", .timeLimit(.minutes(1)))
struct ClientCertificateTests {
    private static let identity = TestAuthority.shared.issue()

    private static func context(
        names: [String] = [], isRequired: Bool = true, authority: TestAuthority = .shared
    ) throws -> TLSServerContext {
        try TLSServerContext.serving(identity) {
            $0.clients = .init(authorities: .text(authority.pem), names: names, isRequired: isRequired)
        }
    }

    /// Returns the certificate that the server sees, or the reason why it refused the client.
    private func result(
        _ shown: TestIdentity?, _ context: TLSServerContext, is12: Bool = false
    ) async throws -> (certificate: TLSClientCertificate?, reason: String?) {
        try await withLoop { loop in
            try await withSecured(context, loop: loop) { driven, client in
                let options = TLSClient {
                    $0.identity = shown
                    $0.isOnly12 = is12
                }
                // By TLS 1.3 the client is done before the server has read its certificate.
                try? client.startTLS(options)
                guard case .failed(let error) = try await driven.next() else {
                    return (try await driven.on { $0.clientCertificate }, nil)
                }
                return (nil, error.tls.map { "\($0)" })
            }
        }
    }

    @Test("A client without a certificate is refused where one is required", arguments: [true, false])
    func none(is12: Bool) async throws {
        let refused = try await result(nil, Self.context(), is12: is12)
        #expect(refused.reason == "TLS protocol error: peer did not return a certificate")
        let accepted = try await result(nil, Self.context(isRequired: false), is12: is12)
        #expect(accepted.reason == nil && accepted.certificate == nil)
    }

    @Test("A certificate of another authority, or an expired one, is refused, even where none is required")
    func invalid() async throws {
        let stranger = TestAuthority.other.issue("DNS:partner.example.com", name: "Stranger")
        let expired = TestAuthority.shared.issue("DNS:partner.example.com", days: -9...(-1))
        for isRequired in [true, false] {
            let context = try Self.context(isRequired: isRequired)
            #expect(
                try await result(stranger, context).reason
                    == "TLS certificate error: unable to get local issuer certificate, subject /CN=Stranger")
            #expect(
                try await result(expired, context).reason?.hasPrefix(
                    "TLS certificate error: certificate has expired") == true)
        }
    }

    @Test("A certificate must have one of the names, if there are any")
    func names() async throws {
        let context = try Self.context(names: ["*.example.com", "spiffe://example.com/shop"])
        let partner = TestAuthority.shared.issue("DNS:a.b.example.com,DNS:partner.Example.com", name: "P")
        let shop = TestAuthority.shared.issue("URI:spiffe://example.com/shop")
        let other = TestAuthority.shared.issue("DNS:example.com,URI:spiffe://example.com/other", name: "O")
        let bare = TestAuthority.shared.issue(nil, name: "partner.example.com")
        #expect(try await result(partner, context).reason == nil)
        #expect(try await result(shop, context).reason == nil)
        #expect(
            try await result(other, context).reason
                == "TLS certificate error: no name in the client's certificate is allowed, subject /CN=O")
        #expect(try await result(bare, context).reason?.contains("is allowed") == true)
    }

    @Test("An accepted certificate is reported with its names, its hash and its end")
    func facts() async throws {
        let shown = TestAuthority.shared.issue(
            "DNS:partner.example.com,URI:spiffe://example.com/shop,IP:10.0.0.1", name: "Partner, Inc.",
            days: -1...5)
        let certificate = try #require(try await result(shown, Self.context()).certificate)
        #expect(certificate.subject == "CN = \"Partner, Inc.\"")
        #expect(certificate.dnsNames == ["partner.example.com"])
        #expect(certificate.uris == ["spiffe://example.com/shop"])
        #expect(certificate.sha256.count == 64)
        let days = Double(certificate.notAfter - Int(Date().timeIntervalSince1970)) / 86_400
        #expect(abs(days - 5) < 0.01)
    }

    @Test("DNS names are reported in lower case without a final dot, and a wildcard names nobody")
    func spelling() async throws {
        let shown = TestAuthority.shared.issue("DNS:*.example.com,DNS:Partner.EXAMPLE.com.,DNS:B.example")
        let certificate = try #require(try await result(shown, Self.context()).certificate)
        #expect(certificate.dnsNames == ["partner.example.com", "b.example"])
        let wildcard = TestAuthority.shared.issue("DNS:*.example.com")
        let refused = try await result(wildcard, Self.context(names: ["*.example.com"]))
        #expect(refused.reason?.contains("no name in the client's certificate is allowed") == true)
    }

    @Test("An intermediate may be the authority")
    func intermediate() async throws {
        let intermediate = TestAuthority(name: "Intermediate", issuer: .shared)
        let shown = intermediate.issue("DNS:partner.example.com")
        let context = try Self.context(authority: intermediate)
        #expect(try await result(shown, context).reason == nil)
        #expect(try await result(TestAuthority.shared.issue(), context).reason != nil)
    }

    /// Connects with a chain. Returns why the server refuses it, and the alert that the client gets.
    private func refusal(
        of shown: TestIdentity, _ chain: [String], is12: Bool
    ) async throws -> (reason: String?, alert: String) {
        let client = TLSClient {
            ($0.identity, $0.chain, $0.isOnly12) = (shown, chain, is12)
        }
        return try await withLoop { loop in
            try await withSecured(Self.context(), loop: loop) { driven, raw in
                try? raw.startTLS(client)
                guard case .failed(let error) = try await driven.next() else { return (nil, "") }
                // By TLS 1.2 the alert has ended the handshake.
                if raw.tls?.failure == "" { _ = raw.readToEnd() }
                return (error.tls.map { "\($0)" }, raw.tls?.failure ?? "")
            }
        }
    }

    @Test("A chain of six intermediates is refused, and one of five is accepted", arguments: [true, false])
    func depth(is12: Bool) async throws {
        var issuers = [TestAuthority.shared]
        for number in 1...6 {
            issuers.append(TestAuthority(name: "Intermediate \(number)", issuer: issuers[number - 1]))
        }
        func refusal(with count: Int) async throws -> (reason: String?, alert: String) {
            try await self.refusal(
                of: issuers[count].issue("DNS:partner.example.com"),
                issuers[1...count].reversed().map(\.pem), is12: is12)
        }
        let refused = try await refusal(with: 6)
        #expect(refused.reason?.hasPrefix("TLS certificate error: certificate chain too long") == true)
        #expect(refused.alert == "tlsv1 alert unknown ca")
        #expect(try await refusal(with: 5).reason == nil)
    }

    /// Issues a certificate of this many bytes.
    private func identity(byteCount: Int) -> TestIdentity {
        var padding = byteCount - 700
        while true {
            let name = "DNS:partner.example.com,URI:spiffe://" + String(repeating: "x", count: padding)
            let made = TestAuthority.shared.issue(name)
            let base64 = made.certificate.split(separator: "\n").filter { !$0.hasPrefix("-") }.joined()
            let count = Data(base64Encoded: base64)?.count ?? 0
            if count == byteCount { return made }
            // A signature has 70 to 72 bytes.
            padding += byteCount - count
        }
    }

    @Test(
        "A chain of more than 32 KiB is refused, and one of 32 KiB is accepted", arguments: [true, false])
    func chainSize(is12: Bool) async throws {
        // The lengths, a context and extensions (RFC 8446, section 4.4.2; RFC 5246, section 7.4.2).
        let framing = is12 ? 6 : 9
        let refused = try await refusal(
            of: identity(byteCount: 32_769 - framing), [], is12: is12)
        #expect(refused.reason == "TLS protocol error: excessive message size")
        #expect(refused.alert == "sslv3 alert illegal parameter")
        #expect(try await refusal(of: identity(byteCount: 32_768 - framing), [], is12: is12).reason == nil)
    }
}
