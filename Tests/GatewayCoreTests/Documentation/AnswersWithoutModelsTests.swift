import GatewayCore
import HTTPModel
import JSONBytes
import Networking
import NetworkingTesting
import Rx
import RxTesting
import Testing

private enum ShopAPI: TargetType {
    case product(Int)
    case reviews(Int)
    case stock(Int)

    var baseURL: String { "http://shop.test" }

    var path: RequestPath {
        switch self {
        case .product(let id): "/products/\(id)"
        case .reviews(let id): "/products/\(id)/reviews"
        case .stock(let id): "/products/\(id)/stock"
        }
    }
}

/// Compiles and runs the code of the article "Answers without models".
@Suite("The article about answers without models", .noLeaks)
struct AnswersWithoutModelsTests {
    private let bench = Bench()

    private static let item = #"{"id":7,"title":"Lamp","margin":0.4,"seller":{"id":2,"name":"Ada"}}"#

    @Test("The product is picked, kept and renamed, and the other parts fall back")
    func product() throws {
        let gateway = bench.gateway
        let shop = gateway.provider(ShopAPI.self, upstream: "shop")
        gateway.get("/products/{id}") { request in
            let id = try request.path("id", as: Int.self)
            return .parts(
                product: shop.rx.request(.product(id)).fragment()
                    .pick("/item").keep("id", "title", "seller.name").rename(["title": "name"]),
                reviews: shop.rx.request(.reviews(id)).fragment().fallback([]),
                stock: shop.rx.request(.stock(id)).fragment().fallback(["available": nil]))
        }
        bench.transport.answer("/products/7", .json(#"{"item":\#(Self.item)}"#))
        bench.transport.answer("/products/7/reviews", .response(404))
        bench.transport.answer("/products/7/stock", .response(500))
        let expected = """
            {"product":{"id":7,"name":"Lamp","seller":{"name":"Ada"}},"reviews":[],"stock":{"available":null}}
            """
        #expect(try bench.answer(.get, "/products/7")["/data"] == expected)
    }

    @Test("A shape does all in one reading")
    func shape() throws {
        let card = JSONShape().keep("id", "title", "seller").drop("seller.id").rename(["title": "name"])
        #expect(
            try JSONFragment(parsing: Self.item).shape(card).description
                == #"{"id":7,"name":"Lamp","seller":{"name":"Ada"}}"#)
    }

    @Test("An answer is a literal with a wrapped value")
    func literal() throws {
        let gateway = bench.gateway
        let version = "1.2"
        gateway.get("/status") { _ in
            .json(["version": JSONLiteral(version), "features": ["search", "cart"], "notice": nil])
        }
        #expect(
            try bench.answer(.get, "/status")["/data"]
                == #"{"version":"1.2","features":["search","cart"],"notice":null}"#)
    }

    @Test("An error has a code of its own, and details")
    func ownError() throws {
        let gateway = bench.gateway
        gateway.get("/cart") { _ in
            throw GatewayError(
                code: "CART_EMPTY", status: .conflict, message: "The cart is empty", details: ["cart": 12])
        }
        let expected = """
            {"code":"CART_EMPTY","message":"The cart is empty","status":409,"data":null,"details":{"cart":12},
             "meta":{"requestId":"r1","complete":false,"elapsedMs":0.0}}
            """
        let reply = try bench.answer(.get, "/cart", fields: [.xRequestID: "r1"])
        #expect(reply.body == folded(expected))
    }
}
