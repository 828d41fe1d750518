import Foundation
import GatewayCore
import GatewayHTTP
import GatewayTesting
import HTTPModel
import Networking
import Synchronization
import TestSupport
import Testing

/// Compiles the middleware of the article "Who may call", and what does the same without it, and compares
/// their answers.
@Suite("The article on who may call, about middleware that becomes shorter", .timeLimit(.minutes(1)))
struct ShorterMiddlewareTests {
    struct App: Sendable {
        var name: String
    }

    struct Account: Decodable, Sendable {
        var user: String
    }

    typealias AccountsAPI = WhoMayCallTests.AccountsAPI

    private let folder = ScratchFolder()

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

    func declareHello(on gateway: Gateway, keys: String) {
        gateway.auth("apps", .apiKeys(file: keys))
        gateway.get("/hello", .require("apps")) { request in
            .json(["app": .init(try request.claim("sub", as: String.self))])
        }
    }

    @Test("A key is required with middleware and without", arguments: [true, false])
    func keys(isMiddleware: Bool) async throws {
        let phone = try TestAPIKey("phone")
        let path = folder.file("apps.keys")
        try "\(phone.line)\n".write(toFile: path, atomically: true, encoding: .utf8)
        try await withGateway(
            .virtualTime,
            declare: { gateway in
                if isMiddleware {
                    requireKey(on: gateway, apps: [phone.key: App(name: "phone")])
                } else {
                    declareHello(on: gateway, keys: path)
                }
            }
        ) { client in
            let refused = try await client.get("/hello")
            #expect(refused.status == .unauthorized)
            #expect(refused.fields[.wwwAuthenticate] == "APIKey")
            let hello = try await client.get("/hello", phone.fields())
            #expect(try hello.data() == #"{"app":"phone"}"#)
        }
    }

    // MARK: A session

    func declareGroup(on gateway: Gateway) {
        let accounts = gateway.provider(AccountsAPI.self, upstream: "accounts")
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

    func declareShorterGroup(on gateway: Gateway) {
        let accounts = gateway.provider(AccountsAPI.self, upstream: "accounts")
        gateway.auth("session", .authorize(AuthorizerSettings(upstream: "accounts", get: "/session")))
        gateway.group("/me", .require("session")) { me in
            me.get("/cart") { request in
                let user = try request.claim("user", as: String.self)
                return .parts(cart: accounts.rx.request(.cart(user: user)).fragment())
            }
        }
    }

    @Test("A session is asked for with middleware and without", arguments: [true, false])
    func session(isMiddleware: Bool) async throws {
        let upstreams = StubUpstreams()
        upstreams["accounts"].on(.get, "/session").answer { request in
            request.fields[.authorization] == "Bearer good"
                ? .json(#"{"user":"kim"}"#)
                : .status(.unauthorized, fields: [.wwwAuthenticate: "Bearer"])
        }
        upstreams["accounts"].on(.get, "/carts/kim").answer(json: "[]")
        try await withGateway(
            .virtualTime, upstreams: upstreams,
            declare: { isMiddleware ? declareGroup(on: $0) : declareShorterGroup(on: $0) }
        ) { client in
            let refused = try await client.get("/me/cart", [.authorization: "Bearer bad"])
            #expect(refused.status == .unauthorized)
            #expect(refused.fields[.wwwAuthenticate] == "Bearer")
            let cart = try await client.get("/me/cart", [.authorization: "Bearer good"])
            #expect(try cart.data() == #"{"cart":[]}"#)
        }
    }

    // MARK: A limit

    final class Windows: Sendable {
        private let counts = Mutex<[String: (second: Int64, count: Int)]>([:])

        func admits(_ client: String, at second: Int64, limit: Int) -> Bool {
            counts.withLock { counts in
                var window = counts[client] ?? (second, 0)
                if window.second != second { window = (second, 0) }
                window.count += 1
                counts[client] = window
                return window.count <= limit
            }
        }
    }

    func limitClients(on gateway: Gateway) {
        let windows = Windows()
        gateway.before { request in
            let second = Int64(request.scheduler.now.timeIntervalSince1970)
            guard windows.admits(request.clientAddress, at: second, limit: 20) else {
                throw GatewayError.tooManyRequests("Too many requests", retryAfter: 1)
            }
        }
        gateway.get("/search") { _ in .json([]) }
    }

    func limitClientsShorter(on gateway: Gateway) {
        gateway.rateLimit("strangers", RateLimit(key: [.client], rate: 20, per: .seconds(1)))
        gateway.get("/search", .rateLimits("strangers")) { _ in .json([]) }
    }

    @Test("Clients are limited with middleware and without", arguments: [true, false])
    func limit(isMiddleware: Bool) async throws {
        try await withGateway(
            .virtualTime, declare: { isMiddleware ? limitClients(on: $0) : limitClientsShorter(on: $0) }
        ) { client in
            for _ in 0..<20 { #expect(try await client.get("/search").status == .ok) }
            let refused = try await client.get("/search")
            #expect(refused.status == .tooManyRequests)
            #expect(refused.fields[.retryAfter] == "1")
            try await client.wait(.seconds(1))
            #expect(try await client.get("/search").status == .ok)
        }
    }
}
