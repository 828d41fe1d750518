import EventIO
import Foundation
import Networking
import NetworkingSession
import Rx
import TestSupport
import Testing

@Suite("Session connections", .timeLimit(.minutes(1)))
struct SecureSessionTests {
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"

    private static var trusting: TLSConfiguration {
        var configuration = TLSConfiguration()
        configuration.trust = .authorities(.text(TestAuthority.shared.pem))
        return configuration
    }

    /// Makes a call over a session with these settings. Returns its status or the token of its failure.
    private func outcome(
        _ url: String, _ change: (inout ConnectionSettings) throws -> Void = { _ in }
    ) async throws -> String {
        var configuration = Session.Configuration()
        configuration.connections.proxy = .none
        try change(&configuration.connections)
        let session = try Session(configuration)
        defer { session.close() }
        var target = Anything(baseURL: url)
        target.path = "/answer"
        switch try await Provider<Anything>(session: session).rx.request(target).asResult().value {
        case .success(let response): return "\(response.statusCode)"
        case .failure(let error as NetworkError): return error.reason.token
        case .failure(let error): return "\(error)"
        }
    }

    @Test("An authority unknown to the system is trusted only if the session is configured to trust it")
    func trust() async throws {
        let upstream = try ScriptedUpstream(tls: TLSServer(), [.readRequest, .send(Self.ok), .again])
        let url = "https://127.0.0.1:\(upstream.port)"
        #expect(try await outcome(url) == "tls_certificate_error")
        #expect(try await outcome(url) { $0.tls = Self.trusting } == "200")
        upstream.stop()
    }

    @Test("A new session uses the changed certificate files, and an open session keeps the old ones")
    func rotated() async throws {
        let folder = ScratchFolder()
        let file = folder.file("authorities.pem")
        func write(_ authority: TestAuthority) throws {
            try authority.pem.write(toFile: file, atomically: true, encoding: .utf8)
        }
        let upstream = try ScriptedUpstream(tls: TLSServer(), [.readRequest, .send(Self.ok), .again])
        defer { upstream.stop() }
        let url = "https://127.0.0.1:\(upstream.port)"
        var configuration = Session.Configuration()
        configuration.connections.proxy = .none
        configuration.connections.tls.trust = .authorities(.file(file))
        try write(.shared)
        let open = try Session(configuration)
        defer { open.close() }
        try write(.other)
        #expect(try await outcome(url) { $0.tls = configuration.connections.tls } == "tls_certificate_error")
        let request = HTTPRequest(url: url + "/answer")
        #expect(try await open.request(request).statusCode == 200)
        try write(.shared)
        #expect(try await outcome(url) { $0.tls = configuration.connections.tls } == "200")
    }

    @Test(
        "An open session uses replaced certificate files after a reload, and an invalid file changes nothing"
    )
    func reloaded() async throws {
        let folder = ScratchFolder()
        let file = folder.file("authorities.pem")
        let upstream = try ScriptedUpstream(tls: TLSServer(), [.readRequest, .send(Self.ok), .again])
        defer { upstream.stop() }
        var configuration = Session.Configuration()
        configuration.connections.proxy = .none
        configuration.connections.tls.trust = .authorities(.file(file))
        try TestAuthority.other.pem.write(toFile: file, atomically: true, encoding: .utf8)
        let session = try Session(configuration)
        defer { session.close() }
        let request = HTTPRequest(url: "https://127.0.0.1:\(upstream.port)/answer")
        func outcome() async throws -> FailureReason? {
            switch try await session.rx.request(request).asResult().value {
            case .success: nil
            case .failure(let error): (error as? NetworkError)?.reason
            }
        }
        #expect(try await outcome() == .tlsCertificateError)
        try TestAuthority.shared.pem.write(toFile: file, atomically: true, encoding: .utf8)
        #expect(try await outcome() == .tlsCertificateError)
        try session.reloadCertificates()
        #expect(try await outcome() == nil)
        try "no certificate".write(toFile: file, atomically: true, encoding: .utf8)
        #expect(throws: TLSError.self) { try session.reloadCertificates() }
        #expect(try await outcome() == nil)
        try TestAuthority.other.pem.write(toFile: file, atomically: true, encoding: .utf8)
        try session.reloadCertificates()
        // New calls must not use the old connection.
        #expect(try await outcome() == .tlsCertificateError)
    }

    @Test("The final dot of a host belongs neither to the server's name nor to the keys of settings")
    func finalDot() async throws {
        let upstream = try ScriptedUpstream(tls: TLSServer(), [.readRequest, .send(Self.ok), .again])
        defer { upstream.stop() }
        let port = upstream.port
        for (host, key) in [
            ("localhost.", "localhost"), ("localhost", "localhost."), ("localhost.", "localhost.:\(port)"),
            ("LOCALHOST.", "localhost:\(port)"), ("localhost.", "localhost."),
        ] {
            let outcome = try await outcome("https://\(host):\(port)") { $0.tlsByHost[key] = Self.trusting }
            #expect(outcome == "200", "\(host) by \(key)")
        }
        #expect(Set(upstream.handshakes.map(\.serverName)) == ["localhost"])
        #expect(upstream.requests.first?.lowercased().contains("host: localhost.:\(port)") == true)
    }

    @Test("Creating a session with an invalid or repeated host fails")
    func badHost() throws {
        for hosts in [
            ["https://bank.test"], [""], ["bank.test/a"], ["a b"], ["bank.test", "BANK.test"],
            ["bank.test", "bank.test."],
        ] {
            var configuration = Session.Configuration()
            for host in hosts { configuration.connections.tlsByHost[host] = Self.trusting }
            #expect(throws: ConnectionSettings.InvalidHost.self, "\(hosts)") { try Session(configuration) }
        }
    }

    @Test("Creating a session with an invalid TLS configuration fails")
    func badConfiguration() throws {
        var configuration = Session.Configuration()
        configuration.connections.tlsByUpstream["bank"] = Self.trusting
        configuration.connections.tlsByUpstream["bank"]?.pins = ["none"]
        #expect {
            try Session(configuration)
        } throws: { error in
            (error as? TLSError)?.kind == .configuration
        }
    }

    @Test(
        "An https upstream is reached through the configured proxy unless an exception matches it"
    )
    func proxy() async throws {
        let upstream = try ScriptedUpstream(tls: TLSServer(), [.readRequest, .send(Self.ok), .again])
        let proxy = try ScriptedUpstream([
            .readRequest, .send("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n"), .awaitEnd,
        ])
        let url = "https://127.0.0.1:\(upstream.port)"
        let proxyAddress = try OutboundProxy("http://127.0.0.1:\(proxy.port)")
        let refused = try await outcome(url) {
            $0.tls = Self.trusting
            $0.proxy = .fixed(proxyAddress)
        }
        #expect(refused == "destination_unavailable")
        let straight = try await outcome(url) {
            $0.tls = Self.trusting
            $0.proxy = .fixed(proxyAddress, except: try NoProxy("127.0.0.0/8"))
        }
        #expect(straight == "200")
        #expect(proxy.connections == 1)
        proxy.stop()
        upstream.stop()
    }
}
