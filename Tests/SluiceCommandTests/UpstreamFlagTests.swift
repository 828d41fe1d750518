import Foundation
import TestSupport
import Testing

@testable import GatewayHTTP
@testable import SluiceCommand

@Suite("Flags for upstreams")
struct UpstreamFlagTests {
    private static let known = Command.gateway.upstreams?.names

    private func addresses(
        _ words: [String], environment: [String: String] = [:]
    ) throws -> [String: UpstreamURLs] {
        let arguments = try ProgramArguments(words, for: .serve, environment: environment)
        return try UpstreamFlags.addresses(arguments, known: Self.known)
    }

    private func concurrency(
        _ values: [String], settled: Set<String> = [], environment: [String: String] = [:]
    ) throws -> [String: Int] {
        let words = values.flatMap { ["--upstream-concurrency", $0] }
        let arguments = try ProgramArguments(words, for: .serve, environment: environment)
        return try UpstreamFlags.concurrency(arguments, known: Self.known, settled: settled)
    }

    private func configuration(
        _ words: [String], for command: CommandSpecification = .serve,
        from defaults: GatewayServerConfiguration = GatewayServerConfiguration()
    ) throws -> GatewayServerConfiguration {
        var configuration = defaults
        try configuration.apply(ProgramArguments(words, for: command, environment: [:]))
        return configuration
    }

    private static let diary = ["--upstream", "diary=https://diary.test"]

    private func tls(_ words: [String], environment: [String: String] = [:]) throws -> [String:
        TLSConfiguration]
    {
        let arguments = try ProgramArguments(words, for: .serve, environment: environment)
        return try UpstreamTLS.configurations(
            arguments, of: UpstreamFlags.addresses(arguments, known: Self.known))
    }

    @Test(
        "An invalid value is refused with the flag and the reason",
        arguments: [
            (["--upstream-ca", "diary"], "--upstream-ca takes NAME=FILE, not 'diary'"),
            (["--upstream-ca", "diary="], "--upstream-ca takes NAME=FILE, not 'diary='"),
            (["--upstream-pin", "=pin"], "--upstream-pin takes NAME=PIN, not '=pin'"),
            (
                ["--upstream-ca", "tags=/a.pem"],
                "--upstream-ca needs an https upstream: --upstream tags=https://..."
            ),
            (
                ["--upstream", "tags=http://tags.test", "--upstream-pin", "tags=a"],
                "--upstream-pin needs an https upstream: --upstream tags=https://..."
            ),
            (
                ["--upstream-ca", "diary=/a", "--upstream-ca", "diary=/b"],
                "--upstream-ca sets 'diary' twice"
            ),
            (["--upstream-cert", "diary=/a"], "--upstream-cert diary=/a needs --upstream-key diary=FILE"),
            (["--upstream-key", "diary=/a"], "--upstream-key diary=/a needs --upstream-cert diary=FILE"),
            (
                ["--upstream-pin", "diary=sha1"],
                "--upstream-pin: 'sha1' is not a pin: expected the base64 of a SHA-256 (44 characters)"
            ),
        ])
    func refused(words: [String], message: String) {
        #expect(throws: UsageError(message: message)) { try tls(Self.diary + words) }
    }

    @Test(
        "Addresses of one upstream that do not fit together are refused with the reason",
        arguments: [
            ("diary=http://a.test", "two base URLs have the origin http://a.test"),
            ("diary=https://b.test", "the scheme differs from the first base URL, http://a.test/"),
            ("diary=http://b.test/v1", "the path differs from the first base URL, http://a.test/"),
            ("diary=unix:/run/b.sock", "an upstream with several base URLs has no Unix-domain socket"),
        ])
    func refusedAddress(second: String, reason: String) {
        let url = second.dropFirst("diary=".count)
        let message = "the address of upstream diary, '\(url)', is invalid: \(reason)"
        #expect(throws: UsageError(message: message)) {
            try addresses(
                ["diary=http://a.test", "tags=http://a.test", second].flatMap { ["--upstream", $0] })
        }
    }

    @Test("A repeated name has several addresses, by flags and by the variable")
    func addresses() throws {
        let expected: [String: UpstreamURLs] = [
            "diary": ["http://a.test:81", "http://b.test:81"], "tags": "http://a.test:81",
        ]
        let words = ["diary=http://a.test:81", "tags=http://a.test:81", "diary=http://b.test:81"]
        #expect(try addresses(words.flatMap { ["--upstream", $0] }) == expected)
        let variable = ["SLUICE_UPSTREAM": words.joined(separator: ",")]
        #expect(try addresses([], environment: variable) == expected)
    }

    @Test("TLS applies to all addresses of an https upstream")
    func secureAddresses() throws {
        var expected = TLSConfiguration()
        expected.trust = .authorities(.file("/ca.pem"))
        let words = ["--upstream", "diary=https://b.test", "--upstream-ca", "diary=/ca.pem"]
        #expect(try tls(Self.diary + words) == ["diary": expected])
    }

    @Test(
        "An invalid proxy is refused without showing its password",
        arguments: [
            (["--no-proxy", "a.test"], "--no-proxy needs --proxy URL"),
            (
                ["--proxy", "environment", "--no-proxy", "a.test"],
                "--no-proxy cannot be used with --proxy environment; set no_proxy instead"
            ),
            (
                ["--proxy", "http://user:secret@"],
                "--proxy takes http://[user:password@]host[:port] or environment: the proxy's host is not valid"
            ),
            (
                ["--proxy", "socks5://proxy.test"],
                "--proxy takes http://[user:password@]host[:port] or environment: the proxy's scheme is"
                    + " socks5, but only http is supported"
            ),
            (
                ["--proxy", "proxy.test", "--no-proxy", "10.0.0.0/99"],
                "--no-proxy: '10.0.0.0/99' is not a name, an address or a range of addresses"
            ),
        ])
    func refusedProxy(words: [String], message: String) throws {
        for command in [CommandSpecification.serve, .demo] {
            #expect(throws: UsageError(message: message)) { try configuration(words, for: command) }
        }
    }

    @Test(
        "A limit on calls that cannot be used is refused with the flag and the reason",
        arguments: [
            (["diary=0"], "--upstream-concurrency takes NAME=COUNT, at least 1, not 'diary=0'"),
            (["diary"], "--upstream-concurrency takes NAME=COUNT, at least 1, not 'diary'"),
            (
                ["diaries=1"],
                "--upstream-concurrency sets the unknown 'diaries'; "
                    + "the upstreams are diary, weather, places, users, tags"
            ),
            (["diary=1", "diary=2"], "--upstream-concurrency sets 'diary' twice"),
        ])
    func refusedLimit(values: [String], message: String) {
        #expect(throws: UsageError(message: message)) {
            try concurrency(values)
        }
    }

    @Test("A message about a value from a variable names the variable")
    func variables() {
        func message(_ body: () throws -> Any) -> String? {
            (#expect(throws: UsageError.self) { _ = try body() })?.message
        }
        #expect(
            message { try addresses([], environment: ["SLUICE_UPSTREAM": "diary"]) }
                == "SLUICE_UPSTREAM takes NAME=URL, not 'diary'")
        #expect(
            message { try addresses([], environment: ["SLUICE_UPSTREAM": "diary=nowhere"]) }
                == "SLUICE_UPSTREAM: the address of upstream diary, 'nowhere', is invalid: "
                + "a URL begins with http:// or https://")
        #expect(
            message { try concurrency([], environment: ["SLUICE_UPSTREAM_CONCURRENCY": "diary=0"]) }
                == "SLUICE_UPSTREAM_CONCURRENCY takes NAME=COUNT, at least 1, not 'diary=0'")
        for (flag, value, rest) in [
            ("CA", "tags=/a.pem", " needs an https upstream: --upstream tags=https://..."),
            ("CERT", "diary=/a", " diary=/a needs --upstream-key diary=FILE"),
            ("KEY", "diary=/a", " diary=/a needs --upstream-cert diary=FILE"),
            ("PIN", "diary", " takes NAME=PIN, not 'diary'"),
        ] {
            let variable = "SLUICE_UPSTREAM_" + flag
            #expect(message { try tls(Self.diary, environment: [variable: value]) } == variable + rest)
        }
        let pin = message { try tls(Self.diary, environment: ["SLUICE_UPSTREAM_PIN": "diary=sha1"]) }
        #expect(pin?.hasPrefix("SLUICE_UPSTREAM_PIN: 'sha1' is not a pin") == true)
    }

    @Test("What a variable says about an upstream whose limit the file sets has no effect")
    func settledLimit() throws {
        let variable = ["SLUICE_UPSTREAM_CONCURRENCY": "diary=none,tags=3"]
        #expect(try concurrency([], settled: ["diary"], environment: variable) == ["tags": 3])
        #expect(throws: UsageError.self) { try concurrency([], settled: ["tags"], environment: variable) }
        #expect(try concurrency(["diary=5"], settled: ["diary"], environment: variable) == ["diary": 5])
    }

    @Test("Limits on calls and breakers follow their flags; the demo has no breakers by default")
    func protection() throws {
        #expect(
            try concurrency(["diary=100", "tags=3"]) == ["diary": 100, "tags": 3])
        func hasBreakers(_ words: [String], byDefault: Bool) throws -> Bool {
            let defaults = byDefault ? GatewayServerConfiguration() : Command.demoConfiguration
            return try configuration(words, from: defaults).upstreamPolicy.breaker != nil
        }
        #expect(try hasBreakers([], byDefault: true))
        #expect(try !hasBreakers([], byDefault: false))
        #expect(try !hasBreakers(["--breaker", "off"], byDefault: true))
        #expect(try hasBreakers(["--breaker", "on"], byDefault: false))
    }

    @Test("Name servers are addresses with or without a port, or system")
    func nameServers() throws {
        func settings(_ words: [String]) throws -> DNSSettings {
            try configuration(words).dns
        }
        for servers in ["", "foo", "10.0.0.2,", "10.0.0.2 10.0.0.3", "10.0.0.2:0"] {
            let error = try #require(throws: UsageError.self) { try settings(["--dns", servers]) }
            #expect(error.message.hasPrefix("--dns takes addresses or system: dns.servers: \""))
        }
        #expect(try settings([]) == DNSSettings())
        #expect(try settings(["--dns", "system"]) == .system)
        #expect(try settings(["--dns", "10.0.0.2,[::1]:53"]).servers == ["10.0.0.2", "[::1]:53"])
    }

    @Test("Flags and their variables set TLS for the named upstream only")
    func taken() throws {
        let (one, other) = (TestAuthority.shared.identity.pin, TestAuthority.other.identity.pin)
        var expected = TLSConfiguration()
        expected.trust = .authorities(.file("/ca.pem"))
        expected.identity = .init(certificateChain: .file("/cert.pem"), privateKey: .file("/key.pem"))
        expected.pins = [one, "sha256//" + other]
        let words = [
            "--upstream-ca", "diary=/ca.pem", "--upstream-cert=diary=/cert.pem", "--upstream-key",
            "diary=/key.pem",
            "--upstream-pin", "diary=\(one)", "--upstream-pin", "diary=sha256//\(other)",
        ]
        #expect(
            try tls(Self.diary + ["--upstream", "tags=https://tags.test"] + words) == ["diary": expected])
        let environment = [
            "SLUICE_UPSTREAM": "diary=https://diary.test,tags=HTTPS://tags.test",
            "SLUICE_UPSTREAM_CA": "diary=/ca.pem", "SLUICE_UPSTREAM_CERT": "diary=/cert.pem",
            "SLUICE_UPSTREAM_KEY": "diary=/key.pem",
            "SLUICE_UPSTREAM_PIN": "diary=\(one), diary=sha256//\(other), tags=\(one)",
        ]
        var pinned = TLSConfiguration()
        pinned.pins = [one]
        #expect(try tls([], environment: environment) == ["diary": expected, "tags": pinned])
        #expect(try tls([]) == [:])
    }
}
