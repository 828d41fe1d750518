import GatewayCore
import GatewayTesting
import HTTPModel
import JSONBytes
import Networking
import NetworkingSession
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("The names of a gateway's upstreams", .timeLimit(.minutes(1)))
struct NameResolutionTests {
    private static let answer = #"HTTP/1.1 200 OK\#r\#nContent-Length: 7\#r\#n\#r\#n{"a":1}"#

    @Sendable private static func declare(on gateway: Gateway) {
        for name in ["unknown", "silent", "quick"] {
            let parts = gateway.provider(PartsAPI.self, upstream: name)
            gateway.get("/\(name)") { _ in .parts(first: parts.rx.request(.first).fragment()) }
        }
    }

    @Test("A DNS setting that cannot be used ends the start with its name and value")
    func invalidSetting() {
        var configuration = GatewayServerConfiguration()
        configuration.port = 0
        configuration.dns.servers = ["foo"]
        configuration.dns.stale = .seconds(-1)
        let error = #expect(throws: GatewayStartError.self) {
            try GatewayServer.start(configuration) { _ in }
        }
        #expect(
            error?.description == """
                dns.stale: -1 s is not between 0 s and 1 day; \
                dns.servers: "foo" is not an address or address:port
                """)
    }

    @Test(
        "An unknown name gives 502, a silent name server 504, and neither delays other endpoints",
        .enabled(if: DNSServer.isInstalled, "\(DNSServer.isMissing)"))
    func unknownAndSilent() async throws {
        let server = try DNSServer([
            "quick.test": DNSServer.Name(["127.0.0.1"]), "silent.test": DNSServer.Name(fault: .silent),
        ])
        let upstream = try ScriptedUpstream([.answer { _ in Self.answer }])
        var configuration = GatewayServerConfiguration()
        configuration.dns.servers = [server.address]
        configuration.dns.limits.tryTimeout = .milliseconds(300)
        for name in ["unknown", "silent", "quick"] {
            configuration.upstreams[name] = "http://\(name).test:\(upstream.port)"
        }
        try await withGateway(configuration: configuration, declare: Self.declare) { client in
            let unknown = try await client.get("/unknown")
            #expect(unknown.status == .badGateway)
            #expect(try Self.reason(of: unknown) == "dns_error")
            #expect(try await client.get("/quick").status == .ok)
            async let silent = client.get("/silent")
            // Its two attempts take 300 and 600 ms.
            try spin(while: server.lookups(of: "silent.test") == 0) { "queries \(server.queries)" }
            for _ in 0..<50 {
                let start = ContinuousClock.now
                #expect(try await client.get("/quick").status == .ok)
                #expect(ContinuousClock.now - start < .milliseconds(500))
            }
            #expect(try await silent.status == .gatewayTimeout)
            #expect(try await Self.reason(of: silent) == "dns_timeout")
        }
        upstream.stop()
    }

    @Test("A DNS setting of one upstream that cannot be used ends the start with its name")
    func invalidSettingOfOne() {
        var configuration = GatewayServerConfiguration()
        configuration.port = 0
        configuration.connections.dnsByUpstream["quick"] = DNSSettings()
        configuration.connections.dnsByUpstream["quick"]?.minTTL = .zero
        let error = #expect(throws: GatewayStartError.self) {
            try GatewayServer.start(configuration, declare: Self.declare)
        }
        #expect(error?.description == "upstream quick: dns.minTTL: 0 s is not between 100 ms and 1 day")
    }

    @Test(
        "An upstream can have name servers of its own",
        .enabled(if: DNSServer.isInstalled, "\(DNSServer.isMissing)"))
    func ownServers() async throws {
        let (all, own) = (
            try DNSServer(["quick.test": DNSServer.Name(["127.0.0.1"])]),
            try DNSServer(["silent.test": DNSServer.Name(["127.0.0.1"])])
        )
        let upstream = try ScriptedUpstream([.answer { _ in Self.answer }])
        var configuration = GatewayServerConfiguration()
        configuration.dns.servers = [all.address]
        var settings = DNSSettings()
        settings.servers = [own.address]
        configuration.connections.dnsByUpstream["silent"] = settings
        for name in ["unknown", "silent", "quick"] {
            configuration.upstreams[name] = "http://\(name).test:\(upstream.port)"
        }
        try await withGateway(configuration: configuration, declare: Self.declare) { client in
            var statuses: [HTTPStatus] = []
            for path in ["/quick", "/silent", "/unknown"] {
                statuses.append(try await client.get(path).status.value)
            }
            #expect(statuses == [.ok, .ok, .badGateway])
        }
        #expect(all.lookups(of: "silent.test") == 0)
        #expect(own.queries.allSatisfy { $0.contains("silent.test") }, "\(own.queries)")
        upstream.stop()
    }

    private static func reason(of response: TestResponse) throws -> String? {
        try response.json[member: "errors"]?[element: 0]?[member: "reason"]?.stringValue
    }
}
