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
