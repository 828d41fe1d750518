import GatewayCore
import HTTPModel
import JSONBytes
import JSONCoding
import Networking
import NetworkingTesting
import Rx
import RxTesting
import Testing

/// Compiles and runs the recipes about values, writes, errors and streams.
@Suite("The recipes for answers", .noLeaks)
struct AnswerRecipesTests {
    private let bench = Bench()
    private let id: HTTPFields = [.xRequestID: "r1"]

    // MARK: Values

    func declareCard(on gateway: Gateway) {
        let catalog = gateway.provider(CatalogAPI.self, upstream: "catalog")

        gateway.get("/products/{id}/card") { request in
            let id = try request.path("id", as: Int.self)
            return .parts(
                product: catalog.rx.request(.product(id)).fragment()
                    .keep("id", "name", "price").rename(["price": "cents"]),
                stars: catalog.rx.request(.reviews(id)).fragment().pick("/0/stars").optional())
        }
    }

    @Test("Members are kept, renamed and picked, and others do not get through")
    func card() throws {
        declareCard(on: bench.gateway)
        bench.transport.answer(
            "/products/7", .json(#"{"id":7,"name":"Kettle","price":3900,"warehouse":"B12"}"#))
        bench.transport.answer("/products/7/reviews", .json(#"[{"stars":5,"text":"Boils in two minutes"}]"#))
        let expected = """
            {"product":{"id":7,"name":"Kettle","cents":3900},"stars":5}
            """
        #expect(try bench.answer(.get, "/products/7/card")["/data"] == expected)
    }

    struct Offer: Codable, Sendable {
        var name: String
        var price: Int
        var tags: [String]
    }

    func declareOffers(on gateway: Gateway) {
        let catalog = gateway.provider(CatalogAPI.self, upstream: "catalog")

        gateway.get("/offers") { _ in
            [Offer(name: "Kettle", price: 3900, tags: ["new"])]
        }
        gateway.get("/offers/{id}") { request in
            let id = try request.path("id", as: Int.self)
            return catalog.rx.request(.product(id)).map(Offer.self)
        }
        gateway.post("/offers") { _ in
            .json(Offer(name: "Teapot", price: 2400, tags: [])).status(.created)
        }
        gateway.get("/offers/{id}/source") { request in
            let id = try request.path("id", as: Int.self)
            return catalog.rx.request(.product(id)).fragment().map { Answer.fragment($0) }
        }
    }

    @Test("A handler returns a model, an array of them or a Single of one; a fragment is passed on as it is")
    func values() throws {
        declareOffers(on: bench.gateway)
        bench.transport.answer("/products/7", .response(404))
        #expect(try bench.answer(.get, "/offers/7").status == 404)
        let source = #"{"price":3900,"tags":[],"warehouse":"B12","name":"Kettle"}"#
        bench.transport.answer("/products/7", .json(source))
        let expected = """
            [{"name":"Kettle","price":3900,"tags":["new"]}]
            {"name":"Kettle","price":3900,"tags":[]}
            """
        let bodies = try ["/offers", "/offers/7"].map { try bench.answer(.get, $0)["/data"] ?? "" }
        #expect(bodies.joined(separator: "\n") == expected)
        #expect(try bench.answer(.get, "/offers/7/source")["/data"] == source)
        let created = try bench.answer(.post, "/offers")
        #expect(created.status == 201)
        #expect(created["/data"] == #"{"name":"Teapot","price":2400,"tags":[]}"#)
    }

    struct Product: Decodable, Sendable {
        var name: String
        var price: Int
    }

    struct PriceTag: Encodable, JSONRepresentable {
        var text: String
    }

    func declarePriceTag(on gateway: Gateway) {
        let catalog = gateway.provider(CatalogAPI.self, upstream: "catalog")

        gateway.get("/products/{id}/tag") { request in
            let id = try request.path("id", as: Int.self)
            return .parts(
                tag: catalog.rx.request(.product(id)).map(Product.self).map { product in
                    PriceTag(text: "\(product.name): \(product.price / 100) EUR")
                })
        }
    }

    @Test("A model is decoded, and a value of another type is encoded")
    func models() throws {
        declarePriceTag(on: bench.gateway)
        bench.transport.answer("/products/7", .json(#"{"name":"Kettle","price":3900}"#))
        let expected = """
            {"tag":{"text":"Kettle: 39 EUR"}}
            """
        #expect(try bench.answer(.get, "/products/7/tag")["/data"] == expected)
        bench.transport.answer("/products/7", .json(#"{"name":"Kettle","price":"39"}"#))
        #expect(try bench.answer(.get, "/products/7/tag")["/errors/0/reason"] == #""decode_error""#)
    }

    // MARK: Async

    func declareComparison(on gateway: Gateway) {
        let catalog = gateway.provider(CatalogAPI.self, upstream: "catalog")

        gateway.get("/compare") { request async throws -> Answer in
            let (first, second) = try request.parameters(
                .query("first", as: Int.self), .query("second", as: Int.self))
            async let one = catalog.rx.request(.product(first)).map(Product.self).value
            async let other = catalog.rx.request(.product(second)).map(Product.self).value
            let difference = try await one.price - other.price
            return .json(["difference": .init(difference)])
        }
    }

    @Test("An async handler makes two calls at once, and a failed one is answered")
    func async() async throws {
        declareComparison(on: bench.gateway)
        bench.transport.answer("/products/7", .json(#"{"name":"Kettle","price":3900}"#))
        bench.transport.answer("/products/8", .json(#"{"name":"Teapot","price":2400}"#))
        let expected = """
            {"difference":1500}
            """
        #expect(try await bench.eventualAnswer("/compare?first=7&second=8")["/data"] == expected)
        bench.transport.answer("/products/8", .response(404))
        let missing = try await bench.eventualAnswer("/compare?first=7&second=8")
        #expect(missing.status == 404)
        #expect(missing["/errors/0/part"] == "null")
    }

    func declareMood(on gateway: Gateway, mood: @escaping @Sendable () async throws -> String) {
        gateway.get("/mood") { _ in
            .parts(mood: Part.task { try await mood() }.optional(), version: 2)
        }
    }

    @Test("An async function is a part")
    func task() async throws {
        declareMood(on: bench.gateway) { "sunny" }
        let expected = """
            {"mood":"sunny","version":2}
            """
        #expect(try await bench.eventualAnswer("/mood")["/data"] == expected)
    }

    // MARK: Writes

    func declareCart(on gateway: Gateway) {
        let accounts = gateway.provider(AccountsAPI.self, upstream: "accounts")

        gateway.post("/carts/{user}/items") { request in
            let user = try request.path("user", as: String.self)
            let item = try request.json(as: CartItem.self)
            return .first(item: accounts.rx.request(.add(item, user: user)).fragment()).then {
                .parts(cart: accounts.rx.request(.cart(user: user)).fragment())
                    .optionalParts().status(.created)
            }
        }
    }

    @Test("The cart is read after the write; if only reading fails, the write is still a success")
    func writes() throws {
        declareCart(on: bench.gateway)
        func add() throws -> Reply {
            try bench.answer(
                .post, "/carts/kim/items", fields: [.contentType: "application/json"],
                body: #"{"product":7,"count":2}"#)
        }
        bench.transport.answer("/carts/kim/items", .response(201, body: "{}"))
        bench.transport.answer("/carts/kim", .json(#"[{"product":7,"count":2}]"#))
        let expected = """
            {"cart":[{"product":7,"count":2}]}
            """
        let added = try add()
        #expect(added.status == 201)
        #expect(added["/data"] == expected)
        bench.transport.answer("/carts/kim", .response(500))
        let unread = try add()
        #expect(unread.status == 201)
        #expect(unread["/code"] == #""PARTIAL""#)
        bench.transport.answer("/carts/kim/items", .response(422))
        let refused = try add()
        #expect(refused.status == 422)
        #expect(refused.message == "item could not process the request")
    }

    // MARK: Streams

    func declareExport(on gateway: Gateway) {
        let catalog = gateway.provider(CatalogAPI.self, upstream: "catalog")

        gateway.get("/export.csv", .deadline(.seconds(60)), .streamGap(.seconds(10))) { _ in
            .stream(try await catalog.stream(.export), contentType: "text/csv")
        }
    }

    func declareCountdown(on gateway: Gateway) {
        gateway.get("/countdown") { _ in
            let lines = AsyncStream<[UInt8]> { continuation in
                for number in [3, 2, 1] { continuation.yield(Array("\(number)\n".utf8)) }
                continuation.finish()
            }
            return .stream(lines, contentType: "text/plain; charset=utf-8")
        }
    }

    @Test("The pieces of an upstream's body, or of a sequence, are the body of the answer")
    func streams() async throws {
        declareExport(on: bench.gateway)
        declareCountdown(on: bench.gateway)
        func text(_ path: String) async throws -> String {
            let reply = try await bench.eventualAnswer(path)
            var text = ""
            for try await piece in try #require(reply.response.stream) {
                text += String(decoding: piece, as: UTF8.self)
            }
            return text
        }
        bench.transport.answer("/export.csv", .response(200, body: "id,name\n7,Kettle\n"))
        #expect(try await text("/export.csv") == "id,name\n7,Kettle\n")
        #expect(try await text("/countdown") == "3\n2\n1\n")
        bench.transport.answer("/export.csv", .response(404))
        #expect(try await bench.eventualAnswer("/export.csv").status == 404)
    }
}
