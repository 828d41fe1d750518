import GatewayCore
import HTTPModel
import JSONBytes
import Locking
import Networking
import NetworkingTesting
import Rx
import RxTesting
import Testing

struct App: Sendable {
    var name: String
}

/// Compiles and runs the recipes about middleware and groups.
@Suite("The recipes for middleware and groups", .noLeaks)
struct MiddlewareRecipesTests {
    private let bench = Bench()

    // MARK: Keys

    func requireKey(on gateway: Gateway, apps: [String: App]) {
        gateway.before { request in
            guard let key = request.header("X-API-Key"), let app = apps[key] else {
                throw GatewayError.unauthorized("The API key is missing or unknown", challenge: "APIKey")
            }
            request[App.self] = app
        }
        gateway.get("/hello") { request in
            .json(["app": .init(try request.require(App.self).name)])
        }
    }

    @Test("A request without a known key is refused, also at a path without an endpoint")
    func keys() throws {
        requireKey(on: bench.gateway, apps: ["k1": App(name: "phone")])
        let expected = """
            {"code":"UNAUTHORIZED","message":"The API key is missing or unknown","status":401,"data":null,
             "meta":{"requestId":"r1","complete":false,"elapsedMs":0.0}}
            """
        for path in ["/hello", "/none"] {
            let refused = try bench.answer(.get, path, fields: [.xRequestID: "r1"])
            #expect(refused.body == folded(expected))
            #expect(refused.fields[.wwwAuthenticate] == "APIKey")
        }
        #expect(try bench.answer(.get, "/hello", fields: ["X-API-Key": "k1"])["/data/app"] == #""phone""#)
        #expect(try bench.answer(.get, "/none", fields: ["X-API-Key": "k1"]).status == 404)
    }

    // MARK: Sessions

    func declareSessions(on gateway: Gateway) {
        let accounts = gateway.provider(AccountsAPI.self, upstream: "accounts")

        gateway.get("/status") { _ in .json("open to everybody") }

        gateway.group("/me", .forwardsAuthorization(to: "accounts")) { me in
            me.before { request in
                request[Account.self] = try await accounts.rx.request(.session).map(Account.self).value
            }
            me.get("/cart") { request in
                let user = try request.require(Account.self).user
                return .parts(cart: accounts.rx.request(.cart(user: user)).fragment())
            }
        }
    }

    @Test("The session is asked for before each endpoint of the group, and its refusal is the answer")
    func sessions() async throws {
        declareSessions(on: bench.gateway)
        bench.transport.answer("/session", .json(#"{"user":"kim"}"#))
        bench.transport.answer("/carts/kim", .json("[]"))
        #expect(try await bench.eventualAnswer("/me/cart")["/data"] == #"{"cart":[]}"#)
        bench.transport.answer("/session", .response(401))
        let refused = try await bench.eventualAnswer("/me/cart")
        #expect(refused.status == 401)
        #expect(refused["/errors/0/part"] == "null")
        #expect(bench.transport.attempts.map(\.call.path) == ["/session", "/carts/kim", "/session"])
        #expect(try bench.answer(.get, "/status").status == 200)
    }

    // MARK: Groups

    func declareGroups(on gateway: Gateway) {
        let catalog = gateway.provider(CatalogAPI.self, upstream: "catalog")

        gateway.defaults(.deadline(.seconds(5)))
        gateway.group("/api", .bodyLimit(16 * 1024)) { api in
            api.group("/shops/{shop}") { shop in
                shop.before { request in
                    guard try request.path("shop", as: Int.self) < 100 else {
                        throw GatewayError.notFound("There is no such shop")
                    }
                }
                shop.get("/products/{id}", .deadline(.seconds(2))) { request in
                    .parts(product: catalog.rx.request(.product(try request.path("id"))).fragment())
                }
            }
        }
    }

    @Test("A group's check reads the group's parameter, and an endpoint's deadline overrides the default")
    func groups() throws {
        declareGroups(on: bench.gateway)
        #expect(try bench.answer(.get, "/api/shops/100/products/7").message == "There is no such shop")
        bench.transport.answer("/products/7", .silence)
        let late = try bench.ask(.get, "/api/shops/3/products/7")
        bench.time.advance(by: .seconds(2))
        #expect(try late.reply()["/errors/0/reason"] == #""deadline_exceeded""#)
    }

    // MARK: All answers

    func declareFields(on gateway: Gateway) {
        gateway.before { request in request.addAnswerField("X-Region", "eu") }
        gateway.after { answer in
            answer.addField("X-Frame-Options", "DENY")
            if answer.code == "PARTIAL" { answer.addField("X-Partial", "true") }
        }
        gateway.get("/status") { _ in .json("open") }
    }

    @Test("Every answer has the fields, whether an endpoint or the router has made it")
    func fields() throws {
        declareFields(on: bench.gateway)
        for (path, status) in [("/status", 200), ("/none", 404)] {
            let reply = try bench.answer(.get, path)
            #expect(reply.status == status)
            #expect(reply.fields["X-Region"] == "eu")
            #expect(reply.fields["X-Frame-Options"] == "DENY")
            #expect(reply.fields["X-Partial"] == nil)
        }
    }

    func declareMaintenance(on gateway: Gateway, isClosed: @escaping @Sendable () -> Bool) {
        gateway.before { request -> Answer? in
            guard isClosed(), request.method != .get else { return nil }
            return .json(["retry": "after noon"]).status(.serviceUnavailable).field(.retryAfter, "3600")
        }
        gateway.post("/orders") { _ in .status(.created) }
    }

    @Test("A step that returns an answer ends the request")
    func maintenance() throws {
        let isClosed = Lock(true)
        declareMaintenance(on: bench.gateway) { isClosed.withLock { $0 } }
        let closed = try bench.answer(.post, "/orders")
        #expect(closed.status == 503)
        #expect(closed.fields[.retryAfter] == "3600")
        isClosed.withLock { $0 = false }
        #expect(try bench.answer(.post, "/orders").status == 201)
    }

    // MARK: CORS

    static func corsGateway(_ environment: GatewayEnvironment) -> Gateway {
        let cors = CORSPolicy(
            origins: .list(["https://shop.example"]), headers: [.contentType, "X-API-Key"],
            maxAge: .seconds(3600))
        return Gateway(environment, cors: cors)
    }

    @Test("A listed origin may call, and its preflight needs no key")
    func cors() throws {
        let gateway = Self.corsGateway(GatewayEnvironment(transport: bench.transport))
        requireKey(on: gateway, apps: ["k1": App(name: "web")])
        func ask(_ method: HTTPMethod, _ fields: HTTPFields) throws -> Reply {
            let head = HTTPRequestHead(
                method: method, target: try #require(RequestTarget("/hello")), fields: fields)
            return try Pending(gateway.responder().respond(to: ReceivedRequest(head: head))).reply()
        }
        let preflight = try ask(
            .options, [.origin: "https://shop.example", .accessControlRequestMethod: "GET"])
        #expect(preflight.status == 204)
        let expected = """
            Access-Control-Allow-Origin: https://shop.example
            Access-Control-Allow-Methods: GET, HEAD
            Access-Control-Allow-Headers: Content-Type, X-API-Key
            Access-Control-Max-Age: 3600
            """
        let sent = preflight.fields.map { "\($0.name): \($0.value)" }
            .filter { $0.hasPrefix("Access-Control") }
        #expect(sent.joined(separator: "\n") == expected)
        let foreign = try ask(.get, [.origin: "https://evil.example", "X-API-Key": "k1"])
        #expect(foreign.fields[.accessControlAllowOrigin] == nil)
    }
}
