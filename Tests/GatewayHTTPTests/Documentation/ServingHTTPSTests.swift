import EventIO
import GatewayCore
import GatewayHTTP
import HTTPModel
import TestSupport
import Testing

/// Compiles and runs the Swift code of the article on HTTPS.
@Suite("The article on HTTPS, in Swift", .timeLimit(.minutes(1)))
struct ServingHTTPSTests {
    func overHTTPS(_ configuration: inout GatewayServerConfiguration, _ folder: String, _ password: String) {
        var tls = TLSServerConfiguration(certificates: [
            .init(certificateChain: .file("\(folder)/shop.pem"), privateKey: .file("\(folder)/shop.key")),
            .init(
                certificateChain: .file("\(folder)/api.pem"), privateKey: .file("\(folder)/api.key"),
                password: password),
        ])
        tls.minimumVersion = .tls13
        tls.clients = .init(
            authorities: .file("\(folder)/partners.pem"), names: ["*.partner.example"], isRequired: false)
        configuration.tls = tls
        configuration.strictTransportSecurity = StrictTransportSecurity(maxAge: .seconds(300))
        configuration.redirect = RedirectSettings(
            port: 80, targetPort: 443, challenges: "/var/lib/acme/.well-known/acme-challenge")
    }

    func renewed(_ server: GatewayServer) {
        do {
            try server.reloadCertificates()
        } catch {
            print("The old certificates stay in use: \(error)")
        }
    }

    func declareCertificates(on gateway: Gateway) {
        gateway.auth("partners", .clientCertificate(names: ["*.partner.example"]))
        gateway.get("/orders", .require("partners")) { request in
            .json(request.clientCertificate?.dnsNames.first ?? "")
        }
    }

    @Test(
        "A gateway has the certificates, the clients and the redirect of the article, and reads its files again"
    )
    func gateway() throws {
        let (authority, folder) = (TestAuthority.shared, try CertificateFolder())
        try folder.write(authority.issue("DNS:shop.example"), as: "shop")
        try folder.write(authority.issue("DNS:api.example", password: "secret"), as: "api")
        try folder.write(authority.pem, to: "partners.pem")
        var configuration = GatewayServerConfiguration()
        overHTTPS(&configuration, folder.path(""), "secret")
        #expect(configuration.redirect?.targetPort == 443)
        configuration.redirect = nil
        configuration.port = 0
        configuration.accessLog = false
        configuration.drainDelay = .zero
        let server = try GatewayServer.start(configuration, declare: declareCertificates)
        try folder.write(authority.issue("DNS:new.example"), as: "shop")
        renewed(server)
        server.drain()
        server.waitUntilStopped()
    }
}
