import EventIO
import HTTPModel
import Networking
import NetworkingSession
import TestSupport
import Testing

@Suite("The name servers of a session", .timeLimit(.minutes(1)))
struct NameServerTests {
    private static let answer = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nGREEN"

    @Test("A session with a name server that is not an address cannot be created")
    func invalidServer() {
        var configuration = Session.Configuration()
        configuration.dns.servers = ["dns.test"]
        let error = #expect(throws: InvalidDNSSettings.self) { try Session(configuration) }
        #expect(error?.description == "dns.servers: \"dns.test\" is not an address or address:port")
    }

    @Test(
        "A session asks the name servers of its settings, and an unknown name fails with dns_error",
        .enabled(if: DNSServer.isInstalled, "\(DNSServer.isMissing)"))
    func ownServer() async throws {
        let server = try DNSServer(["api.test": DNSServer.Name(["127.0.0.1"])])
        let upstream = try ScriptedUpstream([.answer { _ in Self.answer }])
        defer { upstream.stop() }
        var configuration = Session.Configuration()
        configuration.connections.proxy = .none
        configuration.dns.servers = [server.address]
        let session = try Session(configuration)
        defer { session.close() }
        let unknown = PeerSession(session: session, base: "http://nowhere.test:\(upstream.port)")
        #expect(try await unknown.failure()?.reason == .dnsError)
        let known = PeerSession(session: session, base: "http://api.test:\(upstream.port)")
        #expect(try await known.text() == "GREEN")
        #expect(server.lookups(of: "api.test") == 1)
    }

    @Test(
        "The first call to a name uses one family of addresses if the query for the other is never answered",
        .enabled(if: DNSServer.isInstalled, "\(DNSServer.isMissing)"))
    func oneFamily() async throws {
        let server = try DNSServer(["api.test": DNSServer.Name(["127.0.0.1"], faults: ["AAAA": .silent])])
        let upstream = try ScriptedUpstream([.answer { _ in Self.answer }])
        defer { upstream.stop() }
        var configuration = Session.Configuration()
        configuration.connections.proxy = .none
        configuration.dns.servers = [server.address]
        // Far beyond the time for connecting.
        configuration.dns.limits.tryTimeout = .seconds(60)
        configuration.dns.limits.lookupTimeout = .seconds(60)
        let session = try Session(configuration)
        defer { session.close() }
        let half = PeerSession(session: session, base: "http://api.test:\(upstream.port)")
        #expect(try await half.text() == "GREEN")
        #expect(server.queries.contains("AAAA api.test udp"))
    }
}
