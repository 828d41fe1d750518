import EventIO
import Foundation
import GatewayCore
import HTTPModel
import Metrics
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("Reloading the certificates that clients see", .timeLimit(.minutes(1)))
struct SecureReloadTests {
    /// The names of the certificate that new connections get.
    private static func names(at port: Int) throws -> String {
        var answers = ""
        for name in ["old.example", "new.example"] {
            var client = SecureClient()
            client.configuration.serverName = name
            if (try? client.get("/x", at: port)) != nil { answers += name }
        }
        return answers
    }

    private static func identity(_ name: String) -> TestIdentity { TestAuthority.shared.issue("DNS:\(name)") }

    private static func file(_ folder: CertificateFolder, _ more: String = "") -> String {
        """
        version: 1
        listen: {tls: {\(folder.members)\(more)}}
        endpoints: [{get: /x, data: {value: 1}}]

        """
    }

    @Test("A broken certificate or a key of another one changes nothing, and a good one is served at once")
    func withoutFile() throws {
        let folder = try CertificateFolder(Self.identity("old.example"))
        let client = SecureClient()
        _ = try folder.serve { server in
            #expect(throws: (any Error).self) { try client.get("/x", at: server.port) }
            try folder.write(Self.identity("new.example").key, to: "app.key")
            #expect(throws: GatewayStartError.self) { try server.reloadCertificates() }
            try folder.write("no certificate", to: "app.pem")
            #expect(throws: GatewayStartError.self) { try server.reloadCertificates() }
            #expect(try Self.names(at: server.port) == "old.example")
            try folder.write(Self.identity("new.example"))
            try server.reloadCertificates()
            try spin(while: try Self.names(at: server.port) != "new.example") { "the old certificate" }
        }
    }

    @Test("Without a file, metrics count reloads of certificates, so that the alert finds a failed renewal")
    func metrics() throws {
        let folder = try CertificateFolder(Self.identity("old.example"))
        _ = try folder.serve { server in
            func values() -> [String: Double] {
                var values: [String: Double] = [:]
                for reading in server.reloads.readings {
                    values[reading.family.name + reading.labels.joined()] = reading.value
                }
                return values
            }
            #expect(values()["sluice_config_last_reload_successful"] == 1)
            try folder.write("no certificate", to: "app.pem")
            #expect(throws: GatewayStartError.self) { try server.reloadCertificates() }
            #expect(values()["sluice_config_last_reload_successful"] == 0)
            #expect(values()["sluice_config_reloads_totalfailure"] == 1)
            try folder.write(Self.identity("new.example"))
            try server.reloadCertificates()
            #expect(values()["sluice_config_last_reload_successful"] == 1)
            #expect(values()["sluice_config_reloads_totalsuccess"] == 1)
            #expect(values()["sluice_config_generation"] == nil && values()["sluice_config_info"] == nil)
        }
    }

    @Test("The redirect leads to the names of the new certificate")
    func redirect() throws {
        let folder = try CertificateFolder(Self.identity("old.example"))
        _ = try folder.serve(configure: { $0.redirect = RedirectSettings(port: 0) }) { server in
            let port = try #require(server.redirectPort)
            func status(_ host: String) throws -> Int {
                let client = try RawClient(port: port)
                client.send("GET / HTTP/1.1\r\nHost: \(host)\r\n\r\n")
                return try client.reply().status
            }
            #expect(try status("new.example") == 421)
            try folder.write(Self.identity("new.example"))
            try server.reloadCertificates()
            try spin(while: try status("new.example") != 308) { "421" }
            #expect(try status("old.example") == 421)
        }
    }

    @Test("A reload of the file is all or nothing, and names the file that cannot be used")
    func allOrNothing() throws {
        let folder = try CertificateFolder(Self.identity("old.example"))
        let gateway = try FileGateway(Self.file(folder))
        defer { gateway.stop() }
        try folder.write("no certificate", to: "app.pem")
        let problems = try gateway.problems(
            of: Self.file(folder).replacingOccurrences(of: "value: 1", with: "value: 2"))
        #expect(problems.count == 1)
        let column = "listen: {tls: {cert: ".count + 1
        #expect(
            problems.first
                == "sluice.yaml:2:\(column): error: server certificate \(folder.path("app.pem")): contains no "
                + "certificate")
        var client = SecureClient()
        client.configuration.serverName = "old.example"
        #expect(try client.get("/x", at: gateway.server.port).text.contains("1"))
        try folder.write(Self.identity("new.example"))
        try gateway.reload(Self.file(folder).replacingOccurrences(of: "value: 1", with: "value: 2"))
        client.configuration.serverName = "new.example"
        #expect(try client.get("/x", at: gateway.server.port).text.contains("2"))
    }

    @Test("Only TLS on or off and the port of the redirect need a restart")
    func restarts() throws {
        let folder = try CertificateFolder(Self.identity("old.example"))
        let gateway = try FileGateway(Self.file(folder))
        defer { gateway.stop() }
        #expect(
            try gateway.problems(of: "version: 1\nendpoints: [{get: /x, data: {value: 1}}]\n")
                == ["sluice.yaml:1:1: error: listen.tls needs a restart"])
        let redirect = Self.file(folder).replacingOccurrences(
            of: "}}\nend", with: "}, redirect: {port: 0}}\nend")
        let problems = try gateway.problems(of: redirect)
        #expect(problems.count == 1)
        #expect(problems.first?.hasSuffix("error: listen.redirect.port needs a restart") == true)
        try gateway.reload(Self.file(folder, ", minimum: 1.3, hsts: {maxAge: 60s}"))
        var client = SecureClient()
        client.configuration.serverName = "old.example"
        let fields = try client.get("/x", at: gateway.server.port).head.fields
        #expect(fields.values(of: "Strict-Transport-Security") == ["max-age=60"])
    }

    @Test("A removed authority of clients counts for the next connection")
    func authorities() throws {
        let folder = try CertificateFolder()
        try folder.write(TestAuthority.shared.pem, to: "clients.pem")
        let clients = ", clients: {ca: \(folder.path("clients.pem"))}"
        let gateway = try FileGateway(Self.file(folder, clients))
        defer { gateway.stop() }
        let client = SecureClient(as: TestAuthority.shared.issue("DNS:a.example"))
        #expect(try client.get("/x", at: gateway.server.port).head.status == .ok)
        try folder.write(TestAuthority.other.pem, to: "clients.pem")
        try gateway.server.reload()
        #expect(throws: (any Error).self) { try client.get("/x", at: gateway.server.port) }
        let other = SecureClient(as: TestAuthority.other.issue("DNS:a.example"))
        #expect(try other.get("/x", at: gateway.server.port).head.status == .ok)
    }

    @Test("A certificate that a renewer replaces by a symbolic link is served within two seconds")
    func symbolicLink() throws {
        let folder = try CertificateFolder()
        try folder.write(Self.identity("old.example"), as: "1")
        try folder.write(Self.identity("new.example"), as: "2")
        func link(_ version: String) throws {
            for ending in ["pem", "key"] {
                let (made, path) = (folder.path("next.\(ending)"), folder.path("live.\(ending)"))
                try FileManager.default.createSymbolicLink(
                    atPath: made, withDestinationPath: folder.path("\(version).\(ending)"))
                #expect(rename(made, path) == 0)
            }
        }
        try link("1")
        let gateway = try FileGateway(
            """
            version: 1
            listen: {tls: {cert: \(folder.path("live.pem")), key: \(folder.path("live.key"))}}
            endpoints: [{get: /x, data: {value: 1}}]

            """)
        defer { gateway.stop() }
        gateway.server.watchFile()
        #expect(try Self.names(at: gateway.server.port) == "old.example")
        let began = MonotonicTime.clock()
        try link("2")
        try spin(while: try Self.names(at: gateway.server.port) != "new.example") { "the old certificate" }
        let elapsed = MonotonicTime.clock() - began
        #expect(elapsed < TimeAmount(.seconds(2 * Int(Sanitizer.slowdown))), "\(elapsed.nanoseconds) ns")
    }
}

@Suite("Probes and successors of a gateway that speaks TLS", .timeLimit(.minutes(1)))
struct SecureProbeTests {
    @Test("A health check by https verifies the certificate of another machine alone")
    func health() throws {
        let folder = try CertificateFolder(TestAuthority.shared.issue("DNS:app.example"))
        _ = try folder.serve { server in
            #expect(HealthProbe.check("https://127.0.0.1:\(server.port)") == nil)
            #expect(HealthProbe.check("https://localhost:\(server.port)/health/live") == nil)
            let plain = HealthProbe.check("http://127.0.0.1:\(server.port)")
            #expect(plain == "http://127.0.0.1:\(server.port)/health/ready answered 400")
        }
    }

    @Test(
        "A successor finds out that the gateway on its port is draining, also if that asks for certificates",
        arguments: [false, true])
    func takeover(asksForCertificates: Bool) throws {
        let folder = try CertificateFolder()
        var configuration = GatewayServerConfiguration()
        configuration.port = 0
        configuration.loops = 1
        configuration.logLevel = .error
        configuration.accessLog = false
        configuration.drainDelay = .seconds(20)
        configuration.tls = folder.settings
        configuration.redirect = RedirectSettings(port: 0)
        if asksForCertificates {
            configuration.tls?.clients = .init(authorities: .text(TestAuthority.shared.pem))
        }
        let old = try GatewayServer.start(configuration) { $0.get("/x") { _ in .json("old") } }
        defer {
            old.stop()
            old.waitUntilStopped()
        }
        configuration.port = old.port
        configuration.redirect?.port = try #require(old.redirectPort)
        #expect(throws: GatewayStartError.self) {
            try GatewayServer.start(configuration) { $0.get("/x") { _ in .json("new") } }
        }
        old.drain()
        let new = try GatewayServer.start(configuration) { $0.get("/x") { _ in .json("new") } }
        defer {
            new.stop()
            new.waitUntilStopped()
        }
        #expect(new.port == old.port && new.redirectPort == old.redirectPort)
        old.stop()
        old.waitUntilStopped()
        let client = SecureClient(as: TestAuthority.shared.issue("DNS:a.example"))
        #expect(try client.get("/x", at: new.port).text.contains("new"))
    }
}
