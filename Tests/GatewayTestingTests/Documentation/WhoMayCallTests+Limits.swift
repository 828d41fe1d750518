import GatewayCore
import GatewayHTTP
import GatewayTesting
import HTTPModel
import JSONBytes
import Networking
import Rx
import TestSupport
import Testing

// The code of the article about limits and stores.
extension WhoMayCallTests {
    // MARK: Limits

    func declareLimits(on gateway: Gateway) {
        gateway.rateLimit("strangers", RateLimit(key: [.client], rate: 20, per: .seconds(1)))
        gateway.rateLimit("perUser", RateLimit(key: [.identity], rate: 100, per: .seconds(60), burst: 20))
        gateway.rateLimit(
            "free", RateLimit(key: [.identity], rate: 1000, per: .seconds(86_400), when: ["plan": ["free"]]))
        gateway.get("/search", .require("mobile"), .rateLimits("strangers", "perUser", "free")) { _ in
            .json([])
        }
    }

    @Test("A caller who waits as long as the answer says is served again")
    func limits() async throws {
        let tokens = try tokens()
        try await withGateway(
            .virtualTime,
            declare: { gateway in
                gateway.auth("mobile", .jwt(tokens))
                declareLimits(on: gateway)
            }
        ) { client in
            let kim = try signer.bearer("kim", ["plan": "pro"])
            let first = try await client.get("/search", kim)
            let expected = """
                RateLimit-Policy: "strangers";q=20;w=1, "perUser";q=20;w=12
                RateLimit: "strangers";r=19;t=1, "perUser";r=19;t=1
                """
            let names: [HTTPFieldName] = ["RateLimit-Policy", "RateLimit"]
            let sent = names.map { "\($0): \(first.fields[$0] ?? "none")" }
            #expect(sent.joined(separator: "\n") == expected)
            for _ in 1..<20 { #expect(try await client.get("/search", kim).status == .ok) }
            let refused = try await client.get("/search", kim)
            #expect(refused.status == .tooManyRequests)
            let seconds = try #require(refused.fields[.retryAfter].flatMap { Int($0) })
            try await client.wait(.seconds(seconds))
            #expect(try await client.get("/search", kim).status == .ok)
        }
    }

    func refusals(by limit: String, in report: AccessReport) -> Int {
        let counts: RateLimitReport? = report.limits[limit]
        return counts?.limited ?? 0
    }

    func expired(at entry: String, in report: AccessReport) -> Int { report.callers[entry]?["expired"] ?? 0 }

    // MARK: A store

    func useStore(_ configuration: inout GatewayServerConfiguration, password: String) {
        var store = RedisStore("rediss://cache:6380")
        store.password = password
        store.timeout = .milliseconds(20)
        configuration.stores["main"] = store
    }

    func declareExports(on gateway: Gateway) {
        gateway.rateLimit(
            "perPartner", RateLimit(key: [.identity], rate: 1000, per: .seconds(60), store: "main"))
        gateway.rateLimit(
            "exports",
            RateLimit(
                key: [.identity], rate: 10, per: .seconds(3600), store: "main",
                onStoreFailure: RateLimit.StoreFailure.deny))
        gateway.get("/products", .require("partners"), .rateLimits("perPartner")) { _ in .json([]) }
        gateway.get("/export", .require("partners"), .rateLimits("exports")) { _ in .json([]) }
    }

    @Test("Without the store, one limit counts in the process, and the other refuses")
    func store() async throws {
        let keys = keys
        var configuration = GatewayServerConfiguration()
        useStore(&configuration, password: "secret")
        #expect(configuration.stores["main"]?.password == "secret")
        // Nothing listens there.
        configuration.stores["main"] = RedisStore("redis://127.0.0.1:1")
        try await withGateway(
            .sockets, configuration: configuration,
            declare: { gateway in
                gateway.auth("partners", .apiKeys(file: keys))
                declareExports(on: gateway)
            }
        ) { client in
            let counted = try await client.get("/products", partner.fields())
            #expect(counted.status == .ok)
            let refused = try await client.get("/export", partner.fields())
            #expect(refused.status == .serviceUnavailable)
        }
    }
}
