import GatewayCore
import GatewayHTTP
import GatewayTesting
import HTTPModel
import JSONBytes
import Testing

@Suite("Callers in tests of gateways", .timeLimit(.minutes(1)))
struct AccessTests {
    private let tokens: TestTokens
    private let upstreams = StubUpstreams()

    init() throws {
        let tokens = try TestTokens(issuer: "https://id.example", audience: "app")
        self.tokens = tokens
        upstreams["id"].on(.get, "/keys").answer { _ in .json(tokens.keySet) }
    }

    @Sendable private static func declare(_ gateway: Gateway) {
        gateway.auth(
            "mobile",
            .jwt(
                TokenSettings(
                    keys: .upstream("id", get: "/keys"), algorithms: [.es256, .ed25519],
                    issuer: "https://id.example", audience: ["app"])))
        gateway.get("/me", .require("mobile", scopes: ["read"])) { request in
            .json(try request.claim("sub", as: String.self))
        }
    }

    @Test(
        "A signed token has the identity and the claims that a test gives it",
        arguments: GatewayWorld.allCases)
    func accepted(world: GatewayWorld) async throws {
        try await withGateway(world, upstreams: upstreams, declare: Self.declare) { client in
            let response = try await client.get("/me", tokens.bearer("ann", ["scope": "read write"]))
            #expect(response.status == .ok)
            #expect(try response.json[member: "data"]?.stringValue == "ann")
            #expect(try await client.get("/me", tokens.bearer("ann")).status == .forbidden)
            #expect(try await client.get("/me").status == .unauthorized)
        }
    }

    @Test(
        "A claim that the gateway does not accept is refused, and so is a forged token",
        arguments: GatewayWorld.allCases)
    func refused(world: GatewayWorld) async throws {
        let forger = try TestTokens(issuer: "https://id.example", audience: "app")
        try await withGateway(world, upstreams: upstreams, declare: Self.declare) { client async throws in
            for claims: KeyValuePairs<String, JSONLiteral> in [
                ["iss": "https://elsewhere.example"], ["aud": "another"], ["exp": 0], ["exp": "soon"],
            ] {
                #expect(try await client.get("/me", tokens.bearer("ann", claims)).status == .unauthorized)
            }
            #expect(
                try await client.get("/me", forger.bearer("ann", ["scope": "read"])).status == .unauthorized)
        }
    }

    @Test("A token expires in virtual time, with the 30 s by which clocks may differ")
    func expires() async throws {
        try await withGateway(.virtualTime, upstreams: upstreams, declare: Self.declare) { client in
            let fields = try tokens.bearer(
                "ann", ["scope": "read", "exp": JSONLiteral(client.unixTime + 60)])
            #expect(try await client.get("/me", fields).status == .ok)
            try await client.wait(.seconds(80))
            #expect(try await client.get("/me", fields).status == .ok)
            try await client.wait(.seconds(20))
            #expect(try await client.get("/me", fields).status == .unauthorized)
        }
    }

    @Test("A new signing key is fetched for the first token that it has signed, once in 30 s")
    func rotated() async throws {
        try await withGateway(.virtualTime, upstreams: upstreams, declare: Self.declare) { client in
            let old = try tokens.bearer("ann", ["scope": "read"])
            #expect(try await client.get("/me", old).status == .ok)
            try await client.wait(.seconds(31))
            try tokens.rotate()
            #expect(try await client.get("/me", tokens.bearer("bob", ["scope": "read"])).status == .ok)
            #expect(upstreams["id"].requests.count == 2)
            try await client.wait(.seconds(31))
            try tokens.rotate(keepingOld: false)
            #expect(try await client.get("/me", tokens.bearer("bob", ["scope": "read"])).status == .ok)
            #expect(try await client.get("/me", old).status == .unauthorized)
        }
    }

    @Test("Ed25519 signs, too, and RS256 does not")
    func algorithms() async throws {
        let tokens = try TestTokens(issuer: "https://id.example", audience: "app", algorithm: .ed25519)
        let upstreams = StubUpstreams()
        upstreams["id"].on(.get, "/keys").answer { _ in .json(tokens.keySet) }
        try await withGateway(
            .virtualTime, upstreams: upstreams, declare: Self.declare
        ) { client async throws in
            #expect(try await client.get("/me", tokens.bearer("ann", ["scope": "read"])).status == .ok)
        }
        #expect(throws: (any Error).self) {
            try TestTokens(issuer: "a", audience: "b", algorithm: .rs256)
        }
    }

    @Test(
        "An API key has the claims of its line. Its caller meets a limit and, in virtual time, waits for it",
        arguments: GatewayWorld.allCases)
    func keysAndLimits(world: GatewayWorld) async throws {
        let shop = try TestAPIKey("shop", claims: ["plan=pro"])
        try await withGateway(world) { gateway in
            gateway.auth("partners", .apiKeys(APIKeySettings(lines: [shop.line])))
            // In an hour, also a slow machine gets no request back.
            gateway.rateLimit("perCaller", RateLimit(key: [.identity], rate: 2, per: .seconds(3600)))
            gateway.get("/plan", .require("partners", claims: ["plan": ["pro"]]), .rateLimits("perCaller")) {
                .json(try $0.claim("plan", as: String.self))
            }
        } _: { client in
            for _ in 0..<2 {
                let response = try await client.get("/plan", shop.fields())
                #expect(try response.json[member: "data"]?.stringValue == "pro")
            }
            let refused = try await client.get("/plan", shop.fields())
            #expect(refused.status == .tooManyRequests)
            let wait = try #require(refused.fields[.retryAfter].flatMap { Int($0) })
            #expect((1700...1800).contains(wait))
            if world == .virtualTime {
                #expect(wait == 1800)
                try await client.wait(.seconds(1799))
                #expect(try await client.get("/plan", shop.fields()).status == .tooManyRequests)
                try await client.wait(.seconds(1))
                #expect(try await client.get("/plan", shop.fields()).status == .ok)
            }
            #expect(throws: (any Error).self) { try TestAPIKey("a name") }
        }
    }

    @Test("In virtual time a store counts at once, and no Redis is needed")
    func store() async throws {
        var configuration = GatewayServerConfiguration()
        configuration.stores["main"] = RedisStore("redis://127.0.0.1:1")
        try await withGateway(.virtualTime, configuration: configuration) { gateway in
            gateway.rateLimit(
                "shared",
                RateLimit(key: [.client], rate: 1, per: .seconds(60), store: "main", onStoreFailure: .deny))
            gateway.get("/once", .rateLimits("shared")) { _ in .json(1) }
        } _: { client in
            #expect(try await client.get("/once").status == .ok)
            #expect(try await client.get("/once").status == .tooManyRequests)
            try await client.wait(.seconds(60))
            #expect(try await client.get("/once").status == .ok)
        }
    }

    @Test("A stub is an authorizer", arguments: GatewayWorld.allCases)
    func authorizer(world: GatewayWorld) async throws {
        let upstreams = StubUpstreams()
        let asked = upstreams["session"].on(.get, "/auth").answer { request in
            request.fields[.cookie] == "s=1" ? .json(#"{"sub":"ann"}"#) : .status(.unauthorized)
        }
        try await withGateway(world, upstreams: upstreams) { gateway in
            gateway.auth(
                "web",
                .authorize(AuthorizerSettings(upstream: "session", get: "/auth", forward: [.cookie])))
            gateway.get("/me", .require("web")) { .json(try $0.claim("sub", as: String.self)) }
        } _: { client async throws in
            #expect(try await client.get("/me", [.cookie: "s=1"]).status == .ok)
            #expect(try await client.get("/me", [.cookie: "s=2"]).status == .unauthorized)
            #expect(try await client.get("/me").status == .unauthorized)
            #expect(asked.requests.count == 2)
        }
    }
}
