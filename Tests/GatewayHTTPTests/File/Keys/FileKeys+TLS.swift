import EventIO
import GatewayTesting
import HTTPModel
import TestSupport
import Testing

@testable import GatewayCore
@testable import GatewayHTTP

extension FileKeys {
    /// Certificates that the examples name: they are read.
    private static let folder: CertificateFolder = {
        do {
            let folder = try CertificateFolder()
            try folder.write(TestAuthority.shared.issue("DNS:b.example", password: "s3cr3t"), as: "b")
            try folder.write(TestAuthority.shared.pem, to: "clients.pem")
            return folder
        } catch {
            preconditionFailure("no certificates: \(error)")
        }
    }()

    static let tls: [KeyExample] = [
        KeyExample.setting("listen.tls listenTLS.cert listenTLS.key", "listen: {tls: {\(folder.members)}}") {
            #expect($0.tls?.certificates == [folder.identity()])
            #expect($0.tls?.clients == nil)
        },
        KeyExample.setting(
            "listenTLS.password",
            "listen: {tls: {cert: \(folder.path("b.pem")), key: \(folder.path("b.key")), password: s3cr3t}}"
        ) {
            #expect($0.tls?.certificates.first?.password == "s3cr3t")
        },
        KeyExample.setting(
            "listenTLS.certificates serverCertificate.cert serverCertificate.key serverCertificate.password",
            """
            listen: {tls: {certificates: [{\(folder.members)}, {cert: \(folder.path("b.pem")),
              key: \(folder.path("b.key")), password: s3cr3t}]}}
            """
        ) {
            #expect($0.tls?.certificates.count == 2)
            #expect($0.tls?.certificates.first == folder.identity())
            #expect($0.tls?.certificates.last?.password == "s3cr3t")
        },
        KeyExample.setting("listenTLS.minimum", "listen: {tls: {\(folder.members), minimum: 1.3}}") {
            #expect($0.tls?.minimumVersion == .tls13)
        },
        KeyExample.setting(
            "listenTLS.clients tlsClients.ca tlsClients.names tlsClients.require",
            """
            listen: {tls: {\(folder.members), clients: {ca: \(folder.path("clients.pem")), names: ["*.a.example"],
              require: false}}}
            """
        ) {
            #expect(
                $0.tls?.clients
                    == .init(
                        authorities: .file(folder.path("clients.pem")), names: ["*.a.example"],
                        isRequired: false))
        },
        KeyExample.setting(
            "listenTLS.hsts strictTransport.maxAge strictTransport.subdomains strictTransport.preload",
            """
            listen: {tls: {\(folder.members), hsts: {maxAge: 9000h, subdomains: true, preload: true}}}
            """
        ) {
            #expect(
                $0.strictTransportSecurity?.fieldValue == "max-age=32400000; includeSubDomains; preload")
        },
        KeyExample.setting(
            "listen.redirect redirect.port redirect.to redirect.challenges",
            "listen: {tls: {\(folder.members)}, redirect: {port: 9, to: 443, challenges: /usr}}"
        ) {
            #expect($0.redirect == RedirectSettings(port: 9, targetPort: 443, challenges: "/usr"))
        },
        KeyExample(
            "auth.clientCertificate clientCertificate.names",
            file: """
                listen: {tls: {\(folder.members), clients: {ca: \(folder.path("clients.pem"))}}}
                auth: {partners: {clientCertificate: {names: [shop.example]}}}
                endpoints: [{get: /x, data: {value: 1}, require: partners}]
                """
        ) { bench async throws in
            guard case .clientCertificate(let settings)? = bench.file.document.auth.first?.method else {
                Issue.record("another kind")
                return
            }
            #expect(settings.names == ["shop.example"])
            #expect(try await bench.ask("/x").status.code == 401)
        },
    ]
}
