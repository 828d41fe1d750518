import Foundation
import JSONBytes
import TestSupport
import Testing

@testable import GatewayHTTP
@testable import SluiceCommand

extension CommandTests {
    /// Runs `sluice` with TLS for clients.
    @Suite("sluice over TLS", .timeLimit(.minutes(2)))
    struct ServeTLSTests {
        private let scratch = ScratchFolder()

        private func write(_ name: String, _ text: String) throws -> String {
            let path = scratch.file(name)
            try text.write(toFile: path, atomically: true, encoding: .utf8)
            return path
        }

        private func write(_ identity: TestIdentity, as name: String = "app") throws -> [String] {
            [
                "--tls-cert", try write("\(name).pem", identity.certificate + TestAuthority.shared.pem),
                "--tls-key", try write("\(name).key", identity.key),
            ]
        }

        private func serve(_ arguments: [String]) throws -> SluiceProcess {
            try SluiceProcess(["serve", "--port", "0", "--loops", "1", "--drain-delay", "0"] + arguments)
        }

        private func port(_ process: SluiceProcess) throws -> Int {
            let line = try #require(process.readLine(), "\(process.errors)")
            let match = try #require(
                line.wholeMatch(of: /sluice listening on https:\/\/127\.0\.0\.1:(\d+)/), "\(line)")
            return try #require(Int(match.1))
        }

        private func end(_ process: SluiceProcess) -> SluiceProcess.Output {
            process.signal(SIGTERM)
            let output = process.finish()
            #expect(output.exitCode == 0)
            return output
        }

        @Test("Files that cannot be used end the start with exit code 1, and their names")
        func unusable() throws {
            let good = try write(TestAuthority.shared.issue())
            let (pem, key) = (good[1], good[3])
            let missing = scratch.file("missing.key")
            let other = try write("other.key", TestAuthority.shared.issue().key)
            let locked = try write("locked.key", TestAuthority.shared.issue(password: "secret").key)
            let unordered = try write(
                "unordered.pem",
                try String(contentsOfFile: pem, encoding: .utf8).components(separatedBy: "-----END")[0]
                    + "-----END CERTIFICATE-----\n" + TestAuthority.other.pem)
            let short = try write(TestAuthority.shared.issue(key: .rsa(bits: 1024)), as: "short")
            for (files, complaint) in [
                ([pem, missing], "server key \(missing): No such file or directory"),
                ([pem, other], "server key \(other): does not match server certificate \(pem)"),
                (
                    [pem, locked],
                    "server key \(locked): the private key is encrypted, and there is no password for it"
                ),
                (
                    [unordered, key],
                    "server certificate \(unordered): certificate 2 did not issue certificate 1; the leaf comes "
                        + "first, then its issuers"
                ), ([key, key], "server certificate \(key): contains no certificate"),
                (
                    [short[1], short[3]],
                    "server certificate \(short[1]): the RSA key has 1024 bits; at least 2048 are needed"
                ),
            ] {
                let ended = try serve(["--tls-cert", files[0], "--tls-key", files[1]]).finish()
                #expect(ended.exitCode == 1)
                #expect(ended.output.isEmpty)
                #expect(ended.errors == "sluice: \(complaint)\n")
            }
            let second = try write(TestAuthority.shared.issue(), as: "second")
            let twice = try serve(good + second).finish()
            #expect(twice.exitCode == 1)
            #expect(
                twice.errors
                    == "sluice: server certificates \(pem) and \(second[1]) are both for localhost with an EC key\n"
            )
        }

        @Test("A key that the program may not read ends the start", .enabled(if: getuid() != 0))
        func unreadable() throws {
            let pair = try write(TestAuthority.shared.issue())
            chmod(pair[3], 0)
            let ended = try serve(pair).finish()
            #expect(ended.exitCode == 1)
            #expect(ended.errors == "sluice: server key \(pair[3]): Permission denied\n")
        }

        @Test("Flags of TLS that do not fit together end the start with exit code 2")
        func usage() throws {
            let pair = try write(TestAuthority.shared.issue())
            for (words, complaint) in [
                (
                    pair + ["--tls-cert", pair[1]],
                    "--tls-cert is given twice and --tls-key once: they are paired in order"
                ),
                (
                    ["--tls", "self-signed", "--host", "0.0.0.0"],
                    "--tls self-signed needs a loopback address, not 0.0.0.0; use --tls-cert and --tls-key"
                ), (["--hsts", "60"], "--hsts needs TLS: --tls-cert and --tls-key, or --tls self-signed"),
                (
                    ["--redirect-port", "0"],
                    "--redirect-port needs TLS: --tls-cert and --tls-key, or --tls self-signed"
                ),
            ] {
                let ended = try serve(words).finish()
                #expect(ended.exitCode == 2)
                #expect(ended.output.isEmpty)
                #expect(
                    ended.errors == "sluice: \(complaint); run 'sluice serve --help' to list the flags\n")
            }
        }

        @Test("A certificate with what clients may refuse is served with a warning for each")
        func warnings() throws {
            let issued = TestAuthority.shared.issue("DNS:a.example", days: -1...3, mustStaple: true)
            let pem = try write("app.pem", issued.certificate)
            let key = try write("app.key", issued.key)
            chmod(key, 0o644)
            let path = try write(
                "sluice.yaml",
                """
                version: 1
                hosts: [b.example]
                listen: {host: 127.0.0.1, port: 0, tls: {cert: \(pem), key: \(key)}}
                drain: {delay: 0s}
                endpoints: [{get: /a, data: {value: 1}}]

                """)
            let subject = "server certificate \(pem)"
            let complaints = [
                "\(subject) requires a stapled OCSP response, which the gateway does not send, so that some "
                    + "clients refuse it",
                "\(subject) has no issuer behind it, so that clients refuse it which do not know the issuer: "
                    + "append its issuers (fullchain.pem)",
                "\(subject) is for a.example, which is not among the names in hosts: requests for it get 421",
                "server key \(key) can be read by every user of this machine: chmod 640",
            ]
            let gateway = try SluiceProcess(["serve", "--config", path, "--loops", "1"])
            _ = try port(gateway)
            let output = end(gateway)
            let checked = try SluiceProcess.run("check", path)
            #expect(checked.exitCode == 0)
            for complaint in complaints {
                let logged = #""message":"certificate problem","what":"\#(complaint)""#
                #expect(output.errors.components(separatedBy: logged).count == 2, "\(output.errors)")
                #expect(checked.output.contains("warning: \(complaint)"), "\(checked.output)")
            }
            // Two whole days are left, and three within the second in which it was issued.
            let expiry = output.errors.matches(
                of:
                    /"certificate expires soon","certificate":"a\.example","daysLeft":[23],"kind":"server","file":"([^"]+)"/
            )
            #expect(expiry.map { String($0.output.1) } == [pem], "\(output.errors)")
        }

        @Test("Handshakes are counted by their results, and failed ones are logged as a sum")
        func handshakes() throws {
            let admin = scratch.file("admin.sock")
            let gateway = try serve(try write(TestAuthority.shared.issue()) + ["--admin", "unix:\(admin)"])
            let port = try port(gateway)
            func count(_ result: String) throws -> String? {
                let metrics = try curl("--unix-socket", admin, "http://localhost/metrics").body
                let name = #"sluice_tls_handshakes_total{result="\#(result)"} "#
                return metrics.split(separator: "\n").first { $0.hasPrefix(name) }
                    .map { String($0.dropFirst(name.count)) }
            }
            let counts = try ["full", "resumed", "failed", "timeout", "shed"].map(count)
            #expect(counts == ["0", "0", "0", "0", "0"], "\(gateway.errors)")
            for _ in 0..<2 { #expect(try curl("-k", "https://127.0.0.1:\(port)/nowhere").status == 404) }
            // Without -k, curl refuses the certificate. The other request is not TLS at all.
            #expect(try curl("https://127.0.0.1:\(port)/nowhere").status == 0)
            let plain = try curl("http://127.0.0.1:\(port)/nowhere")
            #expect(plain.status == 400)
            #expect(plain.body.contains("This port speaks HTTPS"))
            // The text of the metrics is made at most once a second.
            try spin(while: try count("failed") != "2") { "not counted: \(gateway.errors)" }
            #expect(try count("full") == "2")
            try spin(while: gateway.errorLines(containing: "TLS handshakes failed") == 0) { gateway.errors }
            _ = end(gateway)
        }

        @Test("SIGHUP reads listen.tls of the file again: other files, and the same files with other content")
        func reload() throws {
            let authority = try write("authority.pem", TestAuthority.shared.pem)
            for name in ["one", "two"] {
                _ = try write(TestAuthority.shared.issue("DNS:\(name).example"), as: name)
            }
            func configure(_ tls: String) throws -> String {
                try write(
                    "sluice.yaml",
                    """
                    version: 1
                    hosts: any
                    listen: {host: 127.0.0.1, port: 0, tls: \(tls)}
                    drain: {delay: 0s}
                    endpoints: [{get: /a, data: {value: 1}}]

                    """)
            }
            func pair(_ name: String) -> String {
                "{cert: \(scratch.file("\(name).pem")), key: \(scratch.file("\(name).key"))}"
            }
            let path = try configure(pair("one"))
            let gateway = try SluiceProcess(["serve", "--config", path, "--loops", "1"])
            let port = try port(gateway)
            func ask(_ name: String) throws -> Int {
                try curl([
                    "--cacert", authority, "--resolve", "\(name).example:\(port):127.0.0.1",
                    "https://\(name).example:\(port)/a",
                ]).status
            }
            func reload() throws {
                let before = gateway.errorLines(containing: "configuration reloaded")
                gateway.signal(SIGHUP)
                try spin(while: gateway.errorLines(containing: "configuration reloaded") == before) {
                    gateway.errors
                }
            }
            #expect(try ask("two") == 0)
            #expect(try ask("one") == 200)
            // A broken file changes nothing.
            _ = try configure("{cert: \(scratch.file("one.pem")), key: \(scratch.file("two.key"))}")
            gateway.signal(SIGHUP)
            try spin(while: gateway.errorLines(containing: "the old one stays in use") == 0) {
                gateway.errors
            }
            #expect(gateway.errorLines(containing: "does not match server certificate") == 1)
            #expect(try ask("one") == 200)
            _ = try configure("{certificates: [\(pair("two")), \(pair("one"))]}")
            try reload()
            try spin(while: try ask("two") != 200) { "the old certificates" }
            #expect(try ask("one") == 200)
            _ = try configure(pair("two"))
            try reload()
            try spin(while: try ask("one") != 0) { "the old certificates" }
            _ = try write(TestAuthority.shared.issue("DNS:three.example"), as: "two")
            try reload()
            try spin(while: try ask("three") != 200) { "the old certificate" }
            #expect(try ask("two") == 0)
            _ = end(gateway)
        }

        @Test(
            "curl gets an answer over TLS, health checks by https, and a reload by SIGHUP shows a new certificate"
        )
        func serves() throws {
            let authority = try write("authority.pem", TestAuthority.shared.pem)
            let flags = try write(TestAuthority.shared.issue("DNS:old.example"))
            let gateway = try serve(flags + ["--hosts", "any", "--redirect-port", "0", "--hsts", "60"])
            let port = try port(gateway)
            func ask(_ name: String) throws -> Int {
                try curl([
                    "--cacert", authority, "--resolve", "\(name):\(port):127.0.0.1",
                    "https://\(name):\(port)/nowhere",
                ]).status
            }
            #expect(try ask("new.example") == 0)
            #expect(try ask("old.example") == 404)
            #expect(try SluiceProcess.run("health", "--url", "https://127.0.0.1:\(port)").exitCode == 0)
            let plain = try SluiceProcess.run("health", "--url", "http://127.0.0.1:\(port)")
            #expect(plain.exitCode == 1)
            #expect(plain.errors == "sluice: not ready: http://127.0.0.1:\(port)/health/ready answered 400\n")
            _ = try write(TestAuthority.shared.issue("DNS:new.example"))
            gateway.signal(SIGHUP)
            try spin(while: gateway.errorLines(containing: "SIGHUP: certificates reloaded") == 0) {
                gateway.errors
            }
            try spin(while: try ask("new.example") != 404) { gateway.errors }
            try "broken".write(toFile: flags[1], atomically: true, encoding: .utf8)
            gateway.signal(SIGHUP)
            try spin(while: gateway.errorLines(containing: "certificates not reloaded") == 0) {
                gateway.errors
            }
            #expect(try ask("new.example") == 404)
            _ = end(gateway)
        }

        @Test("A throw-away certificate is announced with its pin, which curl accepts, and another one not")
        func selfSigned() throws {
            let gateway = try serve(["--tls", "self-signed"])
            let port = try port(gateway)
            let url = "https://127.0.0.1:\(port)"
            func line() -> Substring? {
                gateway.errors.split(separator: "\n").first { $0.hasPrefix("self-signed: ") }
            }
            try spin(while: line() == nil) { gateway.errors }
            let match = try #require(
                line()?.wholeMatch(of: /self-signed: curl -k --pinnedpubkey (sha256\/\/\S{44}) (\S+)/))
            #expect(match.2 == url)
            let pin = String(match.1)
            #expect(try curl("-k", "--pinnedpubkey", pin, "\(url)/health/ready").status == 200)
            let other = "sha256//" + String(repeating: "A", count: 43) + "="
            #expect(try curl("-k", "--pinnedpubkey", other, "\(url)/health/ready").status == 0)
            _ = end(gateway)
        }

        @Test("A variable of TLS that the file overrides is not read, however broken it is")
        func overriddenVariables() throws {
            let flags = CommandSpecification.serve.flags.map(\.environmentName)
            let names = flags.filter { $0.hasPrefix("SLUICE_TLS") || $0 == "SLUICE_HSTS" }
            #expect(names.count == 8)
            let issued = TestAuthority.shared.issue()
            let pem = try write("app.pem", issued.certificate)
            let key = try write("app.key", issued.key)
            let authority = try write("partners.pem", TestAuthority.shared.pem)
            let path = try write(
                "settled.yaml",
                """
                version: 1
                listen:
                  host: 127.0.0.1
                  port: 0
                  tls:
                    {cert: \(pem), key: \(key), minimum: "1.3", hsts: {maxAge: 1h},
                     clients: {ca: \(authority), names: [a.example], require: false}}
                drain: {delay: 0s}
                endpoints: [{get: /a, data: {value: 1}}]

                """)
            let gateway = try SluiceProcess(
                ["serve", "--config", path],
                environment: Dictionary(uniqueKeysWithValues: names.map { ($0, "bro ken") }))
            let port = try port(gateway)
            #expect(try curl("--cacert", authority, "https://127.0.0.1:\(port)/a").status == 200)
            #expect(end(gateway).exitCode == 0)
        }

        @Test("check reads TLS files, and does not with --static on")
        func check() throws {
            let missing = scratch.file("missing.pem")
            let path = try write(
                "sluice.yaml",
                "version: 1\nlisten: {tls: {cert: \(missing), key: \(missing)}}\n"
                    + "endpoints: [{get: /a, data: {value: 1}}]\n")
            let read = try SluiceProcess.run("check", path)
            #expect(read.exitCode == 1)
            let column = "listen: {tls: {cert: ".count + 1
            #expect(
                read.output
                    == "\(path):2:\(column): error: server certificate \(missing): No such file or directory\n"
            )
            #expect(try SluiceProcess.run("check", "--static", "on", path).exitCode == 0)
            let expired = TestAuthority.shared.issue("DNS:a.example", days: -9 ... -1)
            let pem = try write("expired.pem", expired.certificate + TestAuthority.shared.pem)
            let key = try write("expired.key", expired.key)
            let warned = try write(
                "warned.yaml",
                "version: 1\nhosts: [a.example]\nlisten: {tls: {cert: \(pem), key: \(key)}}\n"
                    + "endpoints: [{get: /a, data: {value: 1}}]\n")
            let warning = try SluiceProcess.run("check", warned)
            #expect(warning.exitCode == 0)
            #expect(
                warning.output.contains(
                    "\(warned):3:\(column): warning: server certificate \(pem) (a.example) has expired"),
                "\(warning.output)")
        }

        @Test("The demo over TLS has upstreams that speak it by the same certificate")
        func demo() throws {
            let demo = try SluiceProcess([
                "demo", "--tls", "self-signed", "--port", "0", "--data", scratch.file("diary.sqlite3"),
                "--drain-delay", "0", "--latency", "off",
            ])
            let port = try port(demo)
            let note = try #require(demo.readLine())
            let charts = try curl("-k", "https://127.0.0.1:\(port)/api/weights/charts?fddDate=2026-11-20")
            #expect(charts.status == 200, "\(charts.body)")
            let upstream = try #require(note.firstMatch(of: /(\d+) \(diary\)/)?.1)
            let own = try curl("-k", "https://127.0.0.1:\(upstream)/health/ready")
            #expect(own.status == 200)
            #expect(try curl("http://127.0.0.1:\(upstream)/health/ready").status == 400)
            let page = try curl("-k", "--head", "https://127.0.0.1:\(port)/")
            #expect(page.body.contains("connect-src 'self' https://127.0.0.1:"), "\(page.body)")
            _ = end(demo)
        }
    }
}
