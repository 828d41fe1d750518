import Foundation
import GatewayCore
import GatewayHTTP
import GatewayTesting
import HTTPModel
import JSONBytes
import Networking
import Rx
import Synchronization
import TestSupport
import Testing

/// Compiles and runs the code of the article "Who may call".
@Suite("The article on who may call", .timeLimit(.minutes(1)))
struct WhoMayCallTests {
    enum CatalogAPI: TargetType {
        case product(Int)

        var baseURL: String { "http://catalog.internal" }

        var path: RequestPath {
            switch self {
            case .product(let id): "/products/\(id)"
            }
        }
    }

    enum UsersAPI: TargetType {
        case user(String)

        var baseURL: String { "http://users.internal" }

        var path: RequestPath {
            switch self {
            case .user(let name): "/users/\(name)"
            }
        }
    }

    enum AccountsAPI: TargetType {
        case session
        case cart(user: String)

        var baseURL: String { "http://accounts.internal" }

        var path: RequestPath {
            switch self {
            case .session: "/session"
            case .cart(let user): "/carts/\(user)"
            }
        }
    }

    let upstreams = StubUpstreams()
    let folder = ScratchFolder()

    let signer: TestTokens
    let partner: TestAPIKey
    /// The file with the partner's line.
    let keys: String

    init() throws {
        signer = try TestTokens(issuer: "https://id.example", audience: "app")
        partner = try TestAPIKey("phone", claims: ["plan=pro"])
        keys = folder.file("partners.keys")
        try "\(partner.line)\n".write(toFile: keys, atomically: true, encoding: .utf8)
    }

    /// Settings for the signer's tokens, with its keys in a file.
    func tokens() throws -> TokenSettings {
        let path = folder.file("keys.json")
        try signer.keySet.write(toFile: path, atomically: true, encoding: .utf8)
        var tokens = TokenSettings(
            keys: TokenSettings.Keys.file(path), algorithms: [.es256], issuer: "https://id.example",
            audience: ["app"])
        tokens.required = ["exp", "sub"]
        return tokens
    }

    // MARK: API keys

    func declarePartners(on gateway: Gateway, keys: String) {
        let catalog = gateway.provider(CatalogAPI.self, upstream: "catalog")

        gateway.auth("partners", .apiKeys(file: keys))
        gateway.get("/products/{id}", .require("partners")) { request in
            .parts(product: catalog.rx.request(.product(try request.path("id"))).fragment())
        }
    }

    @Test(
        "A partner with a key is served, and a stranger reaches no upstream", arguments: GatewayWorld.allCases
    )
    func partners(world: GatewayWorld) async throws {
        let keys = keys
        upstreams["catalog"].on(.get, "/products/7").answer(json: ["name": "Kettle"])
        try await withGateway(
            world, upstreams: upstreams, declare: { declarePartners(on: $0, keys: keys) }
        ) { client in
            let stranger = try await client.get("/products/7")
            #expect(stranger.status == .unauthorized)
            #expect(stranger.fields[.wwwAuthenticate] == "APIKey")
            let guess = try await client.get("/products/7", ["X-API-Key": "sluice_guess"])
            #expect(guess.status == .unauthorized)
            #expect(upstreams["catalog"].requests.isEmpty)
            let partner = try await client.get("/products/7", partner.fields())
            #expect(try partner.data() == #"{"product":{"name":"Kettle"}}"#)
            #expect(upstreams["catalog"].requests.last?.fields.contains("X-API-Key") == false)
        }
    }

    // MARK: Tokens

    func declareMobile(on gateway: Gateway) {
        let users = gateway.provider(UsersAPI.self, upstream: "users")
        _ = gateway.proxyUpstream("id", baseURL: "https://id.example")

        var tokens = TokenSettings(
            keys: .upstream("id", get: "/jwks.json"), algorithms: [.es256], issuer: "https://id.example",
            audience: ["app"])
        tokens.required = ["exp", "sub"]
        gateway.auth("mobile", .jwt(tokens))

        gateway.get("/me", .require("mobile")) { request in
            let user = try request.claim("sub", as: String.self)
            return .parts(user: users.rx.request(.user(user)).fragment())
        }
    }

    @Test("The keys of a provider come through its upstream")
    func mobile() async throws {
        upstreams["id"].on(.get, "/jwks.json").answer(.json(signer.keySet))
        upstreams["users"].on(.get, "/users/kim").answer(json: ["name": "Kim"])
        try await withGateway(.virtualTime, upstreams: upstreams, declare: declareMobile) { client in
            let stranger = try await client.get("/me")
            #expect(stranger.status == .unauthorized)
            #expect(stranger.fields[.wwwAuthenticate] == "Bearer")
            let now = try await client.get("/me", signer.bearer("kim"))
            #expect(try now.data() == #"{"user":{"name":"Kim"}}"#)
            let other = try await client.get("/me", signer.bearer("kim", ["aud": "shop"]))
            #expect(other.status == .unauthorized)
            #expect(other.fields[.wwwAuthenticate] == #"Bearer error="invalid_token""#)
        }
    }

    // MARK: An authorizer

    func declareCart(on gateway: Gateway) {
        let accounts = gateway.provider(AccountsAPI.self, upstream: "accounts")

        var session = AuthorizerSettings(upstream: "accounts", get: "/session")
        session.timeout = .milliseconds(500)
        gateway.auth("session", .authorize(session))

        gateway.get("/cart", .require("session")) { request in
            let user = try request.claim("user", as: String.self)
            return .parts(cart: accounts.rx.request(.cart(user: user)).fragment())
        }
    }

    @Test("Another service decides, and its answer has the claims", arguments: GatewayWorld.allCases)
    func cart(world: GatewayWorld) async throws {
        answerSessions()
        try await withGateway(world, upstreams: upstreams, declare: declareCart) { client in
            let cart = try await client.get("/cart", [.authorization: "Bearer good"])
            #expect(try cart.data() == #"{"cart":[]}"#)
            let refused = try await client.get("/cart", [.authorization: "Bearer bad"])
            #expect(refused.status == .unauthorized)
            #expect(refused.fields[.wwwAuthenticate] == "Bearer")
        }
        let question = try #require(upstreams["accounts"].requests.first { $0.path == "/session" })
        #expect(question.fields["X-Forwarded-Uri"] == "/cart")
        let call = try #require(upstreams["accounts"].requests.first { $0.path == "/carts/kim" })
        #expect(!call.fields.contains(.authorization))
    }

    private func answerSessions() {
        upstreams["accounts"].on(.get, "/session").answer { request in
            request.fields[.authorization] == "Bearer good"
                ? .json(#"{"user":"kim"}"#)
                : .status(.unauthorized, fields: [.wwwAuthenticate: "Bearer"])
        }
        upstreams["accounts"].on(.get, "/carts/kim").answer(json: "[]")
    }

    // MARK: Claims

    func declareProfile(on gateway: Gateway, _ tokens: TokenSettings) {
        let users = gateway.provider(UsersAPI.self, upstream: "users")

        gateway.auth(
            "mobile", AuthMethod.jwt(tokens),
            send: ["X-User-Id": "{claims.sub}", "X-Org": "{claims.org.id}"])
        gateway.get("/profile", .require("mobile", scopes: ["profile"])) { request in
            guard let identity: Identity = request.identity, let user = identity.subject else {
                throw GatewayError.forbidden("Nobody is known")
            }
            return .parts(
                user: users.rx.request(.user(user)).fragment(),
                roles: Single.just(try request.claim("roles", as: [String].self)))
        }
    }

    @Test("Upstreams learn who calls, and a client cannot forge it", arguments: GatewayWorld.allCases)
    func profile(world: GatewayWorld) async throws {
        let tokens = try tokens()
        upstreams["users"].on(.get, "/users/kim").answer(json: ["name": "Kim"])
        try await withGateway(
            world, upstreams: upstreams, declare: { declareProfile(on: $0, tokens) }
        ) { client in
            let narrow = try signer.bearer("kim", ["scope": "mail"])
            let forbidden = try await client.get("/profile", narrow)
            #expect(forbidden.status == .forbidden)
            #expect(
                forbidden.fields[.wwwAuthenticate] == #"Bearer error="insufficient_scope", scope="profile""#)
            var good = try signer.bearer("kim", ["scope": "mail profile", "roles": ["admin"]])
            good["X-User-Id"] = "boss"
            let profile = try await client.get("/profile", good)
            #expect(try profile.data() == #"{"user":{"name":"Kim"},"roles":["admin"]}"#)
        }
        let call = try #require(upstreams["users"].requests.last)
        #expect(call.fields["X-User-Id"] == "kim")
        #expect(!call.fields.contains("X-Org"))
        #expect(!call.fields.contains(.authorization))
    }

    // MARK: Requirements

    func declareForms(on gateway: Gateway) {
        let team = Requirement(any: ["mobile"], scopes: ["reports.read"], claims: ["plan": ["pro", "team"]])

        gateway.defaults(.require("mobile", "partners"))
        gateway.get("/status", .require(.none)) { _ in .json("open") }
        gateway.get("/products") { _ in .json([]) }
        gateway.get("/reports", .require(team)) { _ in .json([]) }
        gateway.get("/greeting", .require("mobile", optional: true)) { request in
            .json(.init(request.identity?.subject ?? "stranger"))
        }
    }

    @Test("Each form of a requirement admits whom it says", arguments: GatewayWorld.allCases)
    func forms(world: GatewayWorld) async throws {
        let tokens = try tokens()
        let keys = keys
        try await withGateway(
            world,
            declare: { gateway in
                gateway.auth("mobile", .jwt(tokens))
                gateway.auth("partners", .apiKeys(file: keys))
                declareForms(on: gateway)
            }
        ) { client in
            func status(_ target: String, _ fields: HTTPFields = HTTPFields()) async throws -> Int {
                Int(try await client.get(target, fields).status.code)
            }
            let kim = try signer.bearer("kim", ["plan": "free"])
            let lee = try signer.bearer("lee", ["plan": "pro", "scope": "reports.read"])
            #expect(try await status("/status") == 200)
            #expect(try await status("/products") == 401)
            #expect(try await status("/products", kim) == 200)
            #expect(try await status("/products", partner.fields()) == 200)
            #expect(try await status("/reports", kim) == 403)
            #expect(try await status("/reports", lee) == 200)
            #expect(try await status("/reports", partner.fields()) == 401)
            let stranger = try await client.get("/greeting").data()
            #expect(stranger == #""stranger""#)
            let known = try await client.get("/greeting", kim).data()
            #expect(known == #""kim""#)
            #expect(try await status("/greeting", [.authorization: "Bearer x"]) == 401)
        }
    }

    // MARK: Browsers

    func declareOrders(on gateway: Gateway, _ tokens: TokenSettings) {
        var tokens = tokens
        tokens.cookie = "__Host-session"
        gateway.auth("web", .jwt(tokens))

        gateway.defaults(.require("web"))
        gateway.post("/orders") { request in
            .json(["user": .init(try request.claim("sub", as: String.self))])
        }
        gateway.post("/hooks", .require("partners")) { _ in .status(.noContent) }
    }

    @Test(
        "A page of another site cannot write with a cookie, and a webhook needs a key",
        arguments: GatewayWorld.allCases)
    func orders(world: GatewayWorld) async throws {
        let tokens = try tokens()
        let keys = keys
        var configuration = GatewayServerConfiguration()
        configuration.cors = CORSPolicy(
            origins: .list(["https://app.example"]), headers: [.contentType], allowsCredentials: true)
        try await withGateway(
            world, configuration: configuration,
            declare: { gateway in
                gateway.auth("partners", .apiKeys(file: keys))
                declareOrders(on: gateway, tokens)
            }
        ) { client in
            let token = try signer.token("kim")
            func post(_ path: String, _ fields: HTTPFields) async throws -> TestResponse {
                var fields = fields
                fields[.cookie] = "__Host-session=\(token)"
                return try await client.send(.post, path, fields)
            }
            let foreign = try await post("/orders", [.origin: "https://other.example"])
            #expect(foreign.status == .forbidden)
            let hidden = try await post("/orders", ["Sec-Fetch-Site": "cross-site"])
            #expect(hidden.status == .forbidden)
            let own = try await post("/orders", [.origin: "https://app.example"])
            #expect(try own.data() == #"{"user":"kim"}"#)
            #expect(own.fields[.accessControlAllowOrigin] == "https://app.example")
            let cookie = try await post("/hooks", ["Sec-Fetch-Site": "cross-site"])
            #expect(cookie.status == .unauthorized)
            let hook = try await client.send(.post, "/hooks", partner.fields())
            #expect(hook.status == .noContent)
        }
    }

    // MARK: Sessions

    func declareSessions(on gateway: Gateway) {
        let users = gateway.provider(UsersAPI.self, upstream: "users")
        let proxy = gateway.proxyUpstream("session", baseURL: "http://oauth2-proxy:4180")

        var session = AuthorizerSettings(upstream: "session", get: "/oauth2/auth", forward: [.cookie])
        session.take = [
            TakenField("sub", from: "X-Auth-Request-User"),
            TakenField("token", from: "X-Auth-Request-Access-Token"),
        ]
        session.answer = [.setCookie]
        gateway.auth("web", .authorize(session), send: [.authorization: "Bearer {claims.token}"])

        gateway.proxy(
            "/oauth2/{path...}", to: proxy, at: "/oauth2", methods: [.get, .post],
            fields: .standard.adding(response: .setCookie), .require(.none), .forwardsCookies(to: "session"))
        gateway.get("/me", .require("web")) { request in
            .parts(user: users.rx.request(.user(try request.claim("sub"))).fragment())
        }
    }

    @Test(
        "Upstreams get the access token of a session, and the browser a renewed cookie",
        arguments: GatewayWorld.allCases)
    func sessions(world: GatewayWorld) async throws {
        upstreams["session"].on(.get, "/oauth2/auth").answer { request in
            request.fields[.cookie] == "__Host-session=1"
                ? .status(
                    .accepted,
                    fields: [
                        "X-Auth-Request-User": "kim", "X-Auth-Request-Access-Token": "t",
                        .setCookie: "__Host-session=2",
                    ])
                : .status(.unauthorized)
        }
        upstreams["session"].on(.get, "/oauth2/start").answer(
            .status(.found, fields: [.location: "https://id.example/login", .setCookie: "__Host-csrf=1"]))
        upstreams["users"].on(.get, "/users/kim").answer(json: ["name": "Kim"])
        try await withGateway(world, upstreams: upstreams, declare: declareSessions) { client in
            #expect(try await client.get("/me").status == .unauthorized)
            let login = try await client.send(.get, "/oauth2/start?rd=/")
            #expect(login.status == .found)
            #expect(login.fields[.setCookie] == "__Host-csrf=1")
            let me = try await client.get("/me", [.cookie: "__Host-session=1"])
            #expect(try me.data() == #"{"user":{"name":"Kim"}}"#)
            #expect(me.fields[.setCookie] == "__Host-session=2")
        }
        let call = try #require(upstreams["users"].requests.last)
        #expect(call.fields[.authorization] == "Bearer t")
        #expect(!call.fields.contains(.cookie))
    }
}
