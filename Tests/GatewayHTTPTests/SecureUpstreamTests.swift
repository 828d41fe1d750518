import EventIO
import FoundationEssentials
import GatewayCore
import GatewayTesting
import HTTPModel
import JSONBytes
import Networking
import NetworkingSession
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("A gateway's upstreams over TLS", .timeLimit(.minutes(1)))
struct SecureUpstreamTests {
    private static let answer = "HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n{\"a\":1}"

    private static func configuration(of upstream: ScriptedUpstream, isTrusted: Bool)
        -> GatewayServerConfiguration
    {
        var configuration = GatewayServerConfiguration()
        configuration.upstreams["parts"] = "https://127.0.0.1:\(upstream.port)"
        if isTrusted {
            var own = TLSConfiguration()
            own.trust = .authorities(.text(TestAuthority.shared.pem))
            configuration.connections.tlsByUpstream["parts"] = own
        }
        return configuration
    }

    @Test("An untrusted certificate gives 502 with tls_certificate_error after one attempt")
    func untrusted() async throws {
        let upstream = try ScriptedUpstream(tls: TLSServer(), [.readRequest, .send(Self.answer), .again])
        let configuration = Self.configuration(of: upstream, isTrusted: false)
        try await withGateway(configuration: configuration, declare: ServedGatewayTests.declarePage) {
            client in
            let response = try await client.get("/page")
            #expect(response.status == .badGateway)
            let error = try #require(try response.json[member: "errors"]?[element: 0])
            #expect(error[member: "reason"]?.stringValue == "tls_certificate_error")
            #expect(error[member: "attempts"]?.intValue == 1)
        }
        upstream.stop()
    }

    @Test("An upstream with a trusted certificate is called over TLS connections that are reused")
    func trusted() async throws {
        let upstream = try ScriptedUpstream(tls: TLSServer(), [.readRequest, .send(Self.answer), .again])
        let configuration = Self.configuration(of: upstream, isTrusted: true)
        try await withGateway(configuration: configuration, declare: ServedGatewayTests.declarePage) {
            client in
            for _ in 0..<3 {
                let response = try await client.get("/page")
                #expect(response.status == .ok)
                #expect(try response.json[member: "data"]?[member: "first"]?[member: "a"]?.intValue == 1)
            }
            #expect(upstream.connections <= 2)
            #expect(upstream.requests.count == 6)
        }
        upstream.stop()
    }

    @Test("A body that ends without close_notify gives 502 with http_response_incomplete, even if it parses")
    func truncated() async throws {
        let upstream = try ScriptedUpstream(
            tls: TLSServer(), [.readRequest, .send("HTTP/1.1 200 OK\r\n\r\n{\"a\":1}"), .cut])
        let configuration = Self.configuration(of: upstream, isTrusted: true)
        try await withGateway(configuration: configuration, declare: ServedGatewayTests.declarePage) {
            client in
            let response = try await client.get("/page")
            #expect(response.status == .badGateway)
            let error = try #require(try response.json[member: "errors"]?[element: 0])
            #expect(error[member: "reason"]?.stringValue == "http_response_incomplete")
        }
        upstream.stop()
    }

    @Test("TLS for an undeclared upstream is a start error")
    func unknownUpstream() {
        var configuration = GatewayServerConfiguration()
        configuration.port = 0
        configuration.connections.tlsByUpstream["parts"] = TLSConfiguration()
        #expect {
            try GatewayServer.start(configuration) { _ in }
        } throws: { error in
            "\(error)" == "TLS or DNS is set for the unknown upstream \"parts\" (none is declared)"
        }
        configuration.connections.tlsByUpstream = [:]
        configuration.connections.tlsByHost["https://parts"] = TLSConfiguration()
        #expect {
            try GatewayServer.start(configuration) { _ in }
        } throws: { error in
            "\(error)"
                == "cannot connect to upstreams: tlsByHost: 'https://parts' is not a host or host:port"
        }
    }

    @Test("A missing TLS file is a start error")
    func missingFile() {
        var configuration = GatewayServerConfiguration()
        configuration.port = 0
        configuration.connections.tls.trust = .authorities(.file("/nowhere/authorities.pem"))
        #expect {
            try GatewayServer.start(configuration) { _ in }
        } throws: { error in
            "\(error)"
                == "cannot connect to upstreams: TLS configuration: trusted certificates /nowhere/authorities.pem: No such file or directory"
        }
    }

    @Test("A reload applies replaced authorities; a failed reload changes nothing")
    func reloaded() async throws {
        let folder = ScratchFolder()
        let file = folder.file("authorities.pem")
        let upstream = try ScriptedUpstream(tls: TLSServer(), [.readRequest, .send(Self.answer), .again])
        defer { upstream.stop() }
        var configuration = Self.configuration(of: upstream, isTrusted: true)
        configuration.connections.tlsByUpstream["parts"]?.trust = .authorities(.file(file))
        configuration.port = 0
        // The client keeps its connection.
        configuration.inbound.drainGrace = .milliseconds(200)
        try TestAuthority.other.pem.write(toFile: file, atomically: true, encoding: .utf8)
        let server = try GatewayServer.start(configuration, declare: ServedGatewayTests.declarePage)
        defer {
            server.drain()
            server.waitUntilStopped()
        }
        func status() async throws -> Int {
            try await Session.shared.request(HTTPRequest(url: "\(server.url)/page")).statusCode
        }
        #expect(try await status() == 502)
        try TestAuthority.shared.pem.write(toFile: file, atomically: true, encoding: .utf8)
        try server.reloadCertificates()
        // A loop may receive the request before the new authorities.
        try await poll(while: try await status() != 200) { "\(try await status())" }
        try "no certificate".write(toFile: file, atomically: true, encoding: .utf8)
        #expect(throws: GatewayStartError.self) { try server.reloadCertificates() }
        #expect(try await status() == 200)
    }
}
