import Foundation
import GatewayConfig
import TestSupport
import Testing

@testable import GatewayHTTP
@testable import SluiceCommand

@Suite("Flags about TLS for clients")
struct TLSFlagTests {
    private func configuration(
        _ words: [String], _ environment: [String: String] = [:]
    ) throws -> GatewayServerConfiguration {
        let arguments = try ProgramArguments(words, for: .serve, environment: environment)
        var configuration = GatewayServerConfiguration()
        try configuration.apply(arguments)
        try TLSFlags.check(configuration, arguments)
        return configuration
    }

    private static let pair = ["--tls-cert", "a.pem", "--tls-key", "a.key"]

    @Test(
        "Flags that do not fit together, or have a wrong value, are refused",
        arguments: [
            (
                ["--tls-cert", "a", "--tls-cert", "b", "--tls-key", "c"],
                "--tls-cert is given twice and --tls-key once: they are paired in order"
            ),
            (
                ["--tls-key", "a"], "--tls-cert is given never and --tls-key once: they are paired in order"
            ), (["--tls-cert", "", "--tls-key", "a"], "--tls-cert needs a file"),
            (
                ["--tls", "selfsigned"],
                "--tls takes self-signed, not 'selfsigned'; --tls-cert and --tls-key take files"
            ), (pair + ["--tls", "self-signed"], "--tls self-signed does not go with --tls-cert"),
            (
                ["--tls", "self-signed", "--host", "0.0.0.0"],
                "--tls self-signed needs a loopback address, not 0.0.0.0; use --tls-cert and --tls-key"
            ), (pair + ["--tls-minimum", "1.1"], "--tls-minimum takes 1.2 or 1.3, not '1.1'"),
            (
                ["--tls-minimum", "1.3"],
                "--tls-minimum needs TLS: --tls-cert and --tls-key, or --tls self-signed"
            ),
            (
                ["--tls-client-ca", "a"],
                "--tls-client-ca needs TLS: --tls-cert and --tls-key, or --tls self-signed"
            ), (pair + ["--tls-client-names", "a"], "--tls-client-names needs --tls-client-ca FILE"),
            (pair + ["--tls-client-auth", "require"], "--tls-client-auth needs --tls-client-ca FILE"),
            (
                pair + ["--tls-client-ca", "a", "--tls-client-auth", "none"],
                "--tls-client-auth takes require or optional, not 'none'"
            ),
            (
                pair + ["--tls-client-ca", "a", "--tls-client-names", "a.example, *.com"],
                "--tls-client-names takes names separated by commas: '*.com' is not a DNS name such as "
                    + "shop.example.com or *.example.com, or a URI"
            ),
            (
                pair + ["--tls-client-ca", "a", "--tls-client-names", "127.0.0.1"],
                "--tls-client-names takes names separated by commas: '127.0.0.1' is an IP address, which names "
                    + "no client: use a DNS name such as shop.example.com, or a URI"
            ),
            (
                ["--redirect-port", "80"],
                "--redirect-port needs TLS: --tls-cert and --tls-key, or --tls self-signed"
            ), (["--redirect-to", "443"], "--redirect-to needs --redirect-port PORT"),
            (
                pair + ["--redirect-port", "80", "--redirect-to", "0"],
                "--redirect-to takes a whole number from 1 to 65535, not '0'"
            ),
            (pair + ["--redirect-port", "8080"], "--redirect-port is the port of the gateway itself (8080)"),
            (["--hsts", "60"], "--hsts needs TLS: --tls-cert and --tls-key, or --tls self-signed"),
            (pair + ["--hsts", "1y"], "--hsts takes off or seconds from 0 to 315360000, not '1y'"),
        ] as [([String], String)])
    func refused(words: [String], message: String) {
        #expect(throws: UsageError(message: message)) { try configuration(words) }
    }

    @Test("Certificates and keys are paired in order, and variables have commas between several")
    func pairs() throws {
        let expected: [TLSConfiguration.Identity] = [
            .init(certificateChain: .file("a.pem"), privateKey: .file("a.key")),
            .init(certificateChain: .file("b.pem"), privateKey: .file("b.key")),
        ]
        let flags = try configuration(Self.pair + ["--tls-cert", "b.pem", "--tls-key", "b.key"])
        #expect(flags.tls?.certificates == expected)
        #expect(flags.throwAwayPin == nil)
        let variables = try configuration(
            [], ["SLUICE_TLS_CERT": "a.pem, b.pem", "SLUICE_TLS_KEY": "a.key, b.key"])
        #expect(variables.tls == flags.tls)
        #expect(throws: UsageError.self) { try configuration([], ["SLUICE_TLS_CERT": "a.pem"]) }
        #expect(try configuration([]).tls == nil)
    }

    @Test("Each policy has its flag")
    func policies() throws {
        let names = ["--tls-client-ca", "ca.pem", "--tls-client-names", "a.example, *.b.example"]
        let settings = try configuration(
            Self.pair + names + [
                "--tls-client-auth", "optional", "--tls-minimum", "1.3", "--redirect-port", "8081",
                "--redirect-to", "443", "--hsts", "3600",
            ])
        #expect(
            settings.tls?.clients
                == .init(
                    authorities: .file("ca.pem"), names: ["a.example", "*.b.example"], isRequired: false))
        #expect(settings.tls?.minimumVersion == .tls13)
        #expect(settings.redirect == RedirectSettings(port: 8081, targetPort: 443))
        let both = try configuration(Self.pair + ["--port", "0", "--redirect-port", "0"])
        #expect(both.redirect == RedirectSettings(port: 0), "each gets a free port")
        #expect(settings.strictTransportSecurity?.fieldValue == "max-age=3600")
        #expect(try configuration(Self.pair + ["--hsts", "off"]).strictTransportSecurity == nil)
        #expect(try configuration(Self.pair).tls?.clients == nil)
    }

    @Test("A throw-away certificate is made once for an address, so that a reload shows the same one")
    func throwAway() throws {
        let first = try configuration(["--tls", "self-signed"])
        let again = try configuration([], ["SLUICE_TLS": "self-signed"])
        #expect(first.tls == again.tls)
        #expect(first.throwAwayPin?.hasPrefix("sha256//") == true)
        let other = try configuration(["--tls", "self-signed", "--host", "::1"])
        #expect(other.throwAwayPin != first.throwAwayPin)
    }

    @Test("A flag replaces what the code or a file says, and leaves the rest")
    func overCode() throws {
        var settings = GatewayServerConfiguration()
        settings.tls = TLSServerConfiguration(certificates: [
            .init(certificateChain: .file("code.pem"), privateKey: .file("code.key"))
        ])
        settings.tls?.clients = .init(authorities: .file("ca.pem"), names: ["a.example"])
        settings.redirect = RedirectSettings(port: 80, challenges: "/srv/acme")
        let words = Self.pair + ["--tls-client-auth", "optional", "--redirect-port", "81"]
        try settings.apply(try ProgramArguments(words, for: .serve, environment: [:]))
        #expect(settings.tls?.certificates.first?.certificateChain == .file("a.pem"))
        #expect(settings.tls?.clients?.names == ["a.example"])
        #expect(settings.tls?.clients?.isRequired == false)
        #expect(settings.redirect == RedirectSettings(port: 81, challenges: "/srv/acme"))
    }
}
