import Foundation
import GatewayCore
import GatewayTesting
import HTTPModel
import JSONBytes
import Networking
import Rx
import TestSupport
import Testing

/// Compiles and runs the article about calls for items.
@Suite("The article on a call for each item", .timeLimit(.minutes(1)))
struct ItemCallsArticleTests {
    enum CatalogAPI: TargetType {
        case product(Int)

        var baseURL: String { "http://catalog.internal" }

        var path: RequestPath {
            switch self {
            case .product(let id): "/products/\(id)"
            }
        }
    }

    enum AccountsAPI: TargetType {
        case cart(user: String)

        var baseURL: String { "http://accounts.internal" }

        var path: RequestPath {
            switch self {
            case .cart(let user): "/carts/\(user)"
            }
        }
    }

    struct CartItem: Codable, Sendable {
        var product: Int
        var count: Int
    }

    func declareCart(on gateway: Gateway) {
        let accounts = gateway.provider(AccountsAPI.self, upstream: "accounts")
        let catalog = gateway.provider(CatalogAPI.self, upstream: "catalog")

        gateway.get("/carts/{user}") { request in
            let user = try request.path("user", as: String.self)
            let cart = accounts.rx.request(.cart(user: user)).fragment().share()
            let items = cart.map { try $0.decode([CartItem].self) }
            return .parts(
                cart: cart,
                products: Part.forEach(items, limit: 20, concurrency: 4) { item in
                    catalog.rx.request(.product(item.product)).fragment()
                })
        }
    }

    private static let article = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../Sources/GatewayCore/GatewayCore.docc/ItemCalls.md")

    /// The file that the article shows.
    private func file() throws -> String {
        let text = try String(contentsOf: Self.article, encoding: .utf8)
        let block = text.components(separatedBy: "```yaml\n").dropFirst().first
        return try #require(block?.components(separatedBy: "```").first)
    }

    private func upstreams() -> StubUpstreams {
        let upstreams = StubUpstreams()
        upstreams["accounts"].on(.get, "/carts/kim")
            .answer(.json(#"[{"product":7,"count":1},{"product":8,"count":2}]"#))
        serveProducts(upstreams["catalog"])
        return upstreams
    }

    private func serveProducts(_ catalog: StubUpstream) {
        catalog.on(.get, "/products/7").answer(.json(#"{"name":"Kettle"}"#))
        catalog.on(.get, "/products/8").answer(.status(.notFound))
    }

    @Test("The file and the handler answer with the bytes that the article shows")
    func cart() async throws {
        let folder = ScratchFolder()
        let path = folder.file("cart.yaml")
        try file().write(toFile: path, atomically: true, encoding: .utf8)
        let ofFile = try await withGateway(.virtualTime, file: path, upstreams: upstreams()) { client in
            try await client.get("/carts/kim", [.xRequestID: "r1"]).text
        }
        let ofHandler = try await withGateway(
            .virtualTime, upstreams: upstreams(), declare: { declareCart(on: $0) }
        ) { client in
            try await client.get("/carts/kim", [.xRequestID: "r1"]).text
        }
        let expected = """
            {"code":"PARTIAL","message":"Some parts failed","status":200,
             "data":{"cart":[{"product":7,"count":1},{"product":8,"count":2}],"products":[{"name":"Kettle"},null]},
             "errors":[{"part":"products[1]","kind":"requestErr","reason":"upstream_status","status":404,
                        "message":"the upstream answered with status 404","attempts":1,"elapsedMs":0,"retryable":false}],
             "meta":{"requestId":"r1","complete":false,"elapsedMs":0.0,"parts":{"cart":"success","products":"success"}}}
            """
        #expect(ofFile == expected.split(separator: "\n").map { $0.drop { $0 == " " } }.joined())
        #expect(ofHandler == ofFile)
    }

    @Test("On sockets, the answer has the same data")
    func sockets() async throws {
        let data = try await withGateway(
            .sockets, upstreams: upstreams(), declare: { declareCart(on: $0) }
        ) { client in
            try await client.get("/carts/kim").data()
        }
        #expect(data?.hasSuffix(#""products":[{"name":"Kettle"},null]}"#) == true)
    }

    func declareWishes(on gateway: Gateway) {
        let catalog = gateway.provider(CatalogAPI.self, upstream: "catalog")

        gateway.post("/wishes") { request in
            let ids = try request.json(as: [Int].self)
            return .parts(
                products: Part.forEach(ids, from: .client, limit: 3, itemFailure: .drop, atLeast: 0) { id in
                    catalog.rx.request(.product(id)).fragment()
                })
        }
    }

    @Test("A client's list that is too long is its mistake, and missing products are left out")
    func wishes() async throws {
        let upstreams = StubUpstreams()
        serveProducts(upstreams["catalog"])
        try await withGateway(
            .virtualTime, upstreams: upstreams, declare: { declareWishes(on: $0) }
        ) { client in
            let tooMany = try await client.post("/wishes", json: "[7,8,7,8]")
            #expect(tooMany.status == .badRequest)
            let expected = """
                products was not requested: the list has more than 3 elements
                """
            #expect(try tooMany.json[member: "message"]?.stringValue == expected)
            #expect(upstreams["catalog"].requests.isEmpty)
            let some = try await client.post("/wishes", json: "[8,7,8]")
            #expect(try some.data() == #"{"products":[{"name":"Kettle"}]}"#)
            #expect(upstreams["catalog"].requests.count == 2)
        }
    }
}
