import Foundation
import JSONBytes
import TestSupport
import Testing

/// Runs `sluice serve` with nginx as its upstream: over TLS, on a Unix domain socket and behind a proxy.
@Suite(
    "sluice serve and its upstreams", .timeLimit(.minutes(2)),
    .enabled(if: Nginx.isInstalled, "nginx is not installed: make setup"))
struct SecureUpstreamTests {
    private static let charts = "/api/weights/charts?fddDate=2026-11-20"
    private static let chart =
        #"{"code":"OK","message":"success","status":200,"data":{"unit":"kg","points":[]}}"#
    private static let answers = "location / { default_type application/json; return 200 '\(chart)'; }"

    private let folder = ScratchFolder()

    private func file(_ name: String, _ text: String) throws -> String {
        try text.write(toFile: folder.file(name), atomically: true, encoding: .utf8)
        return folder.file(name)
    }

    /// Starts a gateway with these flags, requests the charts and returns the status and the reason of the
    /// first error.
    private func charts(_ arguments: [String], environment: [String: String] = [:]) throws -> (Int, String?) {
        let gateway = try SluiceProcess(
            ["serve", "--port", "0", "--drain-delay", "0", "--loops", "1"] + arguments,
            environment: environment)
        let answer = try curl("http://127.0.0.1:\(try gateway.readPort())\(Self.charts)")
        gateway.signal(SIGTERM)
        #expect(gateway.finish().exitCode == 0)
        let json = try JSONFragment(validating: Array(answer.body.utf8)[...])
        if answer.status == 200 {
            #expect(
                json[member: "data"]?.description
                    == #"{"recent":{"unit":"kg","points":[]},"total":{"unit":"kg","points":[]}}"#)
        }
        return (answer.status, json[member: "errors"]?[element: 0]?[member: "reason"]?.stringValue)
    }

    @Test("An unusable TLS file ends the start with exit code 1, before the gateway listens")
    func unusableFiles() throws {
        let client = TestAuthority.shared.issue(nil)
        let certificate = try file("certificate.pem", client.certificate)
        let key = try file("key.pem", TestAuthority.shared.issue(nil).key)
        let missing = folder.file("missing.pem")
        let diary = ["--upstream", "diary=https://127.0.0.1:1"]
        for (arguments, complaint) in [
            (
                ["--upstream-ca", "diary=\(missing)"],
                "TLS of upstream diary: trusted certificates \(missing): No such file or directory"
            ),
            (
                ["--upstream-ca", "diary=\(key)"],
                "TLS of upstream diary: trusted certificates \(key): contains no certificate"
            ),
            (
                ["--upstream-cert", "diary=\(certificate)", "--upstream-key", "diary=\(missing)"],
                "TLS of upstream diary: client key \(missing): No such file or directory"
            ),
            (
                ["--upstream-cert", "diary=\(certificate)", "--upstream-key", "diary=\(key)"],
                "TLS of upstream diary: client key \(key): does not match client certificate \(certificate)"
            ),
        ] {
            let ended = try SluiceProcess(["serve", "--port", "0"] + diary + arguments).finish()
            #expect(ended.exitCode == 1)
            #expect(ended.output.isEmpty)
            #expect(ended.errors == "sluice: \(complaint)\n")
        }
        let usage = try SluiceProcess.run("serve", "--upstream-ca", "diary=\(certificate)")
        #expect(usage.exitCode == 2)
        #expect(
            usage.errors
                == "sluice: --upstream-ca needs an https upstream: --upstream diary=https://...; "
                + "run 'sluice serve --help' to list the flags\n")
    }

    @Test(
        "An invalid proxy variable is logged without its password, and calls that need the proxy fail"
    )
    func oddVariables() throws {
        let gateway = try SluiceProcess(
            [
                "serve", "--port", "0", "--drain-delay", "0", "--loops", "1", "--upstream",
                "diary=http://diary.test",
            ],
            environment: [
                "SLUICE_PROXY": "environment", "http_proxy": "socks5h://user:s3cr3t@a.test",
                "no_proxy": "localhost,10.*",
            ])
        let answer = try curl("http://127.0.0.1:\(try gateway.readPort())\(Self.charts)")
        gateway.signal(SIGTERM)
        let ended = gateway.finish()
        #expect(ended.exitCode == 0)
        #expect(answer.status >= 500)
        #expect(answer.body.contains("proxy_internal_error"))
        #expect(
            ended.errors.contains(
                "http_proxy: the proxy's scheme is socks5h, but only http is supported; http calls fail"))
        #expect(ended.errors.contains("no_proxy: '10.*' is not a name, an address or a range of addresses"))
        #expect(!(ended.errors + ended.output + answer.body).contains("s3cr3t"))
    }

    @Test(
        "nginx over TLS is called with its authority, its pin and the client certificate that it demands"
    )
    func overTLS() throws {
        let client = TestAuthority.shared.issue(nil, name: "The gateway")
        let authority = try file("authority.pem", TestAuthority.shared.pem)
        let certificate = try file("certificate.pem", client.certificate)
        let key = try file("key.pem", client.key)
        let identity = TestAuthority.shared.issue()
        let nginx = try Nginx.secure(
            "ssl_client_certificate \(authority); ssl_verify_client on; \(Self.answers)", identity: identity)
        defer { nginx.stop() }
        let upstream = ["--upstream", "diary=https://127.0.0.1:\(nginx.port)"]
        let ca = ["--upstream-ca", "diary=\(authority)"]
        let shown = ["--upstream-cert", "diary=\(certificate)", "--upstream-key", "diary=\(key)"]
        #expect(try charts(upstream + shown) == (502, "tls_certificate_error"))
        #expect(
            try charts(upstream + ca + shown + ["--upstream-pin", "diary=\(client.pin)"])
                == (502, "tls_certificate_error"))
        // Without a client certificate nginx answers 400 instead of sending an alert.
        #expect(try charts(upstream + ca) == (502, "upstream_status"))
        #expect(
            try charts(upstream + ca + shown + ["--upstream-pin", "diary=\(identity.pin)"]) == (200, nil))
        #expect(
            try charts(
                [],
                environment: [
                    "SLUICE_UPSTREAM": "diary=https://127.0.0.1:\(nginx.port)",
                    "SLUICE_UPSTREAM_CA": "diary=\(authority)",
                    "SLUICE_UPSTREAM_CERT": "diary=\(certificate)", "SLUICE_UPSTREAM_KEY": "diary=\(key)",
                    "SLUICE_UPSTREAM_PIN": "diary=\(client.pin),diary=sha256//\(identity.pin)",
                ]) == (200, nil))
    }

    @Test("nginx on a Unix domain socket is called by the path of the socket, with an optional prefix")
    func onUnixSocket() throws {
        let nginx = try Nginx(
            "location /api/ { default_type application/json; return 200 '\(Self.chart)'; }",
            onUnixSocket: true)
        defer { nginx.stop() }
        let path = try #require(nginx.unixPath)
        #expect(try charts(["--upstream", "diary=unix:\(path).gone"]) == (502, "connection_refused"))
        #expect(try charts(["--upstream", "diary=unix:\(path)"]) == (404, "upstream_status"))
        #expect(try charts(["--upstream", "diary=unix:\(path):/api"]) == (200, nil))
    }

    @Test(
        "Calls go through the proxy of the flag or the environment, except to the hosts of --no-proxy",
        .enabled(if: Tinyproxy.isInstalled, "tinyproxy is not installed: make setup"))
    func byProxy() async throws {
        let authority = try file("authority.pem", TestAuthority.shared.pem)
        let nginx = try Nginx.secure(Self.answers)
        defer { nginx.stop() }
        let proxy = try await Tinyproxy("BasicAuth user secret")
        defer { proxy.stop() }
        let upstream = [
            "--upstream", "diary=https://127.0.0.1:\(nginx.port)", "--upstream-ca", "diary=\(authority)",
        ]
        let wrong = "http://user:wrong@127.0.0.1:\(proxy.port)"
        let right = "http://user:secret@127.0.0.1:\(proxy.port)"
        #expect(try charts(upstream + ["--proxy", wrong]) == (503, "destination_unavailable"))
        #expect(try charts(upstream + ["--proxy", wrong, "--no-proxy", "127.0.0.1"]) == (200, nil))
        #expect(!proxy.log.contains("Established connection to host"))
        #expect(try charts(upstream + ["--proxy", right]) == (200, nil))
        #expect(
            try charts(
                upstream + ["--proxy", "environment"], environment: ["https_proxy": wrong, "no_proxy": ""])
                == (503, "destination_unavailable"))
        #expect(
            try charts(
                upstream + ["--proxy", "environment"], environment: ["https_proxy": right, "no_proxy": ""])
                == (200, nil))
        // Without the flag the proxy of the environment is not used.
        #expect(try charts(upstream, environment: ["https_proxy": wrong]) == (200, nil))
    }
}
