import GatewayCore
import GatewayTesting
import HTTPModel
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("Health checks of a gateway that cannot tell who calls", .timeLimit(.minutes(1)))
struct HealthWithoutAccessTests {
    /// Asks both listeners for both checks.
    private func expectHealth(_ server: GatewayServer, _ admin: AdminTester) throws {
        for name in ["live", "ready"] {
            for reply in [try server.ask("/health/\(name)"), try admin.ask("GET /health/\(name)")] {
                #expect(reply.status == 200)
                #expect(reply.text == #"{"status":"\#(name)"}"#)
            }
        }
    }

    @Test(
        "Without signing keys, an authorizer and a store, callers get 503, and the gateway is live and ready")
    func away() throws {
        let closed = try ScriptedUpstream(.closed, [])
        defer { closed.stop() }
        let url = "http://127.0.0.1:\(closed.port)"
        let token = try TestTokens(issuer: IdentityProvider.issuer, audience: "app").token("ann")
        try withAdminGateway(
            configure: {
                $0.upstreams = ["id": [url], "session": [url]]
                $0.stores["main"] = RedisStore("unix:/nowhere/redis")
            },
            declare: { gateway in
                gateway.auth("mobile", .jwt(IdentityProvider.settings))
                gateway.auth(
                    "web",
                    .authorize(AuthorizerSettings(upstream: "session", get: "/auth", forward: ["X-Session"])))
                gateway.rateLimit(
                    "counted",
                    RateLimit(
                        key: [.client], rate: 9, per: .seconds(3600), store: "main", onStoreFailure: .deny))
                gateway.get("/me", .require("mobile")) { _ in .json(1) }
                gateway.get("/cart", .require("web")) { _ in .json(1) }
                gateway.get("/counted", .rateLimits("counted")) { _ in .json(1) }
                gateway.get("/open") { _ in .json(1) }
            }
        ) { server, admin in
            try expectHealth(server, admin)
            for (target, fields) in [
                ("/me", "Authorization: Bearer \(token)\r\n"), ("/cart", "X-Session: 1\r\n"),
                ("/counted", ""),
            ] {
                let reply = try server.ask(target, fields)
                #expect(reply.status == 503, "\(target)")
                #expect(try reply.code() == "UPSTREAM_UNAVAILABLE", "\(target)")
            }
            #expect(!server.site.stores.isAvailable("main"))
            try expectHealth(server, admin)
            #expect(try server.ask("/open").status == 200)
        }
    }
}
