import GatewayTesting
import Shop
import Sluice
import Testing

/// The same tests run on sockets and in virtual time.
@Suite("The shop's endpoints", .timeLimit(.minutes(1)))
struct ShopTests {
    private let upstreams = StubUpstreams()
    private let key: HTTPFields = ["X-API-Key": "test"]
    private let kim: HTTPFields = ["X-API-Key": "test", .authorization: "Bearer kim"]

    init() {
        upstreams["catalog"].on(.get, "/products/7")
            .answer(.json(#"{"id":7,"name":"Kettle","price":3900,"sellerId":3,"warehouse":"B12"}"#))
        upstreams["catalog"].on(.get, "/products/{id}/reviews").answer(.json(#"[{"stars":5}]"#))
        upstreams["stock"].on(.get, "/stock/{id}").answer(.json(#"{"available":4}"#))
        upstreams["sellers"].on(.get, "/sellers/3").answer(.json(#"{"id":3,"name":"Kim"}"#))
        upstreams["accounts"].on(.get, "/session").answer { request in
            request.fields[.authorization] == "Bearer kim"
                ? .json(#"{"user":"kim"}"#) : .status(.unauthorized, fields: [.wwwAuthenticate: "Bearer"])
        }
    }

    private func withShop(_ world: GatewayWorld, _ body: (TestClient) async throws -> Void) async throws {
        try await withGateway(
            world, upstreams: upstreams, declare: { declareShop(on: $0, apiKeys: ["test"]) }, body)
    }

    @Test("Nothing is answered without an API key", arguments: GatewayWorld.allCases)
    func apiKey(world: GatewayWorld) async throws {
        try await withShop(world) { client in
            for path in ["/api/products/7", "/api/cart", "/none"] {
                let response = try await client.get(path)
                #expect(response.status == .unauthorized)
                #expect(response.fields[.wwwAuthenticate] == "APIKey")
            }
            #expect(try await client.get("/none", key).status == .notFound)
        }
    }

    @Test("A missing product is 404, whatever else there is", arguments: GatewayWorld.allCases)
    func missingProduct(world: GatewayWorld) async throws {
        upstreams["catalog"].on(.get, "/products/9").answer(.status(.notFound))
        try await withShop(world) { client in
            let response = try await client.get("/api/products/9", key)
            #expect(response.status == .notFound)
            #expect(try response.json[member: "message"]?.stringValue == "product was not found")
        }
    }

    @Test("Reviews, stock and seller may fail, each in its own way", arguments: GatewayWorld.allCases)
    func partial(world: GatewayWorld) async throws {
        upstreams["catalog"].on(.get, "/products/7/reviews").answer(.status(.notFound))
        upstreams["stock"].on(.get, "/stock/7").answer(.truncates)
        upstreams["sellers"].on(.get, "/sellers/3").answer(.status(.gone))
        try await withShop(world) { client in
            let response = try await client.get("/api/products/7", key)
            #expect(response.status == .ok)
            #expect(try response.json[member: "code"]?.stringValue == "PARTIAL")
            #expect(
                try response.json[member: "data"]?.description
                    == #"{"product":{"id":7,"name":"Kettle","cents":3900},"reviews":[],"stock":{"available":null},"seller":null}"#
            )
        }
    }

    @Test(
        "A product has its seller, who is asked for with the id that the product has",
        arguments: GatewayWorld.allCases)
    func product(world: GatewayWorld) async throws {
        try await withShop(world) { client in
            let response = try await client.get("/api/products/7", key)
            #expect(try response.json[member: "code"]?.stringValue == "OK")
            #expect(
                try response.json[member: "data"]?[member: "seller"]?.description == #"{"id":3,"name":"Kim"}"#
            )
            #expect(upstreams["catalog"].requests.count == 2)
            #expect(upstreams["sellers"].requests.map(\.path) == ["/sellers/3"])
            // Nobody but the accounts gets the caller's credentials, and nobody gets the key.
            #expect(upstreams["catalog"].requests.allSatisfy { !$0.fields.contains("X-API-Key") })
        }
    }

    @Test("Comparing names every mistake at once", arguments: GatewayWorld.allCases)
    func compare(world: GatewayWorld) async throws {
        try await withShop(world) { client in
            let refused = try await client.get("/api/compare?ids=7&currency=gbp", key)
            #expect(refused.status == .badRequest)
            let names = try refused.json[member: "details"]?.elements.map { $0[member: "name"]?.stringValue }
            #expect(names == ["ids", "currency"])
            let response = try await client.get("/api/compare?ids=7,7", key)
            #expect(try response.json[member: "data"]?[member: "currency"]?.stringValue == "eur")
        }
    }

    @Test("The cart needs a session, whose 401 is the accounts' own", arguments: GatewayWorld.allCases)
    func session(world: GatewayWorld) async throws {
        upstreams["accounts"].on(.get, "/carts/kim").answer(.json("[]"))
        try await withShop(world) { client in
            let refused = try await client.get("/api/cart", key)
            #expect(refused.status == .unauthorized)
            #expect(refused.fields[.wwwAuthenticate] == "Bearer")
            #expect(
                try await client.get("/api/cart", kim).json[member: "data"]?.description == #"{"cart":[]}"#)
        }
    }

    @Test("An item is written once, and the cart is drawn anew", arguments: GatewayWorld.allCases)
    func items(world: GatewayWorld) async throws {
        let item = #"{"product":7,"count":2}"#
        upstreams["accounts"].on(.post, "/carts/kim/items", json: ["product": 7, "count": 2]).answer(
            .json(item))
        upstreams["accounts"].on(.get, "/carts/kim").answer(.json("[\(item)]"))
        try await withShop(world) { client in
            let tooMany = try await client.post("/api/cart/items", json: #"{"product":7,"count":11}"#, kim)
            #expect(tooMany.status == .conflict)
            #expect(try tooMany.json[member: "code"]?.stringValue == "CART_LIMIT")
            #expect(try tooMany.json[member: "details"]?.description == #"{"most":10}"#)
            let response = try await client.post("/api/cart/items", json: item, kim)
            #expect(response.status == .created)
            #expect(try response.json[member: "data"]?.description == #"{"cart":[{"product":7,"count":2}]}"#)
        }
    }
}

@Suite("The shop's time limits")
struct ShopTimeTests {
    @Test("A stock that stays silent is given up after 0.8 s")
    func stock() async throws {
        let upstreams = StubUpstreams()
        upstreams["stock"].on(.get, "/stock/7").answer(.hangs)
        try await withGateway(
            .virtualTime, upstreams: upstreams, declare: { declareShop(on: $0, apiKeys: ["test"]) }
        ) { client in
            let response = try await client.get("/api/products/7/stock", ["X-API-Key": "test"])
            #expect(response.elapsed == .milliseconds(800))
            #expect(try response.json[member: "data"]?.description == #"{"stock":{"available":null}}"#)
            #expect(
                try response.json[member: "errors"]?[element: 0]?[member: "reason"]?.stringValue
                    == "deadline_exceeded")
        }
    }
}
