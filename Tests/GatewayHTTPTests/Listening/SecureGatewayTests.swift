import EventIO
import GatewayCore
import HTTPModel
import HTTPOutbound
import JSONBytes
import Metrics
import Networking
import NetworkingSession
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("A gateway that speaks TLS", .timeLimit(.minutes(1)))
struct SecureGatewayTests {
    @Test("A file that cannot be used ends the start with its name", arguments: ["key", "match", "order"])
    func unusable(kind: String) throws {
        let folder = try CertificateFolder()
        let (certificate, key) = (folder.path("app.pem"), folder.path("app.key"))
        let complaint: String
        switch kind {
        case "key":
            try folder.write("no key", to: "app.key")
            complaint = "server key \(key): "
        case "match":
            try folder.write(TestAuthority.shared.issue().key, to: "app.key")
            complaint = "server key \(key): does not match server certificate \(certificate)"
        default:
            let identity = TestAuthority.shared.issue()
            try folder.write(identity.certificate + TestAuthority.other.pem, to: "app.pem")
            try folder.write(identity.key, to: "app.key")
            complaint =
                "server certificate \(certificate): certificate 2 did not issue certificate 1; the leaf comes "
                + "first, then its issuers"
        }
        var configuration = GatewayServerConfiguration()
        configuration.port = 0
        configuration.tls = folder.settings
        #expect {
            try GatewayServer.start(configuration) { _ in }
        } throws: { error in
            "\(error)".hasPrefix(complaint)
        }
    }

    @Test("What needs TLS is refused without it")
    func withoutTLS() {
        var configuration = GatewayServerConfiguration()
        configuration.port = 0
        configuration.redirect = RedirectSettings(port: 0)
        #expect {
            try GatewayServer.start(configuration) { _ in }
        } throws: {
            "\($0)" == "redirect needs tls"
        }
        configuration.redirect = nil
        configuration.strictTransportSecurity = StrictTransportSecurity(maxAge: .seconds(60))
        #expect {
            try GatewayServer.start(configuration) { _ in }
        } throws: {
            "\($0)" == "strictTransportSecurity needs tls"
        }
    }

    @Test("Its URL, the scheme of requests and their URLs are https, and the log has the version of TLS")
    func requests() throws {
        let folder = try CertificateFolder()
        let lines = try folder.serve(declare: { gateway in
            gateway.get("/x") { request in .json("\(request.scheme) \(request.url)") }
        }) { server in
            #expect(server.url == "https://127.0.0.1:\(server.port)")
            let answer = try SecureClient().get("/x?a=1", at: server.port)
            #expect(answer.text.contains("https https://127.0.0.1:\(server.port)/x?a=1"))
            var older = SecureClient()
            older.configuration.minimumVersion = .tls12
            #expect(try older.get("/x", at: server.port).head.status == .ok)
        }
        #expect(lines.count == 2)
        for line in lines {
            #expect(line.contains(#""tls":"1.3""#), "\(line)")
            #expect(!line.contains("clientCert"))
        }
    }

    @Test("Without TLS, the log has no version of it")
    func plain() throws {
        let lines = try withLoggedGateway(
            configure: { _ in }, declare: { $0.get("/x") { _ in .json(1) } }
        ) { server in
            let reply = try RawClient(port: server.port).get("/x")
            #expect(reply?.status == 200)
        }
        #expect(lines.map { $0[member: "tls"] == nil } == [true])
    }

    @Test("A plain request to the port gets a plain 400 that says why, and is a failed handshake")
    func plainRequest() throws {
        let folder = try CertificateFolder()
        _ = try folder.serve { server in
            let reply = try #require(RawClient(port: server.port).get("/x"))
            #expect(reply.status == 400)
            #expect(reply.text.contains("This port speaks HTTPS"))
            #expect(reply.values("Strict-Transport-Security") == [])
            try spin(while: server.metrics.value(.tlsHandshakes, ["failed"]) != 1) { "no failed handshake" }
        }
    }

    @Test("Metrics count handshakes by their result, and have the expiry of the certificate")
    func metrics() throws {
        let folder = try CertificateFolder(
            TestAuthority.shared.issue("DNS:app.example,IP:127.0.0.1", days: -1...30))
        _ = try folder.serve { server in
            var untrusting = SecureClient()
            untrusting.configuration.trust = .authorities(.text(TestAuthority.other.pem))
            #expect(throws: (any Error).self) { try untrusting.get("/x", at: server.port) }
            _ = try SecureClient().get("/x", at: server.port)
            try spin(while: server.metrics.value(.tlsHandshakes, ["failed"]) != 1) {
                "\(String(describing: server.metrics.value(.tlsHandshakes, ["failed"])))"
            }
            #expect(server.metrics.value(.tlsHandshakes, ["full"]) == 1)
            let text = String(decoding: server.metricsText(.prometheus), as: UTF8.self)
            let found = try #require(
                text.firstMatch(
                    of:
                        /sluice_certificate_expiry_timestamp_seconds\{certificate="app.example",kind="server"\} (\d+)/
                ))
            let left = try #require(Int(found.1)) - CertificateReport.now
            #expect((29 * 86_400...30 * 86_400).contains(left))
        }
    }

    @Test(
        "A failed handshake has a line at debug, and the sum one at info", arguments: [LogLevel.debug, .info])
    func log(level: LogLevel) throws {
        let folder = try CertificateFolder()
        let lines = try logLines { errors in
            _ = try folder.serve(errors: errors, configure: { $0.logLevel = level }) { server in
                let client = try RawClient(port: server.port)
                // A ClientHello of one byte.
                client.send([22, 3, 1, 0, 5, 1, 0, 0, 1, 255])
                _ = client.readToEnd()
                client.close()
            }
        }
        let single = lines.filter { $0.contains("\"TLS handshake failed\"") }
        #expect(single.count == (level == .debug ? 1 : 0))
        let sums = lines.filter { $0.contains("\"TLS handshakes failed\"") }
        #expect(sums.count == 1)
        #expect(sums.first?.contains(#""handshakes":1,"shed":0,"remote":"127.0.0.1:"#) == true)
    }

    @Test("A handshake that makes room for another one is a warning in the log")
    func shedLog() throws {
        let folder = try CertificateFolder()
        let lines = try logLines { errors in
            _ = try folder.serve(
                errors: errors,
                configure: {
                    $0.loops = 1
                    $0.logLevel = .warning
                    $0.inbound.handshakes = 1
                }
            ) { server in
                let silent = try RawClient(port: server.port)
                let newcomer = try RawClient(port: server.port)
                #expect(silent.readToEnd().end == .fin)
                newcomer.close()
            }
        }
        let sums = lines.filter { $0.contains("\"TLS handshakes failed\"") }
        #expect(sums.count == 1)
        #expect(sums.first?.contains(#""level":"warning""#) == true)
        #expect(sums.first?.contains(#""handshakes":1,"shed":1,"remote":"127.0.0.1:"#) == true)
    }

    @Test(
        "HSTS is once on each answer over TLS, whichever its source, and nowhere on the port that redirects")
    func transportSecurity() throws {
        let (folder, files) = (try CertificateFolder(), try FileFixture())
        try files.write("page.html", "<p>page</p>")
        let field = "Strict-Transport-Security: max-age=1"
        let upstream = try ScriptedUpstream(
            [.answer { _ in "HTTP/1.1 200 OK\r\n\(field)\r\n\(field)\r\nContent-Length: 2\r\n\r\nok" }])
        defer { upstream.stop() }
        func serve(_ policy: StrictTransportSecurity?, _ body: (GatewayServer) throws -> Void) throws {
            _ = try folder.serve(
                configure: {
                    $0.strictTransportSecurity = policy
                    $0.redirect = RedirectSettings(port: 0)
                    $0.files = .folder(files.root)
                    $0.upstreams = ["files": "http://127.0.0.1:\(upstream.port)"]
                },
                declare: { gateway in
                    gateway.after { $0.addField("Strict-Transport-Security", "max-age=2") }
                    gateway.get("/x") { _ in .json(1).field("Strict-Transport-Security", "max-age=1") }
                    gateway.proxy("/passed/{path...}", to: gateway.proxyUpstream("files", policy: .single))
                }, body)
        }
        let targets = ["/x", "/passed/a", "/page.html", "/nowhere", "/health/ready"]
        func values(_ target: String, _ server: GatewayServer) throws -> [String] {
            let answer = try SecureClient().get(target, at: server.port)
            return answer.head.fields.values(of: "Strict-Transport-Security")
        }
        try serve(StrictTransportSecurity(maxAge: .seconds(3600), includesSubdomains: true)) { server in
            for target in targets {
                #expect(try values(target, server) == ["max-age=3600; includeSubDomains"], "\(target)")
            }
            for target in ["/health/ready", "/x", "/nowhere"] {
                let plain = try RawClient(port: try #require(server.redirectPort)).get(target)
                #expect(plain?.values("Strict-Transport-Security") == [], "\(target)")
            }
        }
        // Without a policy of the gateway, answers keep what they have.
        try serve(nil) { server in
            for (target, expected) in [("/health/ready", []), ("/page.html", ["max-age=2"])] {
                let found = try values(target, server)
                #expect(found == expected, "\(target)")
            }
        }
    }

    @Test("The admin listener tells what the port speaks, and of a plain port no certificates")
    func plainStatus() throws {
        _ = try withLoggedGateway(configure: { _ in }, declare: { $0.get("/x") { _ in .json(1) } }) {
            server in
            let status = server.status([[:]]).fragment
            #expect(
                status[member: "listener"]?.description
                    == #"{"protocol":"http","port":\#(server.port)}"#)
            #expect(status[member: "certificates"] == nil)
        }
    }

    @Test("The admin listener tells the certificates and the settings, without a password")
    func status() throws {
        let folder = try CertificateFolder()
        try folder.write(TestAuthority.shared.pem, to: "clients.pem")
        _ = try folder.serve(
            configure: {
                $0.tls?.certificates[0].password = "s3cr3t"
                $0.tls?.clients = .init(
                    authorities: .file(folder.path("clients.pem")), isRequired: false)
                $0.redirect = RedirectSettings(port: 0)
                var own = TLSConfiguration()
                own.trust = .authorities(.text(TestAuthority.shared.pem))
                own.identity = folder.identity()
                $0.connections.tlsByUpstream["parts"] = own
                $0.upstreams = ["parts": "https://127.0.0.1:1"]
            },
            declare: { gateway in
                let parts = gateway.provider(PartsAPI.self, upstream: "parts")
                gateway.get("/x") { _ in .parts(first: parts.rx.request(.first).fragment()) }
            }
        ) { server in
            let status = server.status([[:]]).fragment
            let redirectPort = try #require(server.redirectPort)
            #expect(
                status[member: "listener"]?.description
                    == #"{"protocol":"https","port":\#(server.port),"redirectPort":\#(redirectPort)}"#)
            let certificates = (0..<4).map { status[member: "certificates"]?[element: $0] }
            #expect(
                certificates.map { $0?[member: "name"]?.stringValue } == [
                    "localhost", "listen.tls.clients.ca", "parts", "parts",
                ])
            #expect(
                certificates.map { $0?[member: "kind"]?.stringValue } == [
                    "server", "client_authority", "client", "authority",
                ])
            let days = certificates.map { ($0?[member: "secondsLeft"]?.intValue ?? 0) / 86_400 }
            #expect(days == [29, 29, 29, 29])
            let settings = server.configurationAnswer.fragment.description
            #expect(settings.contains(folder.path("app.pem")))
            #expect(!settings.contains("s3cr3t"))
        }
    }
}
