import GatewayCore
import HTTPModel
import JSONBytes
import Networking
import NetworkingTesting
import Rx
import RxTesting
import TestWaiting
import Testing

/// Compiles and runs the recipes about parts.
@Suite("The recipes for parts", .noLeaks)
struct PartRecipesTests {
    private let bench = Bench()
    private let id: HTTPFields = [.xRequestID: "r1"]

    func declareProduct(on gateway: Gateway) {
        let catalog = gateway.provider(CatalogAPI.self, upstream: "catalog")

        gateway.get("/products/{id}") { request in
            let id = try request.path("id", as: Int.self)
            return .parts(
                product: catalog.rx.request(.product(id)).fragment(),
                reviews: catalog.rx.request(.reviews(id)).fragment().fallback([]),
                stock: catalog.rx.request(.stock(id)).fragment().optional())
        }
    }

    @Test("A fallback and an optional part make the answer partial, and a required part fails it")
    func policies() throws {
        declareProduct(on: bench.gateway)
        bench.transport.answer("/products/7", .json(#"{"id":7,"name":"Kettle"}"#))
        bench.transport.answer("/products/7/reviews", .response(500))
        bench.transport.answer("/products/7/stock", .json("{"))
        let partial = try bench.answer(.get, "/products/7", fields: id)
        #expect(partial.status == 200)
        let expected = """
            {"code":"PARTIAL","message":"Some parts failed","status":200,
             "data":{"product":{"id":7,"name":"Kettle"},"reviews":[],"stock":null},
             "errors":[{"part":"reviews","kind":"serverErr","reason":"upstream_status","status":500,
                        "message":"the upstream answered with status 500","attempts":1,"elapsedMs":0,"retryable":false},
                       {"part":"stock","kind":"pathErr","reason":"decode_error","status":200,
                        "message":"the body is not JSON: the document is cut short at byte 1","attempts":1,"elapsedMs":0,"retryable":false}],
             "meta":{"requestId":"r1","complete":false,"elapsedMs":0.0,
                     "parts":{"product":"success","reviews":"serverErr","stock":"pathErr"}}}
            """
        #expect(partial.body == folded(expected))
        bench.transport.answer("/products/7", .response(404))
        let failure = try bench.answer(.get, "/products/7")
        #expect(failure.status == 404)
        #expect(failure.message == "product was not found")
    }

    @Test("A task that is not detached is logged with what to do about it")
    func notDetached() async throws {
        let catalog = bench.gateway.provider(CatalogAPI.self, upstream: "catalog")
        bench.gateway.get("/products/{id}", .forwardsAuthorization(to: "catalog")) {
            _ async throws -> Answer in
            .fragment(try await Task { try await catalog.rx.request(.product(7)).fragment().value }.value)
        }
        let pending = try bench.ask(.get, "/products/7")
        func hasNoAnswer() -> Bool {
            bench.time.advance(by: .zero)
            return pending.count == 0
        }
        try await poll(while: hasNoAnswer()) { "no answer" }
        #expect(try pending.reply().status == 500)
        let expected = """
            GET /products/{id}: a call to catalog began in a Task of its own, which may outlive the request, so it must not
            carry the client's fields that the endpoint forwards. If the call belongs to the request, make it in the
            handler, an async let, a task group or Single.create(work:). If it needs no client, wrap the Task or the
            shared call in CallContext.detached { ... }
            """
        #expect(
            bench.incidents.map { "\($0.error)" } == [expected.split(separator: "\n").joined(separator: " ")])
    }

    // MARK: The charts, both ways

    func declareCharts(on gateway: Gateway) {
        let weights = gateway.provider(WeightsAPI.self, upstream: "weights")

        gateway.get("/api/weights/charts") { request in
            let date = try request.query("fddDate", as: CalendarDate.self)
            return .parts(
                recent: weights.rx.request(.weights(date, .recent)).fragment(),
                total: weights.rx.request(.weights(date, .total)).fragment())
        }
    }

    func declareChartsPipeline(on gateway: Gateway) {
        let weights = gateway.provider(WeightsAPI.self, upstream: "weights")

        gateway.get("/api/weights/charts") { request in
            let date = try request.query("fddDate", as: CalendarDate.self)
            return Observable.combineLatest(
                weights.rx.request(.weights(date, .recent)).fragment().asObservable().part("recent"),
                weights.rx.request(.weights(date, .total)).fragment().asObservable().part("total")
            ) { recent, total in Answer.parts(recent, total) }
        }
    }

    private static let early = Duration.milliseconds(5)
    private static let late = Duration.milliseconds(10)

    @Test(
        "The charts answer with the same bytes and failures as parts and as a pipeline",
        arguments: [
            (.data("[1]", after: Self.late), .data("[2]")), (.data("[1]"), .response(404, after: Self.early)),
            (.data("[1]", after: Self.late), .response(404, after: Self.early)),
            (.response(500, after: Self.early), .response(404, after: Self.early)),
            (.data("[1]"), .json("[", after: Self.early)), (.response(204), .data("[2]")),
            (.silence, .data("[2]")), (.data("[1]"), .failure(.connectionTerminated, after: Self.early)),
            (.silence, .silence),
            (
                .json(#"{"code":"E","message":"no","status":503,"data":null}"#, after: Self.early),
                .data("[2]")
            ),
        ] as [(StubTransport.Answer, StubTransport.Answer)])
    func charts(recent: StubTransport.Answer, total: StubTransport.Answer) throws {
        let replies = try [declareCharts, declareChartsPipeline].map { declare in
            let bench = Bench()
            bench.gateway.defaults(.deadline(.seconds(2)))
            declare(bench.gateway)
            bench.transport.answer("/weights/2026-11-20/recent", recent)
            bench.transport.answer("/weights/2026-11-20/total", total)
            let pending = try bench.ask(.get, "/api/weights/charts?fddDate=2026-11-20", fields: id)
            bench.time.advance(by: .seconds(2))
            #expect(bench.transport.inFlight == 0)
            return try pending.reply()
        }
        // Waits between attempts are random, so the times of repeated calls differ.
        let isRepeated = replies[0].body.contains(/"attempts":[23]/)
        let bodies = replies.map { reply in
            isRepeated ? reply.body.replacing(/"elapsedMs":[0-9.]+/, with: "") : reply.body
        }
        #expect(bodies[0] == bodies[1])
        #expect(replies[0].status == replies[1].status)
        #expect(
            replies[0].response.response.fields[.proxyStatus]
                == replies[1].response.response.fields[.proxyStatus])
    }

    // MARK: Dependent parts

    func declareSeller(on gateway: Gateway) {
        let catalog = gateway.provider(CatalogAPI.self, upstream: "catalog")
        let sellers = gateway.provider(SellersAPI.self, upstream: "sellers")

        gateway.get("/products/{id}") { request in
            let id = try request.path("id", as: Int.self)
            let product = catalog.rx.request(.product(id)).fragment().share()
            return .parts(
                product: product,
                reviews: catalog.rx.request(.reviews(id)).fragment().fallback([]),
                seller: product.flatMap { product in
                    sellers.rx.request(.seller(try product.decode(at: "/sellerId"))).fragment()
                }.optional())
        }
    }

    @Test("The seller begins once the product is there, and the product is called once")
    func dependent() throws {
        declareSeller(on: bench.gateway)
        bench.transport.answer(
            "/products/7", .json(#"{"name":"Kettle","sellerId":3}"#, after: .milliseconds(40)))
        bench.transport.answer("/products/7/reviews", .json("[]", after: .milliseconds(90)))
        bench.transport.answer("/sellers/3", .json(#"{"name":"Kim"}"#, after: .milliseconds(50)))
        let pending = try bench.ask(.get, "/products/7")
        bench.time.advance(by: .milliseconds(90))
        let expected = """
            {"product":{"name":"Kettle","sellerId":3},"reviews":[],"seller":{"name":"Kim"}}
            """
        #expect(try pending.reply()["/data"] == expected)
        #expect(
            bench.transport.attempts.map { "\($0.call.path) \($0.sentAt / .milliseconds(1))" } == [
                "/products/7 0.0", "/products/7/reviews 0.0", "/sellers/3 40.0",
            ])
        bench.transport.answer("/products/7", .json(#"{"name":"Kettle"}"#))
        bench.transport.answer("/products/7/reviews", .json("[]"))
        let without = try bench.answer(.get, "/products/7")
        #expect(without["/errors/0/part"] == #""seller""#)
        #expect(without["/errors/0/reason"] == #""missing_data""#)
    }

    func declareSellerOnly(on gateway: Gateway) {
        let catalog = gateway.provider(CatalogAPI.self, upstream: "catalog")
        let sellers = gateway.provider(SellersAPI.self, upstream: "sellers")

        gateway.get("/products/{id}/seller") { request in
            let id = try request.path("id", as: Int.self)
            return .first(product: catalog.rx.request(.product(id)).fragment()).then { first in
                let seller = try first.product.decode(Int.self, at: "/sellerId")
                return .parts(seller: sellers.rx.request(.seller(seller)).fragment())
            }
        }
    }

    @Test("A step is not in the answer, but its failure is the answer")
    func step() throws {
        declareSellerOnly(on: bench.gateway)
        bench.transport.answer("/products/7", .json(#"{"name":"Kettle","sellerId":3}"#))
        bench.transport.answer("/sellers/3", .json(#"{"name":"Kim"}"#))
        let expected = """
            {"seller":{"name":"Kim"}}
            """
        #expect(try bench.answer(.get, "/products/7/seller")["/data"] == expected)
        bench.transport.answer("/products/7", .response(404))
        let missing = try bench.answer(.get, "/products/7/seller")
        #expect(missing.status == 404)
        #expect(missing.message == "product was not found")
    }
}
