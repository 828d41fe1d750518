import GatewayCore
import GatewayHTTP
import GatewayTesting
import HTTPModel
import JSONBytes
import Testing

@Suite("Calls that match no stub")
struct UnmatchedCallTests {
    private func unmatched(
        _ world: GatewayWorld, _ upstreams: StubUpstreams, _ body: (TestClient) async throws -> Void
    ) async throws -> UnmatchedCalls {
        let error = await #expect(throws: UnmatchedCalls.self) {
            try await withGateway(world, upstreams: upstreams, declare: declareShop, body)
        }
        return try #require(error)
    }

    @Test(
        "The failure names the call and what each stub missed, nearest first",
        arguments: GatewayWorld.allCases)
    func named(world: GatewayWorld) async throws {
        let upstreams = StubUpstreams()
        upstreams["diary"].on(.post, "/orders").answer(json: "1")
        upstreams["diary"].on(.get, "/weights/{date}", query: ["half": "am"]).answer(json: "1")
        let error = try await unmatched(world, upstreams) { client in
            let response = try await client.get("/weights/2026-11-20?half=pm")
            #expect(response.status == .badGateway)
        }
        #expect(
            error.description == """
                GET /weights/2026-11-20?half=pm of upstream "diary" matched no stub; declared:
                  GET /weights/{date} with query half=am: the query has half=pm
                  POST /orders: the method is GET, the path is /weights/2026-11-20
                """)
    }

    @Test("The failure shows where a body differs, and how it was compared", arguments: GatewayWorld.allCases)
    func body(world: GatewayWorld) async throws {
        let upstreams = StubUpstreams()
        upstreams["orders"].on(.post, "/orders", jsonContaining: ["item": 14]).answer(json: "1")
        upstreams["orders"].on(.post, "/orders", jsonContaining: ["gift": true]).answer(json: "1")
        upstreams["orders"].on(.post, "/orders", json: [:]).answer(json: "1")
        upstreams["orders"].on(.post, "/orders", json: "[13]").answer(json: "1")
        upstreams["orders"].on(.post, "/orders", json: ["item": 12]).answer(json: "1")
        upstreams["orders"].on(.post, "/orders", json: "{").answer(json: "1")
        let error = try await unmatched(world, upstreams) { client in
            _ = try await client.post("/orders", json: ["item": 13])
        }
        #expect(
            error.description == """
                POST /orders of upstream "orders" matched no stub; declared:
                  POST /orders with a body containing {"item":14}: /item is 13, not 14, in the body {"item":13}
                  POST /orders with a body containing {"gift":true}: /gift is missing, in the body {"item":13}
                  POST /orders with a body equal to {}: /item is a further member, which only jsonContaining: \
                allows, in the body {"item":13}
                  POST /orders with a body equal to [13]: the body is {"item":13}, not [13]
                  POST /orders with a body equal to {"item":12}: /item is 13, not 12, in the body {"item":13}
                  POST /orders with the body {: the stub's json is not JSON
                """)
    }

    @Test("An upstream without stubs is named", arguments: GatewayWorld.allCases)
    func noStubs(world: GatewayWorld) async throws {
        let error = try await unmatched(world, StubUpstreams()) { client in
            _ = try await client.get("/total")
        }
        #expect(error.calls == [#"GET /total of upstream "diary" matched no stub; declared: none"#])
    }

    @Test("The failure names the test's own error as well", arguments: GatewayWorld.allCases)
    func ownError(world: GatewayWorld) async throws {
        struct Wrong: Error {}
        let error = try await unmatched(world, StubUpstreams()) { client in
            _ = try await client.get("/total")
            throw Wrong()
        }
        #expect(error.testError is Wrong)
        #expect(error.description.hasSuffix("\nThen the test threw: Wrong()"))
    }

    @Test("At most twenty calls are described, and all are counted")
    func many() async throws {
        let error = try await unmatched(.virtualTime, StubUpstreams()) { client in
            for _ in 0..<25 { _ = try await client.get("/total") }
        }
        #expect(error.calls.count == 20)
        #expect(error.count == 25)
        #expect(error.description.hasSuffix("and 5 more calls"))
    }

    @Test("A test's own error is thrown unchanged if every call matched", arguments: GatewayWorld.allCases)
    func unchanged(world: GatewayWorld) async throws {
        struct Wrong: Error {}
        await #expect(throws: Wrong.self) {
            try await withGateway(world, declare: declareShop) { client in
                _ = try await client.get("/text")
                throw Wrong()
            }
        }
    }

    @Test("An unknown upstream's stub fails the start", arguments: GatewayWorld.allCases)
    func unknownUpstream(world: GatewayWorld) async throws {
        let upstreams = StubUpstreams()
        upstreams["dairy"].onAny.answer(json: "1")
        let error = await #expect(throws: GatewayDeclarationError.self) {
            try await withGateway(world, upstreams: upstreams, declare: declareShop) { _ in }
        }
        #expect(try #require(error).description.contains(#"the unknown upstream "dairy""#))
    }
}
