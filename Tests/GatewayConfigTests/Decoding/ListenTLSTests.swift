import EndpointPlans
import EventIO
import GatewayCore
import JSONBytes
import Testing

@testable import GatewayConfig

@Suite("TLS for clients, as a file says it")
struct ListenTLSTests {
    private func read(_ listen: String) throws -> ConfigDocument {
        let reading = ConfigReading.read(
            text: "listen: {\(listen)}\nendpoints: [{get: /a, data: {value: 1}}]\n")
        #expect(reading.lines == [])
        return try #require(reading.document)
    }

    @Test("Without the key the port speaks plain HTTP")
    func none() throws {
        let settings = try read("port: 1").settings
        #expect(settings.tls == nil && settings.redirect == nil && settings.strictTransportSecurity == nil)
    }

    @Test("One certificate has its files, and everything else its default")
    func one() throws {
        let document = try read("tls: {cert: a.pem, key: a.key}")
        let tls = try #require(document.settings.tls)
        #expect(
            tls.certificates == [.init(certificateChain: .file("a.pem"), privateKey: .file("a.key"))])
        #expect(tls.minimumVersion == .tls12)
        #expect(tls.clients == nil)
        #expect(document.settings.strictTransportSecurity == nil)
        #expect(
            document.changes.place(of: "listen.tls.key") == ConfigPlace(file: 0, line: 2, column: 34))
    }

    @Test("Several certificates keep their order, their passwords and the places of their files")
    func several() throws {
        let reading = ConfigReading.read(
            text: """
                listen:
                  tls:
                    certificates:
                    - {cert: a.pem, key: a.key}
                    - {cert: b.pem, key: b.key, password: "${PASSWORD}"}
                endpoints: [{get: /a, data: {value: 1}}]

                """, variables: ["PASSWORD": "s3cr3t"])
        #expect(reading.lines == [])
        let document = try #require(reading.document)
        #expect(
            document.settings.tls?.certificates == [
                .init(certificateChain: .file("a.pem"), privateKey: .file("a.key")),
                .init(certificateChain: .file("b.pem"), privateKey: .file("b.key"), password: "s3cr3t"),
            ])
        #expect(
            document.changes.place(of: "listen.tls.certificates[1].cert")
                == ConfigPlace(file: 0, line: 6, column: 14))
    }

    @Test("Clients, the lowest version, what browsers remember and the redirect have their settings")
    func policies() throws {
        let settings = try read(
            """
            tls: {cert: a.pem, key: a.key, minimum: 1.3, clients: {ca: ca.pem, names: [a.example, "*.b.example",
              "spiffe://c/d"], require: false}, hsts: {maxAge: 8760h, subdomains: true, preload: true}},
              redirect: {port: 80, to: 443, challenges: /srv/acme}
            """
        ).settings
        #expect(settings.tls?.minimumVersion == .tls13)
        let clients = TLSServerConfiguration.Clients(
            authorities: .file("ca.pem"), names: ["a.example", "*.b.example", "spiffe://c/d"],
            isRequired: false)
        #expect(settings.tls?.clients == clients)
        #expect(
            settings.strictTransportSecurity?.fieldValue == "max-age=31536000; includeSubDomains; preload")
        #expect(settings.redirect == RedirectSettings(port: 80, targetPort: 443, challenges: "/srv/acme"))
        let off = try read("tls: {cert: a.pem, key: a.key, hsts: off}").settings
        #expect(off.strictTransportSecurity == nil)
    }

    @Test("A static check takes variables for any value, and reads no file")
    func variables() throws {
        let text = """
            listen: {tls: {cert: "${A}", key: "${B}", password: "${C}", minimum: "${D}", clients: {ca: "${E}",
              names: ["${F}"], require: "${G}"}, hsts: {maxAge: "${H}", preload: "${I}"}}, redirect: {port: "${J}", to: "${K}"}}
            endpoints: [{get: /a, data: {value: 1}}]

            """
        #expect(ConfigReading.read(text: text, mode: .staticCheck).lines == [])
    }

    @Test("An entry of auth has the names of certificates, and OpenAPI calls it mutual TLS")
    func entry() throws {
        let reading = ConfigReading.read(
            text: """
                listen: {tls: {cert: a.pem, key: a.key, clients: {ca: ca.pem}}}
                auth:
                  partners: {clientCertificate: {names: ["*.partner.example"]}}
                endpoints: [{get: /a, data: {value: "{claims.sub}"}, require: partners}]

                """)
        #expect(reading.lines == [])
        let document = try #require(reading.document)
        #expect(document.auth[0].method == .clientCertificate(names: ["*.partner.example"]))
        let text = try JSONFragment(parsing: OpenAPIText.make(document))
        let scheme = text[member: "components"]?[member: "securitySchemes"]?[member: "partners"]
        #expect(scheme?[member: "type"]?.stringValue == "mutualTLS")
    }

    @Test(
        "What browsers remember fits together",
        arguments: [
            (StrictTransportSecurity(maxAge: .seconds(-1)), "maxAge is not between 0 and 10 years"),
            (StrictTransportSecurity(maxAge: .seconds(400_000_000)), "maxAge is not between 0 and 10 years"),
            (
                StrictTransportSecurity(
                    maxAge: .seconds(31_535_999), includesSubdomains: true, allowsPreload: true),
                "preload needs subdomains, and a maxAge of at least a year (8760h)"
            ),
            (
                StrictTransportSecurity(maxAge: .seconds(31_536_000), allowsPreload: true),
                "preload needs subdomains, and a maxAge of at least a year (8760h)"
            ), (StrictTransportSecurity(maxAge: .zero), nil),
            (
                StrictTransportSecurity(maxAge: .milliseconds(999)),
                "maxAge is less than a second, and not 0s"
            ), (StrictTransportSecurity(maxAge: .seconds(1)), nil),
            (StrictTransportSecurity(maxAge: .seconds(31_536_000), includesSubdomains: true), nil),
        ] as [(StrictTransportSecurity, String?)])
    func transportSecurity(policy: StrictTransportSecurity, fault: String?) {
        #expect(policy.fault == fault)
    }
}
