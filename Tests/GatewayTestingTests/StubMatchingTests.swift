import GatewayTesting
import HTTPModel
import JSONBytes
import Testing

@Suite("Stubs")
struct StubMatchingTests {
    @Test(
        "A call gets the answer of its upstream, method, path, query and body",
        arguments: GatewayWorld.allCases)
    func conditions(world: GatewayWorld) async throws {
        let upstreams = StubUpstreams()
        upstreams["diary"].on(.get, "/weights/{date}", query: ["half": "am"]).answer(json: #""am""#)
        upstreams["diary"].on(.get, "/weights/{date}", query: ["half": "pm"]).answer(json: #""pm""#)
        upstreams["diary"].on(.post, "/weights/{date}").answer(json: #""post""#)
        upstreams["orders"].on(.post, "/orders", json: ["item": 12]).answer(json: ["id": 1], status: .created)
        upstreams["orders"].on(.post, "/orders", json: #"{ "item" : 13.0 }"#).answer(json: ["id": 2])
        try await withGateway(world, upstreams: upstreams, declare: declareShop) { client in
            let am = try await client.get("/weights/2026-11-20?half=am")
            #expect(try am.data() == #"{"weights":"am"}"#)
            let pm = try await client.get("/weights/2026-11-20?half=pm")
            #expect(try pm.data() == #"{"weights":"pm"}"#)
            let twelve = try await client.post("/orders", json: ["item": 12])
            #expect(try twelve.data() == #"{"order":{"id":1}}"#)
            let thirteen = try await client.post("/orders", json: #"{"item":13}"#)
            #expect(try thirteen.data() == #"{"order":{"id":2}}"#)
        }
    }

    @Test(
        "Literal segments precede parameters, more conditions fewer, and later stubs earlier ones",
        arguments: GatewayWorld.allCases)
    func precedence(world: GatewayWorld) async throws {
        let upstreams = StubUpstreams()
        let diary = upstreams["diary"]
        diary.on(.get, "/weights/today").answer(json: #""literal""#)
        diary.on(.get, "/weights/{date}", query: ["half": "am"]).answer(json: #""query""#)
        diary.on(.get, "/weights/{date}").answer(json: #""first""#)
        diary.on(.get, "/weights/{date}").answer(json: #""last""#)
        diary.onAny.answer(json: #""any""#)
        try await withGateway(world, upstreams: upstreams, declare: declareShop) { client in
            for (target, data) in [
                ("/weights/today?half=am", #"{"weights":"literal"}"#),
                ("/weights/x?half=am", #"{"weights":"query"}"#),
                ("/weights/x", #"{"weights":"last"}"#), ("/total", #"{"total":"any"}"#),
            ] {
                let response = try await client.get(target)
                #expect(try response.data() == data)
            }
        }
    }

    @Test("Paths and queries are compared decoded", arguments: GatewayWorld.allCases)
    func decoded(world: GatewayWorld) async throws {
        let upstreams = StubUpstreams()
        let stub = upstreams["diary"].on(.get, "/weights/{date}", query: ["half": "a m&"]).answer { request in
            .json(["date": .init(request.parameters["date"] ?? "")])
        }
        try await withGateway(world, upstreams: upstreams, declare: declareShop) { client in
            let response = try await client.get("/weights/%EA%B9%80%20x?half=a%20m%26")
            #expect(try response.data() == #"{"weights":{"date":"김 x"}}"#)
        }
        #expect(stub.requests.first?.query("half") == "a m&")
    }

    @Test("Answers come one after the other, and the last repeats", arguments: GatewayWorld.allCases)
    func sequence(world: GatewayWorld) async throws {
        let upstreams = StubUpstreams()
        let total = upstreams["diary"].on(.get, "/total")
            .answers(.status(.serviceUnavailable), .json("1"), .json("2"))
        try await withGateway(world, upstreams: upstreams, declare: declareShop) { client in
            let values = [
                try await client.get("/total").data(), try await client.get("/total").data(),
                try await client.get("/total").data(),
            ]
            // The 503 is retried.
            #expect(values == [#"{"total":1}"#, #"{"total":2}"#, #"{"total":2}"#])
        }
        #expect(total.requests.count == 4)
    }

    @Test("A stub of exact bytes does not match others", arguments: GatewayWorld.allCases)
    func bytes(world: GatewayWorld) async throws {
        let upstreams = StubUpstreams()
        let orders = upstreams["orders"]
        let exact = orders.on(.post, "/orders", body: #"{"item":1}"#.utf8).answer(json: "1")
        let other = orders.on(.post, "/orders").answer(json: "2")
        try await withGateway(world, upstreams: upstreams, declare: declareShop) { client in
            for item in [1, 2] { _ = try await client.post("/orders", json: #"{"item":\#(item)}"#) }
        }
        #expect(exact.requests.map(\.body) == [#"{"item":1}"#])
        #expect(other.requests.map(\.body) == [#"{"item":2}"#])
        #expect(exact.description == "POST /orders with a body of 10 bytes")
    }

    @Test("Requests are recorded by upstream and stub, in order", arguments: GatewayWorld.allCases)
    func recorded(world: GatewayWorld) async throws {
        let upstreams = StubUpstreams()
        let weights = upstreams["diary"].on(.get, "/weights/{date}").answer(json: "1")
        let unused = upstreams["diary"].on(.get, "/total").answer(json: "1")
        upstreams["orders"].on(.post, "/orders").answer(json: "1")
        try await withGateway(world, upstreams: upstreams, declare: declareShop) { client in
            _ = try await client.post("/orders", json: ["item": 5])
            _ = try await client.get("/weights/2026-11-20?half=am", ["X-Request-Id": "abcdefghijkl"])
            _ = try await client.post("/orders", json: ["item": 6])
        }
        #expect(
            upstreams.requests.map(\.description) == [
                "POST /orders", "GET /weights/2026-11-20?half=am", "POST /orders",
            ])
        #expect(upstreams.requests.map(\.upstream) == ["orders", "diary", "orders"])
        #expect(unused.requests.isEmpty)
        let request = try #require(weights.requests.first)
        #expect(weights.requests.count == 1)
        #expect(request.method == .get)
        #expect(request.path == "/weights/2026-11-20")
        #expect(request.query == "half=am")
        #expect(request.parameters == ["date": "2026-11-20"])
        #expect(request.fields["X-Request-Id"] == "abcdefghijkl")
        #expect(!request.isAbandoned)
        let bodies = try upstreams["orders"].requests.map { try $0.json[member: "item"]?.intValue }
        #expect(bodies == [5, 6])
    }

    @Test("A closure answers every call of an upstream", arguments: GatewayWorld.allCases)
    func closure(world: GatewayWorld) async throws {
        let diary = StubUpstream { .json(["path": .init($0.path)]) }
        try await withGateway(world, upstreams: ["diary": diary], declare: declareShop) { client in
            let response = try await client.get("/total")
            #expect(try response.data() == #"{"total":{"path":"/total"}}"#)
        }
        #expect(diary.requests.count == 1)
    }
}
