import GatewayConfig
import GatewayCore
import HTTPModel
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("Limits by the client's address", .timeLimit(.minutes(1)))
struct ClientLimitTests {
    /// Serves `/once`, which each client may ask for once an hour.
    private func serve(
        _ clients: ClientSettings, declare: (Gateway) throws -> Void = { _ in },
        _ body: (GatewayServer) throws -> Void
    ) throws {
        _ = try withLoggedGateway {
            $0.clients = clients
        } declare: { gateway in
            gateway.rateLimit("once", RateLimit(key: [.client], rate: 1, per: .seconds(3600)))
            gateway.get("/once", .rateLimits("once")) { _ in .json(1) }
            try declare(gateway)
        } _: { server throws in
            try body(server)
        }
    }

    private static func told(_ address: String) -> String { "X-Forwarded-For: \(address)\r\n" }

    @Test("Each address has requests of its own, whatever a client that is not trusted tells of others")
    func peers() throws {
        try serve(ClientSettings()) { server throws in
            #expect(try server.ask("/once").status == 200)
            #expect(try server.ask("/once", Self.told("203.0.113.9")).status == 429)
            #expect(try server.ask("/once", host: 2).status == 200)
            #expect(try server.ask("/once", host: 2).status == 429)
            #expect(server.settled.access.limits["once"] == RateLimitReport(allowed: 2, limited: 2))
        }
    }

    @Test("Behind a trusted proxy, each client that it tells of has requests of its own")
    func proxied() throws {
        var clients = ClientSettings()
        clients.trusted = try TrustedProxies(["loopback"])
        try serve(clients) { server throws in
            let client = try RawClient(port: server.port)
            defer { client.close() }
            for (address, status) in [
                ("203.0.113.9", 200), ("203.0.113.8", 200), ("203.0.113.9", 429), ("203.0.113.8", 429),
                // Of IPv6 the first 64 bits are the client's.
                ("2001:db8::1", 200), ("2001:db8::2", 429), ("2001:db8:0:1::1", 200),
                // An IPv4 address in IPv6 is the IPv4 address.
                ("::ffff:203.0.113.9", 429),
            ] {
                #expect(try client.reply(to: "/once", Self.told(address)).status == status, "\(address)")
            }
            // The proxy itself.
            #expect(try client.reply(to: "/once").status == 200)
            #expect(try client.reply(to: "/once").status == 429)
        }
    }

    @Test("The PROXY protocol tells the client of a connection")
    func proxyProtocol() throws {
        var clients = ClientSettings()
        clients.trusted = try TrustedProxies(["loopback"])
        clients.header = .proxyProtocol
        try serve(clients) { server throws in
            for (address, status) in [("203.0.113.9", 200), ("203.0.113.9", 429), ("203.0.113.8", 200)] {
                let client = try RawClient(port: server.port)
                client.send("PROXY TCP4 \(address) 127.0.0.1 4711 80\r\n")
                #expect(try client.reply(to: "/once", Self.told("198.51.100.1")).status == status)
                client.close()
            }
        }
    }

    @Test("A request that is refused for its credential has used up a limit by client")
    func guessing() throws {
        try serve(
            ClientSettings(),
            declare: { gateway in
                gateway.auth("partners", .apiKeys(APIKeySettings(lines: [])))
                gateway.get("/keys", .require("partners"), .rateLimits("once")) { _ in .json(1) }
            }
        ) { server throws in
            let reply = try server.ask("/keys", "X-API-Key: guessed\r\n")
            #expect(reply.status == 401)
            #expect(reply.value("RateLimit") != nil)
            #expect(try server.ask("/keys", "X-API-Key: another\r\n").status == 429)
        }
    }

    @Test("A limit counts the requests of all loops together")
    func allLoops() throws {
        _ = try withLoggedGateway {
            $0.loops = 4
        } declare: { gateway in
            gateway.rateLimit("ten", RateLimit(key: [.client], rate: 10, per: .seconds(3600)))
            gateway.get("/ten", .rateLimits("ten")) { _ in .json(1) }
        } _: { server throws in
            let clients = try server.clientsOfLoops()
            let statuses = try (0..<40).map { try clients[$0 % 4].reply(to: "/ten").status }
            #expect(statuses.count { $0 == 200 } == 10)
            #expect(statuses.count { $0 == 429 } == 30)
            for client in clients { client.close() }
        }
    }
}
