import GatewayCore
import HTTPModel
import JSONBytes
import Networking
import NetworkingTesting
import Rx
import RxTesting
import Testing

extension ErrorCode {
    static let soldOut = ErrorCode("SOLD_OUT", status: .conflict, title: "The product is sold out")
}

struct FirstAppFormat: AnswerFormat {
    func format(_ answer: AnswerFacts) -> FormattedAnswer {
        FormattedAnswer(
            json: [
                "ok": .init(!answer.isFailure), "text": .init(answer.message), "result": .init(answer.data),
            ], status: .ok)
    }
}

/// Compiles and runs the recipes about errors and envelopes.
@Suite("The recipes for errors and envelopes", .noLeaks)
struct EnvelopeRecipesTests {
    private let bench = Bench()

    func declareOrder(on gateway: Gateway) {
        let catalog = gateway.provider(CatalogAPI.self, upstream: "catalog")

        gateway.get("/products/{id}/order") { request in
            let id = try request.path("id", as: Int.self)
            return .first(stock: catalog.rx.request(.stock(id)).fragment()).then { first in
                let left = try first.stock.decode(Int.self, at: "/available")
                guard left > 0 else {
                    throw GatewayError(
                        .soldOut, "Product \(id) is sold out", details: ["product": .init(id)])
                }
                return .json(["left": .init(left)])
            }
        }
    }

    @Test("An error of the gateway's own has its code, status and details")
    func ownError() throws {
        declareOrder(on: bench.gateway)
        bench.transport.answer("/products/7/stock", .json(#"{"available":0}"#))
        let expected = """
            {"code":"SOLD_OUT","message":"Product 7 is sold out","status":409,"data":null,"details":{"product":7},
             "meta":{"requestId":"r1","complete":false,"elapsedMs":0.0}}
            """
        let reply = try bench.answer(.get, "/products/7/order", fields: [.xRequestID: "r1"])
        #expect(reply.status == 409)
        #expect(reply.body == folded(expected))
        bench.transport.answer("/products/7/stock", .json(#"{"available":2}"#))
        #expect(try bench.answer(.get, "/products/7/order")["/data"] == #"{"left":2}"#)
    }

    func declareStyles(on gateway: Gateway) {
        let catalog = gateway.provider(CatalogAPI.self, upstream: "catalog")

        @Sendable func product(_ request: GatewayRequest) throws -> Answer {
            .parts(product: catalog.rx.request(.product(try request.path("id"))).fragment())
        }
        gateway.get("/products/{id}", handler: product)
        gateway.group("/v2", .envelope(.bare(completeField: "X-Complete"))) { bare in
            bare.get("/products/{id}", handler: product)
        }
        gateway.group("/v1", .envelope(.custom(FirstAppFormat()))) { old in
            old.get("/products/{id}", handler: product)
        }
    }

    @Test("One handler answers in Sluice's envelope, bare, and in the form of an old app")
    func styles() throws {
        declareStyles(on: bench.gateway)
        bench.transport.answer("/products/7", .json(#"{"id":7}"#))
        bench.transport.answer("/products/9", .response(404))
        let bare = """
            {"product":{"id":7}}
            """
        let success = try bench.answer(.get, "/v2/products/7")
        #expect(success.body == bare)
        #expect(success.fields["X-Complete"] == "true")
        let failure = try bench.answer(.get, "/v2/products/9")
        #expect(failure.status == 404)
        #expect(failure.fields[.contentType] == "application/problem+json")
        let old = """
            {"ok":true,"text":"success","result":{"product":{"id":7}}}
            """
        #expect(try bench.answer(.get, "/v1/products/7").body == old)
        let oldFailure = """
            {"ok":false,"text":"product was not found","result":null}
            """
        let missing = try bench.answer(.get, "/v1/products/9")
        #expect(missing.body == oldFailure)
        #expect(missing.status == 200)
        #expect(try bench.answer(.get, "/products/7")["/data"] == bare)
    }
}
