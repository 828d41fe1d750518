import EventIO
import GatewayCore
import HTTPModel
import HTTPOutbound
import JSONBytes
import TestSupport
import Testing

@testable import GatewayHTTP

/// Certificates of clients, from the handshake to the handler and the log.
@Suite("A gateway that asks clients for certificates", .timeLimit(.minutes(1)))
struct ClientCertificateTests {
    private static let partner = TestAuthority.shared.issue(
        "DNS:shop.partner.example,URI:spiffe://partner.example/shop", name: "Shop")
    private static let stranger = TestAuthority.other.issue("DNS:shop.partner.example")

    private static func serve(
        names: [String] = [], isRequired: Bool = true, _ body: (GatewayServer) throws -> Void
    ) throws -> [String] {
        let folder = try CertificateFolder()
        return try folder.serve(
            configure: {
                $0.tls?.clients = .init(
                    authorities: .text(TestAuthority.shared.pem), names: names, isRequired: isRequired)
            },
            declare: { gateway in
                gateway.auth(
                    "partners", .clientCertificate(names: ["*.partner.example"]))
                gateway.get("/open") { request in .json(request.clientCertificate?.dnsNames ?? []) }
                gateway.get("/partners", .require("partners")) { request in
                    .json(try request.claim("sub", as: String.self))
                }
            }, body)
    }

    @Test("Without a certificate, or with one of another authority or name, no request is served")
    func refused() throws {
        let lines = try Self.serve(names: ["*.partner.example"]) { server in
            let other = TestAuthority.shared.issue("DNS:partner.example")
            for identity in [nil, Self.stranger, other] {
                #expect(throws: (any Error).self) {
                    try SecureClient(as: identity).get("/open", at: server.port)
                }
            }
        }
        #expect(lines == [])
    }

    @Test("A handler sees the certificate of the connection, and the log has its first name")
    func seen() throws {
        let lines = try Self.serve { server in
            let answer = try SecureClient(as: Self.partner).get("/open", at: server.port)
            #expect(answer.text.contains(#"["shop.partner.example"]"#))
        }
        #expect(lines.count == 1)
        #expect(lines.first?.contains(#""tls":"1.3","clientCert":"shop.partner.example""#) == true)
    }

    @Test("If certificates are optional, a client without one is served, but not where one is required")
    func optional() throws {
        let lines = try Self.serve(isRequired: false) { server in
            let open = try SecureClient().get("/open", at: server.port)
            #expect(open.head.status == .ok)
            let refused = try SecureClient().get("/partners", at: server.port)
            #expect(refused.head.status.code == 401)
            #expect(refused.head.fields.values(of: .wwwAuthenticate) == ["ClientCertificate"])
            #expect(throws: (any Error).self) {
                try SecureClient(as: Self.stranger).get("/open", at: server.port)
            }
            let partner = try SecureClient(as: Self.partner).get("/partners", at: server.port)
            #expect(partner.text.contains("shop.partner.example"))
        }
        #expect(lines.count == 3)
        #expect(lines[1].contains(#""authResult":"none""#))
        #expect(lines[2].contains(#""auth":"partners","authResult":"ok""#))
    }

    @Test("An entry of certificates needs a gateway that asks for them")
    func unseen() throws {
        var configuration = GatewayServerConfiguration()
        configuration.port = 0
        let folder = try CertificateFolder()
        defer { withExtendedLifetime(folder) {} }
        configuration.tls = folder.settings
        #expect {
            try GatewayServer.start(configuration) { gateway in
                gateway.auth("partners", .clientCertificate())
                gateway.get("/x", .require("partners")) { _ in .json(1) }
            }
        } throws: {
            "\($0)".contains("auth.partners.clientCertificate: the gateway asks no client for a certificate")
        }
    }
}
