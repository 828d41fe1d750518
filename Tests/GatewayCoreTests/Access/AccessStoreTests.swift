import GatewayCore
import HTTPModel
import Locking
import NetworkingTesting
import Resilience
import RxTesting
import Testing

/// Rules 24, 27 and 28 where the check and a store meet.
@Suite("Limits in a store", .noLeaks)
struct AccessStoreTests {
    private let bench: AccessBench
    private let store = ScriptedStore()
    private let key = TestKey("shop")

    init() throws { bench = try AccessBench() }

    private func responder(onStoreFailure: RateLimit.StoreFailure = .local) throws -> GatewayResponder {
        try bench.responder(
            stores: ["main": store], .require("shops"), .rateLimits("strangers", "each"),
            .deadline(.seconds(2))
        ) { gateway in
            gateway.auth("shops", .apiKeys(APIKeySettings(lines: [key.line])))
            var strangers = RateLimit(key: [.client], rate: 1, per: .seconds(60))
            strangers.store = "main"
            strangers.onStoreFailure = onStoreFailure
            gateway.rateLimit("strangers", strangers)
            var each = RateLimit(key: [.identity], rate: 1, per: .seconds(60))
            each.store = "main"
            each.onStoreFailure = onStoreFailure
            gateway.rateLimit("each", each)
        }
    }

    private func decision(_ isAllowed: Bool) -> LimitDecision {
        let policy = RateLimitPolicy(count: 1, period: .seconds(60), burst: 1)
        return LimitDecision(isAllowed: isAllowed, backlog: policy.capacity, policy)
    }

    @Test("All limits of a request are one question, and the request waits for the answer")
    func one() throws {
        let waiting = try responder().ask(.get, "/me", key.fields)
        #expect(waiting.count == 0)
        #expect(store.asked.withLock { $0 } == [["strangers", "each"]])
        store.answer(.decided([decision(true), decision(true)]))
        let reply = try waiting.reply()
        #expect(reply["/data"] == "\"shop\"")
        #expect(reply.fields.contains("RateLimit"))
        #expect(reply.summary.access?.limits == ["strangers", "each"])
    }

    @Test("A refusal of the store is 429 with its fields")
    func refused() throws {
        let waiting = try responder().ask(.get, "/me", key.fields)
        store.answer(.decided([decision(true), decision(false)]))
        let reply = try waiting.reply()
        #expect(reply.status == 429)
        #expect(reply.fields.contains(.retryAfter))
        #expect(reply.fields.contains("RateLimit-Policy"))
        #expect(reply.summary.access?.refusedBy == ["each"])
    }

    @Test("A stranger is counted by the store before the 401, which is 429 once the limit is used up")
    func stranger() throws {
        let responder = try responder()
        let first = try responder.ask()
        #expect(store.asked.withLock { $0 } == [["strangers"]])
        store.answer(.decided([decision(true)]))
        #expect(try first.reply().status == 401)
        let second = try responder.ask()
        store.answer(.decided([decision(false)]))
        #expect(try second.reply().status == 429)
    }

    // MARK: Before the caller is known

    private static let cookie: HTTPFields = [.cookie: "session=1"]

    /// An endpoint with an authorizer, which renews the session, and with limits by client and by identity.
    private func authorized(
        onStoreFailure: RateLimit.StoreFailure = .local, hasLocal: Bool = false
    ) throws -> GatewayResponder {
        bench.transport.answer(
            "/auth", .response(200, fields: ["X-User": "ann", .setCookie: "session=2"]))
        return try bench.responder(
            stores: ["main": store], .require("web"), .deadline(.seconds(2)),
            .rateLimits(hasLocal ? ["near", "strangers", "each"] : ["strangers", "each"])
        ) { gateway in
            var settings = AuthorizerSettings(upstream: "session", get: "/auth", forward: [.cookie])
            settings.take = [TakenField("sub", from: "X-User")]
            settings.answer = [.setCookie]
            gateway.auth("web", .authorize(settings))
            gateway.rateLimit("near", RateLimit(key: [.client], rate: 3, per: .seconds(60)))
            for (name, key) in [("strangers", RateLimit.Key.client), ("each", .identity)] {
                gateway.rateLimit(
                    name,
                    RateLimit(
                        key: [key], rate: 1, per: .seconds(60), store: "main", onStoreFailure: onStoreFailure)
                )
            }
        }
    }

    @Test("A limit by client in a store is taken before the authorizer is asked, and the others after it")
    func beforeAuthorizer() throws {
        let waiting = try authorized().ask(.get, "/me", Self.cookie)
        #expect(store.asked.withLock { $0 } == [["strangers"]])
        #expect(bench.calls("/auth").isEmpty)
        store.answer(.decided([decision(true)]))
        #expect(bench.calls("/auth").count == 1)
        #expect(store.asked.withLock { $0 } == [["strangers"], ["each"]])
        #expect(waiting.count == 0)
        store.answer(.decided([decision(true)]))
        let reply = try waiting.reply()
        #expect(reply["/data"] == "\"ann\"")
        #expect(reply.fields[.setCookie] == "session=2")
        #expect(reply.summary.access?.limits == ["strangers", "each"])
    }

    @Test("A limit by client that is used up in a store keeps the authorizer from being asked")
    func authorizerIsNotAsked() throws {
        let waiting = try authorized().ask(.get, "/me", Self.cookie)
        store.answer(.decided([decision(false)]))
        let reply = try waiting.reply()
        #expect(reply.status == 429)
        #expect(!reply.fields.contains(.setCookie))
        #expect(reply.fields[.rateLimit] == #""strangers";r=0;t=60"#)
        #expect(reply.summary.access?.refusedBy == ["strangers"])
        #expect(bench.calls("/auth").isEmpty)
        #expect(store.asked.withLock { $0 } == [["strangers"]])
    }

    @Test("A known caller whom a limit by identity refuses gets what the authorizer gives with any answer")
    func knownCaller() throws {
        let waiting = try authorized().ask(.get, "/me", Self.cookie)
        store.answer(.decided([decision(true)]))
        store.answer(.decided([decision(false)]))
        let reply = try waiting.reply()
        #expect(reply.status == 429)
        #expect(reply.fields[.setCookie] == "session=2")
        #expect(reply.summary.access?.refusedBy == ["each"])
    }

    @Test("With deny and no answer of the store, the authorizer is not asked, and local limits stay used")
    func denyBeforeAuthorizer() throws {
        let responder = try authorized(onStoreFailure: .deny, hasLocal: true)
        for status in [503, 503, 503, 429, 429] {
            let waiting = try responder.ask(.get, "/me", Self.cookie)
            store.answer(.unavailable)
            let reply = try waiting.reply()
            #expect(reply.status == status)
            #expect(!reply.fields.contains(.setCookie))
        }
        #expect(bench.calls("/auth").isEmpty)
    }

    @Test("Once a limit by client is used up in a store, a good key is answered like a bad one")
    func noOracle() throws {
        let responder = try responder()
        var replies: [Reply] = []
        for fields in [key.fields, ["X-API-Key": TestKey("other").key], [:]] {
            let waiting = try responder.ask(.get, "/me", fields)
            let isGood = store.asked.withLock { $0.last } == ["strangers", "each"]
            store.answer(.decided([decision(false)] + (isGood ? [decision(true)] : [])))
            replies.append(try waiting.reply())
        }
        for reply in replies {
            #expect(reply.status == 429)
            #expect(reply.fields[.rateLimit] == #""strangers";r=0;t=60"#)
            #expect(reply.fields[.rateLimitPolicy] == #""strangers";q=1;w=60"#)
            #expect(reply.fields[.retryAfter] == "60")
            #expect(reply.message == replies[0].message)
            #expect(reply.fields[.wwwAuthenticate] == nil)
        }
        #expect(store.asked.withLock { $0.count } == 3)
    }

    @Test("Keys for a token are waited for only after the limits by client of a store have been taken")
    func beforeKeys() throws {
        bench.serveKeys(after: .milliseconds(200))
        let responder = try bench.responder(
            stores: ["main": store], .require("mobile"), .rateLimits("strangers", "each")
        ) { gateway in
            gateway.auth("mobile", bench.tokens())
            for (name, key) in [("strangers", RateLimit.Key.client), ("each", .identity)] {
                gateway.rateLimit(
                    name, RateLimit(key: [key], rate: 1, per: .seconds(60), store: "main"))
            }
        }
        // The limit refuses: nobody waits.
        let refused = try responder.ask(.get, "/me", try bench.issuer.bearer())
        #expect(store.asked.withLock { $0 } == [["strangers"]])
        store.answer(.decided([decision(false)]))
        #expect(try refused.reply().status == 429)
        // It passes, and the keys are still on their way.
        let waiting = try responder.ask(.get, "/me", try bench.issuer.bearer())
        store.answer(.decided([decision(true)]))
        #expect(waiting.count == 0)
        bench.time.advance(by: Duration.milliseconds(200))
        #expect(store.asked.withLock { $0 } == [["strangers"], ["strangers"], ["each"]])
        store.answer(.decided([decision(true)]))
        #expect(try waiting.reply()["/data"] == "\"ann\"")
    }

    @Test("A token with a known key takes all limits in one round trip")
    func knownKey() throws {
        let responder = try bench.responder(
            stores: ["main": store], .require("mobile"), .rateLimits("strangers", "each")
        ) { gateway in
            gateway.auth("mobile", bench.tokens())
            for (name, key) in [("strangers", RateLimit.Key.client), ("each", .identity)] {
                gateway.rateLimit(
                    name, RateLimit(key: [key], rate: 1, per: .seconds(60), store: "main"))
            }
        }
        for _ in 0..<2 {
            let waiting = try responder.ask(.get, "/me", try bench.issuer.bearer())
            #expect(store.asked.withLock { $0.last } == ["strangers", "each"])
            store.answer(.decided([decision(true), decision(true)]))
            #expect(try waiting.reply()["/data"] == "\"ann\"")
        }
        #expect(store.asked.withLock { $0.count } == 2)
    }

    // MARK: Without an answer

    @Test("Without an answer of the store the process counts itself")
    func local() throws {
        let responder = try responder()
        for status in [200, 429] {
            let waiting = try responder.ask(.get, "/me", key.fields)
            store.answer(.unavailable)
            #expect(try waiting.reply().status == status)
        }
    }

    @Test("With deny, a request without an answer of the store is 503")
    func deny() throws {
        let waiting = try responder(onStoreFailure: .deny).ask(.get, "/me", key.fields)
        store.answer(.unavailable)
        let reply = try waiting.reply()
        #expect(reply.status == 503)
        #expect(reply.summary.access?.result == .unavailable)
    }

    @Test("An answer that comes after the deadline is dropped")
    func late() throws {
        let waiting = try responder().ask(.get, "/me", key.fields)
        bench.time.advance(by: Duration.seconds(2))
        store.answer(.decided([decision(true), decision(true)]))
        #expect(try waiting.reply().status == 504)
    }

    @Test("Scripts may read the fields of limits")
    func exposed() throws {
        let cors = CORSPolicy(origins: .list(["https://app.test"]))
        let responder = try bench.responder(cors: cors, .rateLimits("each")) { gateway in
            gateway.rateLimit("each", RateLimit(key: [.client], rate: 1, per: .seconds(60)))
        }
        for status in [200, 429] {
            let reply = try responder.reply(.get, "/me", [.origin: "https://app.test"])
            #expect(reply.status == status)
            #expect(
                reply.fields[.accessControlExposeHeaders]
                    == "X-Request-Id, RateLimit, RateLimit-Policy, Retry-After")
        }
    }

    @Test("A problem document names the limits at its top")
    func problem() throws {
        let responder = try bench.responder(.rateLimits("each"), .envelope(.bare)) { gateway in
            gateway.rateLimit("each", RateLimit(key: [.client], rate: 1, per: .seconds(60)))
        }
        _ = try responder.reply()
        #expect(try responder.reply()["/violated-policies"] == "[\"each\"]")
    }
}
