import Dispatch
import GatewayCore
import GatewayTesting
import HTTPModel
import JSONBytes
import Networking
import Rx
import Testing

/// Compiles and runs the recipes about time, on sockets and in virtual time.
@Suite("The recipes for time", .timeLimit(.minutes(1)))
struct TimeRecipesTests {
    enum CatalogAPI: TargetType {
        case product(Int)
        case reviews(Int)
        case stock(Int)

        var baseURL: String { "http://catalog.internal" }

        var path: RequestPath {
            switch self {
            case .product(let id): "/products/\(id)"
            case .reviews(let id): "/products/\(id)/reviews"
            case .stock(let id): "/products/\(id)/stock"
            }
        }
    }

    func declareHurriedProduct(on gateway: Gateway) {
        let catalog = gateway.provider(CatalogAPI.self, upstream: "catalog")

        gateway.get("/products/{id}") { request in
            let id = try request.path("id", as: Int.self)
            return .parts(
                product: catalog.rx.request(.product(id)).fragment(),
                reviews: catalog.rx.request(.reviews(id)).fragment()
                    .timeout(.milliseconds(300)).fallback([]))
        }
    }

    @Test("Late reviews are left out after their own time", arguments: GatewayWorld.allCases)
    func timeout(world: GatewayWorld) async throws {
        let upstreams = StubUpstreams()
        upstreams["catalog"].on(.get, "/products/7").answer(json: #"{"id":7}"#)
        upstreams["catalog"].on(.get, "/products/7/reviews")
            .answer(.json("[5]").after(.milliseconds(900)))
        try await withGateway(world, upstreams: upstreams, declare: { declareHurriedProduct(on: $0) }) {
            client in
            let response = try await client.get("/products/7")
            let expected = """
                {"product":{"id":7},"reviews":[]}
                """
            #expect(try response.data() == expected)
            #expect(try response.error("reason") == "http_response_timeout")
            if world == .virtualTime { #expect(response.elapsed == .milliseconds(300)) }
        }
    }

    func declareNewStock(on gateway: Gateway) {
        let catalog = gateway.provider(CatalogAPI.self, upstream: "catalog")
        let policy = RetryPolicy(maxAttempts: 3, backoff: .constant(.milliseconds(50)))

        gateway.get("/products/{id}/stock") { request in
            let id = try request.path("id", as: Int.self)
            return .parts(
                left: catalog.rx.request(.stock(id)).fragment().pick("/left").retry(policy))
        }
    }

    @Test("A response that lacks a value is asked for again", arguments: GatewayWorld.allCases)
    func retry(world: GatewayWorld) async throws {
        let upstreams = StubUpstreams()
        let stock = upstreams["catalog"].on(.get, "/products/7/stock")
            .answers(.json("{}"), .json("{}"), .json("{}"), .json("{}"), .json(#"{"left":3}"#))
        try await withGateway(world, upstreams: upstreams, declare: { declareNewStock(on: $0) }) { client in
            let missing = try await client.get("/products/7/stock")
            #expect(missing.status == .badGateway)
            let response = try await client.get("/products/7/stock")
            #expect(try response.data() == #"{"left":3}"#)
            if world == .virtualTime { #expect(response.elapsed == .milliseconds(50)) }
        }
        #expect(stock.requests.count == 5)
    }

    func declareRestock(on gateway: Gateway) {
        let catalog = gateway.provider(CatalogAPI.self, upstream: "catalog")

        gateway.get("/products/{id}/restocked", .deadline(.seconds(30))) { request in
            let id = try request.path("id", as: Int.self)
            return Observable<Int>.interval(.milliseconds(100))
                .concatMap { _ in catalog.rx.request(.stock(id)).fragment() }
                .filter { stock in try stock.decode(Int.self, at: "/left") > 0 }
                .map { stock in Answer.fragment(stock) }
        }
    }

    func declareRestockAsync(on gateway: Gateway) {
        let catalog = gateway.provider(CatalogAPI.self, upstream: "catalog")

        gateway.get("/products/{id}/restocked", .deadline(.seconds(30))) { request async throws -> Answer in
            let id = try request.path("id", as: Int.self)
            while true {
                try await request.sleep(for: .milliseconds(100))
                let stock = try await catalog.rx.request(.stock(id)).fragment().value
                if try stock.decode(Int.self, at: "/left") > 0 { return .fragment(stock) }
            }
        }
    }

    /// Declares the stream, or the async handler that does the same.
    private func declareRestock(_ form: Int, on gateway: Gateway) {
        if form == 0 { declareRestock(on: gateway) } else { declareRestockAsync(on: gateway) }
    }

    @Test(
        "An upstream is asked every 100 ms until it has what the client waits for",
        arguments: GatewayWorld.allCases, [0, 1])
    func interval(world: GatewayWorld, form: Int) async throws {
        let upstreams = StubUpstreams()
        let stock = upstreams["catalog"].on(.get, "/products/7/stock")
            .answers(.json(#"{"left":0}"#), .json(#"{"left":0}"#), .json(#"{"left":3}"#))
        try await withGateway(world, upstreams: upstreams, declare: { declareRestock(form, on: $0) }) {
            client in
            let response = try await client.get("/products/7/restocked", [.xRequestID: "r1"])
            let expected = """
                {"left":3}
                """
            #expect(try response.data() == expected)
            if world == .virtualTime { #expect(response.elapsed == .milliseconds(300)) }
        }
        // Calls after a wait belong to the request.
        #expect(stock.requests.map { $0.fields[.xRequestID] } == ["r1", "r1", "r1"])
    }

    @Test("If that takes longer than the deadline, the answer is 504", arguments: [0, 1])
    func deadline(form: Int) async throws {
        let upstreams = StubUpstreams()
        upstreams["catalog"].on(.get, "/products/7/stock").answer(json: #"{"left":0}"#)
        try await withGateway(.virtualTime, upstreams: upstreams, declare: { declareRestock(form, on: $0) }) {
            client in
            let response = try await client.get("/products/7/restocked")
            #expect(response.status == .gatewayTimeout)
            #expect(response.elapsed == .seconds(30))
        }
    }

    @Test("The page's message of a wait on another clock is what a test gets")
    func foreignWait() async throws {
        let upstreams = StubUpstreams()
        upstreams["catalog"].on(.get, "/products/7/stock").answer(json: "3")
        let error = await #expect(throws: VirtualTimeStalled.self) {
            try await withGateway(
                .virtualTime, upstreams: upstreams,
                declare: { gateway in
                    let catalog = gateway.provider(CatalogAPI.self, upstream: "catalog")
                    gateway.get("/products/{id}/mood") { request in
                        let id = try request.path("id", as: Int.self)
                        return .parts(
                            stock: catalog.rx.request(.stock(id)).fragment(),
                            mood: Part.task {
                                try await Task.sleep(for: .seconds(60))
                                return "sunny"
                            })
                    }
                }
            ) { client in
                _ = try await client.get("/products/7/mood")
            }
        }
        let expected = """
            no event is left in virtual time, and no other thread continued
            GET /products/7/mood (route /products/{id}/mood, part mood) within 0.5 seconds of real time.
            Usual causes: Task.sleep or another clock, a timer or asyncAfter of a dispatch queue, the main queue,
            a client or database of its own, a continuation or stream that nothing continues.
            Use request.sleep, request.scheduler, gateway.scheduler, operators without a scheduler,
            and the gateway's providers, or run the test on sockets.
            For work that takes longer, use .virtualTime(patience:).
            To let a request reach its deadline, or a job its next run, call client.wait(_:) meanwhile
            """
        #expect(error?.description == expected.split(separator: "\n").joined(separator: " "))
    }
}
