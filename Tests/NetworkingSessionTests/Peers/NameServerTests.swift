import EventIO
import HTTPModel
import HTTPOutbound
import Networking
import NetworkingSession
import TestSupport
import Testing

@Suite("The name servers of a session", .timeLimit(.minutes(1)))
struct NameServerTests {
    fileprivate static let answer = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nGREEN"

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

    /// How queries for a name end, and at which of its addresses the upstream listens.
    struct Half: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let name: DNSServer.Name
        /// Whether it listens at ::1 alone; if not, at 127.0.0.1 alone.
        var isSix = false

        func upstream() throws -> ScriptedUpstream {
            try ScriptedUpstream(
                .open, [[.readRequest, .send(NameServerTests.answer), .again]], host: isSix ? 0 : 1)
        }
    }

    private static let both = ["127.0.0.1", "::1"]

    private static let halves = [
        Half(
            testDescription: "AAAA is never answered",
            name: DNSServer.Name(["127.0.0.1"], faults: ["AAAA": .silent])),
        Half(
            testDescription: "A is never answered", name: DNSServer.Name(["::1"], faults: ["A": .silent]),
            isSix: true),
        Half(
            testDescription: "AAAA fails",
            name: DNSServer.Name(["127.0.0.1"], faults: ["AAAA": .servfail])),
        Half(
            testDescription: "A fails", name: DNSServer.Name(["::1"], faults: ["A": .servfail]), isSix: true),
        Half(
            testDescription: "AAAA is answered after a minute",
            name: DNSServer.Name(both, delays: ["AAAA": 60_000])),
        Half(
            testDescription: "A is answered after a minute",
            name: DNSServer.Name(both, delays: ["A": 60_000]), isSix: true),
        Half(
            testDescription: "A comes after AAAA was refused", name: DNSServer.Name(both, delays: ["A": 200])),
        Half(
            testDescription: "AAAA comes after A was refused",
            name: DNSServer.Name(both, delays: ["AAAA": 200]), isSix: true),
    ]

    /// Runs `body` with a session that asks this server, in which a lookup that waits for both families never
    /// ends.
    private func with<Result>(
        _ server: DNSServer, _ change: (inout Session.Configuration) throws -> Void = { _ in },
        _ body: (Session) async throws -> Result
    ) async throws -> Result {
        var configuration = Session.Configuration()
        configuration.connections.proxy = .none
        configuration.dns.servers = [server.address]
        configuration.dns.limits.tryTimeout = .seconds(60)
        configuration.dns.limits.lookupTimeout = .seconds(60)
        try change(&configuration)
        let session = try Session(configuration)
        defer { session.close() }
        return try await body(session)
    }

    @Test(
        "A POST to a cold name is sent once, whichever family is missing or late",
        .enabled(if: DNSServer.isInstalled, "\(DNSServer.isMissing)"), arguments: halves)
    func post(half: Half) async throws {
        let server = try DNSServer(["api.test": half.name])
        let upstream = try half.upstream()
        defer { upstream.stop() }
        try await with(server) { session async throws in
            let peer = PeerSession(session: session, base: "http://api.test:\(upstream.port)")
            for count in 1...2 {
                let response = try await peer.provider.request(peer.target("/", .post, .json(["a": 1])))
                #expect(response.text == "GREEN")
                #expect(response.attempts == 1)
                #expect(upstream.requests.count == count)
            }
            #expect(upstream.requests.allSatisfy { $0.hasPrefix("POST / ") })
        }
    }

    @Test(
        "A POST through a proxy, and one to several base URLs, need one family of the names as well",
        .enabled(if: DNSServer.isInstalled, "\(DNSServer.isMissing)"), arguments: halves)
    func otherNames(half: Half) async throws {
        let server = try DNSServer(["one.test": half.name, "two.test": half.name])
        let upstream = try half.upstream()
        defer { upstream.stop() }
        let post = HTTPRequest(url: "http://far.test/", method: .post).setHttpBody(["a": 1])
        try await with(server) { configuration in
            let proxy = try OutboundProxy("one.test:\(upstream.port)")
            configuration.connections.proxy = .fixed(proxy, except: NoProxy())
            configuration.policy = .patient
        } _: { session async throws in
            #expect(try await session.request(post).text == "GREEN")
        }
        #expect(upstream.requests.last?.hasPrefix("POST http://far.test/ ") == true)
        try await with(server) { session async throws in
            let urls = ["one", "two"].map { "http://\($0).test:\(upstream.port)" }
            let provider = try Provider<FileAPI>(
                upstream: "cluster", baseURLs: UpstreamURLs(urls), session: session, policy: .patient)
            for _ in 1...2 {
                let response = try await provider.request(
                    FileAPI(baseURL: "", path: "/", method: .post, task: .json(["a": 1])))
                #expect(response.text == "GREEN")
                #expect(response.attempts == 1)
            }
        }
        #expect(upstream.requests.count == 3)
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
