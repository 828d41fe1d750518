import GatewayCore
import HTTPModel
import JSONBytes
import Networking
import NetworkingTesting
import Rx
import RxTesting
import Synchronization
import Testing

/// A text that several devices edit.
final class Note: Sendable {
    private let state = Mutex((version: 1, text: "Buy tea"))

    var current: (tag: EntityTag, text: String) { state.withLock { (EntityTag($0.version), $0.text) } }

    /// Replaces the text, unless the client has seen another version. Returns the tag of the new one.
    func replace(with text: String, if conditions: RequestConditions) throws -> EntityTag {
        try state.withLock { state in
            guard conditions.allowChange(of: EntityTag(state.version)) else {
                throw GatewayError(.preconditionFailed, "The note has changed")
            }
            state = (state.version + 1, text)
            return EntityTag(state.version)
        }
    }
}

enum SortOrder: String, CaseIterable, RequestValue { case newest, price }

/// Compiles and runs the recipes about requests and credentials.
@Suite("The recipes for requests and credentials", .noLeaks)
struct RequestRecipesTests {
    private let bench = Bench()
    private let json: HTTPFields = [.contentType: "application/json"]

    func declareSearch(on gateway: Gateway) {
        gateway.get("/shops/{shop}/search") { request in
            let (shop, page, sort, tags, theme) = try request.parameters(
                .path("shop", as: Int.self),
                .query("page", as: Int.self).in(1...100).default(1),
                .query("sort", as: SortOrder.self).default(.newest),
                .query("tag", listOf: String.self, count: 0...5),
                .cookie(ifPresent: "theme", as: String.self))
            return .json([
                "shop": .init(shop), "page": .init(page), "sort": .init(sort.rawValue),
                "tags": .init(tags.map { .init($0) }), "theme": theme.map { .init($0) } ?? nil,
            ])
        }
    }

    @Test("All parameters are read at once, and all faults are reported at once")
    func parameters() throws {
        declareSearch(on: bench.gateway)
        let expected = """
            {"shop":3,"page":2,"sort":"newest","tags":["tea","red"],"theme":null}
            """
        #expect(try bench.answer(.get, "/shops/3/search?page=2&tag=tea&tag=red")["/data"] == expected)
        let faults = #"""
            {"code":"INVALID_REQUEST",
             "message":"Query parameter \"page\" must be an integer from 1 to 100; Query parameter \"sort\" must be one of newest, price",
             "status":400,"data":null,
             "details":[{"in":"query","name":"page","rule":"an integer from 1 to 100",
                         "message":"Query parameter \"page\" must be an integer from 1 to 100"},
                        {"in":"query","name":"sort","rule":"one of newest, price",
                         "message":"Query parameter \"sort\" must be one of newest, price"}],
             "meta":{"requestId":"r1","complete":false,"elapsedMs":0.0}}
            """#
        let refused = try bench.answer(
            .get, "/shops/3/search?page=0&sort=size", fields: [.xRequestID: "r1"])
        #expect(refused.status == 400)
        #expect(refused.body == folded(faults))
    }

    struct Order: Decodable {
        var product: Int
        var count: Int
    }

    func declareOrder(on gateway: Gateway) {
        gateway.post("/orders", .bodyLimit(4096)) { request in
            let order = try request.json(as: Order.self)
            guard (1...10).contains(order.count) else {
                throw GatewayError.unprocessable("An order has 1 to 10 of a product")
            }
            return .json(["product": .init(order.product)]).status(.created)
        }
    }

    func declareNote(on gateway: Gateway, note: Note) {
        gateway.get("/note") { request in
            let (tag, text) = note.current
            return .json(text).entityTag(tag, for: request)
        }
        gateway.put("/note") { request in
            let tag = try note.replace(with: try request.json(as: String.self), if: try request.conditions())
            return .status(.noContent).field(.eTag, "\(tag)")
        }
    }

    @Test("A change is refused if the client has seen another version")
    func conditionalChange() throws {
        declareNote(on: bench.gateway, note: Note())
        for (method, field, status, tag) in [
            (HTTPMethod.get, nil, 200, "\"1\""), (.get, (HTTPFieldName.ifNoneMatch, "\"1\""), 304, "\"1\""),
            (.get, (.ifNoneMatch, "W/\"1\""), 304, "\"1\""), (.get, (.ifNoneMatch, "\"2\""), 200, "\"1\""),
            (.put, (.ifMatch, "\"1\""), 204, "\"2\""), (.put, (.ifMatch, "\"1\""), 412, nil),
            (.put, (.ifNoneMatch, "*"), 412, nil), (.put, (.ifMatch, "2"), 400, nil),
            (.put, (.ifMatch, "*"), 204, "\"3\""), (.get, nil, 200, "\"3\""),
        ] as [(HTTPMethod, (HTTPFieldName, String)?, Int, String?)] {
            var fields = json
            if let (name, value) = field { fields[name] = value }
            let body = method == .put ? "\"Buy milk\"" : ""
            let reply = try bench.answer(method, "/note", fields: fields, body: body)
            #expect(reply.status == status, "\(method) \(String(describing: field))")
            #expect(reply.fields[.eTag] == tag)
            if status == 304 { #expect(reply.body.isEmpty) }
        }
    }

    @Test("A body is decoded, and a wrong one names the member")
    func body() throws {
        declareOrder(on: bench.gateway)
        let created = try bench.answer(.post, "/orders", fields: json, body: #"{"product":7,"count":2}"#)
        #expect(created.status == 201)
        let faults = [
            (#"{"product":7}"#, 400, "In the body, count is missing"),
            (#"{"product":"7","count":2}"#, 400, "In the body, product must be a number"),
            (#"{"product":7,"count":11}"#, 422, "An order has 1 to 10 of a product"),
            ("{", 400, "The body is not JSON at byte 1: the document is cut short"),
        ]
        for (body, status, message) in faults {
            let reply = try bench.answer(.post, "/orders", fields: json, body: body)
            #expect(reply.status == status)
            #expect(reply.message == message)
        }
        #expect(try bench.answer(.post, "/orders", body: "{}").status == 415)
    }

    // MARK: Credentials

    func declareAccount(on gateway: Gateway) {
        let accounts = gateway.provider(AccountsAPI.self, upstream: "accounts")
        let catalog = gateway.provider(CatalogAPI.self, upstream: "catalog")

        gateway.get("/me", .forwardsAuthorization(to: "accounts"), .forwards(.acceptLanguage)) { _ in
            .parts(
                session: accounts.rx.request(.session).fragment(),
                offer: catalog.rx.request(.product(7)).fragment().optional())
        }
    }

    @Test("Credentials reach the accounts only, and their 401 reaches the client")
    func credentials() throws {
        declareAccount(on: bench.gateway)
        bench.transport.answer("/session", .json(#"{"user":"kim"}"#))
        bench.transport.answer("/products/7", .json(#"{"id":7}"#))
        let fields: HTTPFields = [.authorization: "Bearer kim", .acceptLanguage: "ko", "X-Secret": "1"]
        #expect(try bench.answer(.get, "/me", fields: fields).status == 200)
        let sent = bench.transport.attempts.map(\.call.contextFields)
        #expect(sent.map { $0[.authorization] } == ["Bearer kim", nil])
        #expect(sent.map { $0[.acceptLanguage] } == ["ko", "ko"])
        #expect(sent.allSatisfy { $0["X-Secret"] == nil })
        bench.transport.answer("/session", .response(401, fields: [.wwwAuthenticate: "Bearer"]))
        let refused = try bench.answer(.get, "/me")
        #expect(refused.status == 401)
        #expect(refused.message == "session requires valid credentials")
        #expect(refused.fields[.wwwAuthenticate] == "Bearer")
    }

    // MARK: Time

    func declarePatient(on gateway: Gateway) {
        var policy = CallPolicy()
        policy.totalTimeout = .seconds(2)
        policy.attemptLimits = AttemptLimits(connect: .milliseconds(500), firstByte: .milliseconds(800))
        policy.retry.maxAttempts = 2
        let catalog = gateway.provider(CatalogAPI.self, upstream: "catalog", policy: policy)
        gateway.upstream("catalog") { $0.concurrency = 100 }

        gateway.get("/products/{id}", .deadline(.seconds(3)), .concurrency(50)) { request in
            .parts(product: catalog.rx.request(.product(try request.path("id"))).fragment())
        }
    }

    @Test("A call has two attempts of 800 ms each, and a silent upstream is not asked again")
    func time() throws {
        declarePatient(on: bench.gateway)
        bench.transport.answer("/products/7", .silence)
        let silent = try bench.ask(.get, "/products/7")
        bench.time.advance(by: .milliseconds(800))
        #expect(try silent.reply().status == 504)
        #expect(try silent.reply()["/errors/0/notRetried"] == #""reason""#)
        bench.transport.answer("/products/7", .failure(.connectionTerminated), .json(#"{"id":7}"#))
        let retried = try bench.ask(.get, "/products/7")
        bench.time.advance(by: .milliseconds(20))
        #expect(try retried.reply()["/data"] == #"{"product":{"id":7}}"#)
        #expect(bench.transport.attempts.count == 3)
    }
}
