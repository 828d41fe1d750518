import GatewayTesting
import HTTPModel
import Networking
import Testing

@testable import GatewayCore
@testable import GatewayHTTP

extension KeyExample {
    /// An example with the entries `programs` and `mobile`.
    fileprivate static func required(
        _ keys: String, _ endpoint: String, defaults: String = "",
        _ check: @escaping @Sendable (FileBench) async throws -> Void
    ) -> KeyExample {
        KeyExample(
            keys,
            file: """
                upstreams: {api: {url: "https://api"}}
                auth: {\(Callers.programs), \(Callers.mobile)}
                \(defaults)
                endpoints:
                - \(endpoint)
                """, more: Callers.files, check: check)
    }

    /// An example of a requirement that the key of the shop meets, but not one with another claim.
    fileprivate static func requirement(
        _ keys: String, _ met: String, not unmet: String
    ) -> KeyExample {
        required(
            keys,
            "{get: /x, data: {value: 1}, require: {any: programs, \(met)}}\n"
                + "- {get: /y, data: {value: 1}, require: {any: programs, \(unmet)}}"
        ) { bench async throws in
            let fields = try #require(Callers.shop).fields()
            #expect(try await bench.ask("/x", fields).status == .ok)
            #expect(try await bench.ask("/y", fields).status == .forbidden)
            #expect(try await bench.ask("/y").status == .unauthorized)
        }
    }
}

extension FileKeys {
    static let requirements: [KeyExample] = [
        .required("endpoint.require", "{get: /x, data: {value: 1}, require: programs}") {
            bench async throws in
            #expect(try await bench.ask("/x").status == .unauthorized)
            #expect(try await bench.ask("/x", #require(Callers.shop).fields()).status == .ok)
        },
        .required("proxyEndpoint.require", "{proxy: /x, upstream: api, require: [mobile, programs]}") {
            bench async throws in
            #expect(try await bench.ask("/x").status == .unauthorized)
            #expect(bench.calls.isEmpty)
            #expect(try await bench.ask("/x", #require(Callers.tokens).bearer("ann")).status == .ok)
            #expect(bench.calls[0].fields[.authorization] == nil)
        },
        .required(
            "defaults.require", "{get: /x, data: {value: 1}}\n- {get: /y, require: none, data: {value: 1}}",
            defaults: "defaults: {require: programs}"
        ) { bench async throws in
            #expect(try await bench.ask("/x").status == .unauthorized)
            #expect(try await bench.ask("/y").status == .ok)
        },
        .required(
            "require.any", "{get: /x, data: {value: \"{claims.sub}\"}, require: {any: [programs, mobile]}}"
        ) { bench async throws in
            #expect(try await bench.ask("/x", #require(Callers.shop).fields()).data == #""shop""#)
            #expect(try await bench.ask("/x", #require(Callers.tokens).bearer("ann")).data == #""ann""#)
        },
        .requirement("require.scopes", "scopes: [read, write]", not: "scopes: [read, delete]"),
        .requirement("require.claims", "claims: {plan: [pro, team]}", not: "claims: {plan: team}"),
        .required(
            "require.optional",
            "{get: /x, require: {any: programs, optional: true}, parts: "
                + "{a: {value: 1}, b: {value: \"{claims.sub}\", when: \"{claims.sub}\"}}}"
        ) { bench async throws in
            #expect(try await bench.ask("/x").data == #"{"a":1,"b":null}"#)
            #expect(try await bench.ask("/x", #require(Callers.shop).fields()).data == #"{"a":1,"b":"shop"}"#)
            #expect(try await bench.ask("/x", ["X-API-Key": "b"]).status == .unauthorized)
        },
        .required(
            "reference.claims",
            "{get: /x, require: programs, data: {upstream: api, get: \"/{claims.sub}\", query: {plan: \"{claims.plan}\"}}}"
        ) { bench async throws in
            _ = try await bench.ask("/x", #require(Callers.shop).fields())
            #expect(bench.calls.map(\.description) == ["GET /shop?plan=pro"])
        },
        .crossSite("endpoint.csrf", "{put: /x, cookies: [api], csrf: off, data: {upstream: api, put: /a}}"),
        .crossSite(
            "proxyEndpoint.csrf", "{proxy: /x, upstream: api, cookies: [api], methods: [PUT], csrf: off}"),
        .crossSite(
            "defaults.csrf", "{put: /x, cookies: [api], data: {upstream: api, put: /a}}",
            defaults: "defaults: {csrf: off}"),
    ]
}

extension KeyExample {
    /// An example in which a page of another site may write with a cookie.
    fileprivate static func crossSite(
        _ keys: String, _ endpoint: String, defaults: String = ""
    ) -> KeyExample {
        required(
            keys, endpoint + "\n- {put: /y, csrf: on, cookies: [api], data: {upstream: api, put: /a}}",
            defaults: defaults
        ) { bench async throws in
            let fields: HTTPFields = ["Sec-Fetch-Site": "cross-site", .cookie: "a=b"]
            #expect(try await bench.ask(.put, "/x", fields).status == .ok)
            #expect(bench.calls[0].fields[.cookie] == "a=b")
            #expect(try await bench.ask(.put, "/y", fields).status == .forbidden)
        }
    }

    /// An example of limits, of which `GET /x` has the one named `a`.
    fileprivate static func limit(
        _ keys: String, _ limit: String, require: String = "none",
        _ check: @escaping @Sendable (FileBench) async throws -> Void
    ) -> KeyExample {
        required(
            keys, "{get: /x, data: {value: 1}, require: \(require), rateLimits: a}",
            defaults: "stores: {main: {redis: \"redis://cache\"}}\nrateLimits: {a: {\(limit)}}", check)
    }

    /// An example of an endpoint that answers one request a minute.
    fileprivate static func limited(_ keys: String, _ endpoint: String, defaults: String = "") -> KeyExample {
        required(
            keys, endpoint, defaults: "rateLimits: {a: {key: endpoint, rate: 1/1m}}\n" + defaults
        ) { bench async throws in
            let replies = try await bench.ask("/x", [[:], [:]])
            #expect(replies.map(\.status.value) == [.ok, .tooManyRequests])
        }
    }
}

extension FileKeys {
    static let rateLimits: [KeyExample] = [
        .limited("endpoint.rateLimits", "{get: /x, data: {value: 1}, rateLimits: [a]}"),
        .limited("proxyEndpoint.rateLimits", "{proxy: /x, upstream: api, rateLimits: a}"),
        .limited(
            "defaults.rateLimits", "{get: /x, data: {value: 1}}", defaults: "defaults: {rateLimits: [a]}"),
        .limit(
            "file.rateLimits rateLimit.key rateLimit.rate", "key: [header.X-Tenant, endpoint], rate: 2/1m"
        ) { bench async throws in
            let one: HTTPFields = ["X-Tenant": "1"]
            let replies = try await bench.ask("/x", [one, one, one, ["X-Tenant": "2"]])
            #expect(replies.map(\.status.value) == [.ok, .ok, .tooManyRequests, .ok])
            #expect(replies[0].fields["RateLimit-Policy"] == #""a";q=2;w=60"#)
        },
        .limit("rateLimit.burst", "key: client, rate: 100/1m, burst: 1") { bench async throws in
            let replies = try await bench.ask("/x", [[:], [:]])
            #expect(replies.map(\.status.value) == [.ok, .tooManyRequests])
        },
        .limit("rateLimit.when", "key: client, rate: 1/1m, when: {plan: pro}", require: "[programs, mobile]")
        {
            bench async throws in
            let (shop, ann) = (
                try #require(Callers.shop).fields(), try #require(Callers.tokens).bearer("ann")
            )
            let replies = try await bench.ask("/x", [shop, shop, ann, ann])
            #expect(replies.map(\.status.value) == [.ok, .tooManyRequests, .ok, .ok])
        },
        .limit("rateLimit.headers", "key: client, rate: 1/1m, headers: off") { bench async throws in
            let replies = try await bench.ask("/x", [[:], [:]])
            #expect(
                replies.allSatisfy { $0.fields["RateLimit"] == nil && $0.fields["RateLimit-Policy"] == nil })
            #expect(replies[1].fields[.retryAfter] == "60")
        },
        .limit(
            "file.stores rateLimit.store rateLimit.onStoreFailure",
            "key: client, rate: 1/1m, store: main, onStoreFailure: deny"
        ) { bench async throws in
            let limit = bench.file.document.rateLimits[0].limit
            #expect(limit.store == "main" && limit.onStoreFailure == .deny)
            #expect(bench.configuration.stores["main"] == RedisStore("redis://cache"))
            let replies = try await bench.ask("/x", [[:], [:]])
            #expect(replies.map(\.status.value) == [.ok, .tooManyRequests])
        },
        .limit("rateLimit.maxKeys", "key: header.X-A, rate: 1/1m, maxKeys: 1") { bench async throws in
            #expect(bench.file.document.rateLimits[0].limit.maxKeys == 1)
        },
        KeyExample.setting(
            "store.redis store.user store.password store.database store.tls store.timeout store.prefix",
            """
            stores:
              main: {redis: "rediss://cache:7000", user: me, password: p, database: 2, tls: {minimum: "1.3"}, timeout: 9ms, prefix: "a:"}
            """
        ) {
            let store = try #require($0.stores["main"])
            #expect(store.url == "rediss://cache:7000" && store.user == "me" && store.password == "p")
            #expect(store.database == 2 && store.tls?.minimumVersion == .tls13)
            #expect(store.timeout == .milliseconds(9) && store.prefix == "a:")
        },
    ]
}
