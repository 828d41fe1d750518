import GatewayCore
import HTTPModel
import Resilience

/// What limits cost a request, without the request.
enum LimitRows {
    static func run() {
        take()
        count("limit/client", "the key of a client's address and one limit", [.client])
        count(
            "limit/header", "the same by a field of 36 bytes, and the answer's fields", [.header("X-Tenant")])
        storeKey()
    }

    private static let policy = RateLimitPolicy(count: 1_000_000, period: .seconds(1))
    private static let count = 200_000

    /// One key again and again, and a new key each time in a table that is full.
    private static func take() {
        let known = KeyedLimits(policy, maxKeys: 100_000)
        measure("limit/take", "one request of a key that is known") { index in
            precondition(
                known.take(LimitKey(1, 1), at: Int64(index) * 1000).isAllowed, "one request fits each time")
        }
        let slow = RateLimitPolicy(count: 1, period: .seconds(3600))
        let strangers = KeyedLimits(slow, maxKeys: 10_000)
        var key: UInt64 = 0
        measure("limit/strangers", "one request of a new key, with more keys than the table has room for") {
            _ in
            key &+= 0x9e37_79b9_7f4a_7c15
            _ = strangers.take(LimitKey(key, key), at: 0)
        }
        let short = KeyedLimits(policy, maxKeys: 100_000)
        measure("limit/churn", "one request of a new key, while older keys are removed") { index in
            key &+= 0x9e37_79b9_7f4a_7c15
            _ = short.take(LimitKey(key, key), at: Int64(index) * 100)
        }
    }

    private static func limit(_ key: [RateLimit.Key], store: String? = nil) -> RateLimit {
        RateLimit(key: key, rate: 1_000_000, per: .seconds(1), store: store)
    }

    private static var request: LimitedRequest {
        LimitedRequest(
            fields: [.host: "127.0.0.1", "X-Tenant": "0b1c2d3e-4f50-6172-8394-a5b6c7d8e9f0"],
            client: IPAddress("192.0.2.1"), endpoint: "GET /api/weights/{date}", now: 0)
    }

    private static func count(_ name: String, _ meaning: String, _ key: [RateLimit.Key]) {
        let limits = EndpointLimits([LimitState().kept("perTenant", limit(key))], stores: [:])
        var request = request
        var fields = HTTPFields()
        measure(name, meaning) { index in
            request.now = Int64(index) * 1000
            var usage = LimitUsage()
            _ = limits.begin(request, &usage)
            _ = limits.proceed(request, &usage)
            precondition(!usage.isEmpty, "the limit counts")
            guard key != [.client] else { return }
            fields = HTTPFields(room: 4, capacity: 256)
            usage.addFields(to: &fields)
        }
    }

    private static func storeKey() {
        let limits = EndpointLimits(
            [LimitState().kept("perTenant", limit([.header("X-Tenant")], store: "main"))],
            stores: ["main": NoStore()])
        let request = request
        measure("limit/store", "what a store is asked for one limit: SHA-256 of its key") { _ in
            var usage = LimitUsage()
            _ = limits.proceed(request, &usage)
        }
    }

    private struct NoStore: RateLimitStore {
        func take(
            _ limits: [StoreLimitRequest], within time: Int64,
            deliver: @escaping @Sendable (StoreOutcome) -> Void
        ) {}
    }

    private static func measure(_ name: String, _ meaning: String, _ body: (Int) -> Void) {
        var times: [Duration] = []
        var index = 0
        for _ in 0..<9 {
            times.append(
                ContinuousClock().measure {
                    for _ in 0..<count {
                        index += 1
                        body(index)
                    }
                })
        }
        let median = times.sorted()[4] / .nanoseconds(1) / Double(count)
        print("\(name): \(Int(median)) ns (\(meaning))")
    }
}
