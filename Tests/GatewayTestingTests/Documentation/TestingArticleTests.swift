import GatewayCore
import GatewayHTTP
import GatewayTesting
import HTTPModel
import JSONBytes
import Networking
import Rx
import Testing

/// Compiles and runs the code of the article "Testing".
@Suite("The article on testing")
struct TestingArticleTests {
    @Test("A slow diary delays the page by exactly its own time", arguments: GatewayWorld.allCases)
    func slowDiary(world: GatewayWorld) async throws {
        let upstreams = StubUpstreams()
        upstreams["diary"].on(.get, "/weights/{date}").answer(.json("[71]").after(.milliseconds(80)))

        try await withGateway(world, upstreams: upstreams, declare: declareShop) { client in
            let response = try await client.get("/weights/2026-11-20")
            #expect(response.status == .ok)
            #expect(try response.json[member: "data"]?.description == #"{"weights":[71]}"#)
            if world == .virtualTime { #expect(response.elapsed == .milliseconds(80)) }
        }
    }

    @Sendable func declareReport(on gateway: Gateway) {
        gateway.get("/report") { _ async throws -> Answer in
            .json(await Task.detached { (1...73).reduce(0, +) }.value)
        }
    }

    @Test("A report that another thread computes takes no virtual time")
    func report() async throws {
        try await withGateway(.virtualTime(patience: .seconds(5)), declare: declareReport) { client in
            let response = try await client.get("/report")
            #expect(try response.json[member: "data"]?.description == "2701")
            #expect(response.elapsed == .zero)
        }
    }

    @Test("All kinds of stubs are declared", arguments: GatewayWorld.allCases)
    func stubs(world: GatewayWorld) async throws {
        let upstreams = StubUpstreams()
        let diary = upstreams["diary"]
        diary.on(.get, "/weights/{date}", query: ["half": "am"]).answer(json: "[]")
        diary.on(.get, "/weights/{date}").answer { request in
            .json(["date": .init(request.parameters["date"] ?? "")])
        }
        diary.on(.get, "/slow").answer(.hangs)
        let total = diary.on(.get, "/total").answers(.status(.serviceUnavailable), .json("7"))
        let orders = upstreams["orders"].on(.post, "/orders", json: ["item": 12])
            .answer(json: ["id": 1], status: .created)
        upstreams["orders"].on(.post, "/orders", jsonContaining: ["item": 13]).answer(json: ["id": 2])

        try await withGateway(world, upstreams: upstreams, declare: declareShop) { client in
            let weights = try await client.get("/weights/2026-11-20?half=pm")
            #expect(try weights.data() == #"{"weights":{"date":"2026-11-20"}}"#)
            let retried = try await client.get("/total")
            #expect(try retried.data() == #"{"total":7}"#)
            let ordered = try await client.post("/orders", json: ["item": 12])
            #expect(ordered.status == .ok)
            let other = try await client.post("/orders", json: ["item": 13])
            #expect(try other.data() == #"{"order":{"id":2}}"#)
        }
        #expect(total.requests.count == 2)
        #expect(try orders.requests.first?.json[member: "item"]?.intValue == 12)
    }

    @Test("The message of a call without a stub is the one in the article")
    func message() async throws {
        let upstreams = StubUpstreams()
        upstreams["diary"].on(.get, "/weights/{date}", query: ["half": "am"]).answer(json: "[]")
        upstreams["diary"].on(.get, "/total").answer(json: "7")
        let error = await #expect(throws: UnmatchedCalls.self) {
            try await withGateway(.virtualTime, upstreams: upstreams, declare: declareShop) { client in
                _ = try await client.get("/weights/2026-11-20?half=pm")
            }
        }
        #expect(
            error?.description == """
                GET /weights/2026-11-20?half=pm of upstream "diary" matched no stub; declared:
                  GET /weights/{date} with query half=am: the query has half=pm
                  GET /total: the path is /weights/2026-11-20
                """)
    }

    @Test("The message of a body that differs is the one in the article")
    func bodyMessage() async throws {
        let upstreams = StubUpstreams()
        upstreams["orders"].on(.post, "/orders", json: ["item": 12]).answer(json: "1")
        upstreams["orders"].on(.post, "/orders", jsonContaining: ["gift": true]).answer(json: "1")
        let error = await #expect(throws: UnmatchedCalls.self) {
            try await withGateway(.virtualTime, upstreams: upstreams, declare: declareShop) { client in
                _ = try await client.post("/orders", json: ["item": 13])
            }
        }
        #expect(
            error?.description == """
                POST /orders of upstream "orders" matched no stub; declared:
                  POST /orders with a body equal to {"item":12}: /item is 13, not 12, in the body {"item":13}
                  POST /orders with a body containing {"gift":true}: /gift is missing, in the body {"item":13}
                """)
    }

    @Test("A wait lets pass exactly its time")
    func wait() async throws {
        let upstreams = StubUpstreams()
        let slow = upstreams["diary"].on(.get, "/total").answer(.json("7").after(.seconds(2)))
        try await withGateway(.virtualTime, upstreams: upstreams, declare: declareShop) { client in
            async let total = client.get("/total")
            try await client.wait(.seconds(1))
            #expect(slow.requests.count == 1)
            #expect(try await total.elapsed == .seconds(2))
        }
    }

    @Test("An upstream fails and recovers", arguments: GatewayWorld.allCases)
    func faults(world: GatewayWorld) async throws {
        let upstreams = StubUpstreams()
        upstreams["diary"].on(.get, "/total").answer(json: "7")
        try await withGateway(world, upstreams: upstreams, declare: declareShop) { client in
            upstreams["diary"].fault = .refusesConnections
            let refused = try await client.get("/total")
            #expect(refused.status == .badGateway)

            upstreams["diary"].fault = nil
            let recovered = try await client.get("/total")
            #expect(recovered.status == .ok)
        }
    }

    @Test("Clients overlap, leave early and read streams", arguments: GatewayWorld.allCases)
    func clients(world: GatewayWorld) async throws {
        let upstreams = StubUpstreams()
        let diary = upstreams["diary"]
        let slow = diary.on(.get, "/total").answer(.json("7").after(.seconds(2)))
        diary.on(.get, "/weights/{date}").answer(json: "[71]")
        try await withGateway(world, upstreams: upstreams, declare: declareShop) { client in
            async let first = client.get("/weights/2026-11-20")
            async let second = client.get("/weights/2026-11-21")
            #expect(try await [first, second].allSatisfy { $0.status == .ok })

            let impatient = try await client.send(.get, "/total", leavingAfter: .milliseconds(100))
            #expect(impatient == nil)

            let stream = try await client.stream(.get, "/text")
            var text = ""
            for try await piece in stream.pieces { text += String(decoding: piece, as: UTF8.self) }
            #expect(text == "hello")
        }
        #expect(slow.requests.first?.isAbandoned == true)
    }

    @Test("Settings, fields and bodies", arguments: GatewayWorld.allCases)
    func settings(world: GatewayWorld) async throws {
        let upstreams = StubUpstreams()
        let total = upstreams["diary"].on(.get, "/total").answer(json: "7")
        var configuration = GatewayServerConfiguration()
        configuration.cors = CORSPolicy(origins: .list(["https://app.example"]))
        try await withGateway(
            world, upstreams: upstreams, configuration: configuration, declare: declareShop
        ) { client in
            let response = try await client.get("/total", [.origin: "https://app.example"])
            #expect(response.fields[.accessControlAllowOrigin] == "https://app.example")
            #expect(total.requests.first?.fields[.origin] == nil)

            let echo = try await client.send(
                .patch, "/echo", [.contentType: "text/csv"], body: Array("a,b".utf8))
            #expect(echo.text == "a,b")
        }
    }

    /// On a slow machine a second of real time could pass before the refused request. `AccessTests` has the
    /// same with sockets.
    @Test("Tokens, keys and limits", arguments: [GatewayWorld.virtualTime])
    func callers(world: GatewayWorld) async throws {
        let upstreams = StubUpstreams()
        let tokens = try TestTokens(issuer: "https://id.example", audience: "app")
        upstreams["id"].on(.get, "/jwks.json").answer { _ in .json(tokens.keySet) }
        let shop = try TestAPIKey("shop", claims: ["plan=pro"])

        try await withGateway(world, upstreams: upstreams) { gateway in
            let keys = TokenSettings.Keys.upstream("id", get: "/jwks.json")
            gateway.auth(
                "mobile",
                .jwt(
                    TokenSettings(
                        keys: keys, algorithms: [.es256], issuer: "https://id.example", audience: ["app"])))
            gateway.auth("partners", .apiKeys(APIKeySettings(lines: [shop.line])))
            gateway.rateLimit("perCaller", RateLimit(key: [.identity], rate: 1, per: .seconds(1)))
            gateway.get("/me", .require("mobile", "partners"), .rateLimits("perCaller")) { request in
                .json(try request.claim("sub", as: String.self))
            }
        } _: { client in
            #expect(try await client.get("/me").status == .unauthorized)
            #expect(try await client.get("/me", tokens.bearer("ann", ["exp": 0])).status == .unauthorized)
            #expect(try await client.get("/me", tokens.bearer("ann")).status == .ok)
            #expect(try await client.get("/me", shop.fields()).status == .ok)

            #expect(try await client.get("/me", shop.fields()).status == .tooManyRequests)
            try await client.wait(.seconds(1))
            #expect(try await client.get("/me", shop.fields()).status == .ok)
        }
    }
}
