import AccessControl
import EndpointPlans
import EventIO
import GatewayCore
import HTTPModel
import Testing

@testable import GatewayConfig

@Suite("Who may call, as a file says it")
struct AccessDecodingTests {
    private static let head = """
        upstreams: {api: {url: "https://api"}}
        auth:
          programs: {apiKeys: {file: programs.keys}}
          mobile: {jwt: {keys: {file: page.jwks}, algorithms: [EdDSA, ES256], issuer: i, audience: [a, b], leeway: 5s},
            send: {X-User: "{claims.org.id}", X-From: gateway}}
          web: {authorize: {upstream: api, get: "/auth?x=1", forward: [X-Session], take: {sub: X-User, mail: X-Mail}}}
        rateLimits: {one: {key: client, rate: 1/1s}, two: {key: [identity, claims.org.id], rate: 90/1.5m, burst: 5}}

        """

    private func read(_ rest: String) throws -> ConfigDocument {
        let reading = ConfigReading.read(text: Self.head + rest, files: Fixture.namedFiles)
        #expect(reading.problems.filter { $0.severity == .error } == [])
        return try #require(reading.document)
    }

    @Test("Entries have their settings, and what their files contain")
    func entries() throws {
        let document = try read("endpoints: [{get: /a, data: {value: 1}, require: [web]}]\n")
        #expect(document.auth.map(\.name.value) == ["programs", "mobile", "web"])
        guard case .apiKeys(let keys) = document.auth[0].method,
            case .jwt(let tokens) = document.auth[1].method,
            case .authorize(let authorizer) = document.auth[2].method
        else {
            Issue.record("the kinds are others")
            return
        }
        #expect(keys.header == "X-API-Key")
        let file = try #require(Fixture.namedFiles["programs.keys"])
        #expect(try keys.table == APIKeyTable(parsing: Array(file.utf8)[...]))
        #expect(keys.contents == nil, "the bytes are not kept")
        #expect(tokens.keys == .file("page.jwks"))
        #expect(tokens.contents == Array(Fixture.keySet.utf8))
        #expect(tokens.algorithms == [.ed25519, .es256])
        #expect(tokens.audience == ["a", "b"])
        #expect(tokens.required == ["exp"])
        #expect(tokens.leeway == .seconds(5))
        #expect(authorizer.get == "/auth?x=1")
        #expect(authorizer.forward == ["X-Session"])
        #expect(authorizer.take == [TakenField("sub", from: "X-User"), TakenField("mail", from: "X-Mail")])
        #expect(authorizer.timeout == .seconds(1))
        #expect(document.auth[1].sent.map(\.name.value) == ["X-User", "X-From"])
        #expect(document.auth[1].sent[0].value.value.wholeReference?.source == .claims)
        #expect(document.auth[1].sent[1].value.value.constant == "gateway")
        #expect(document.auth[1].place(of: "jwt.issuer").line == 5)
    }

    @Test("Files of keys are files of the configuration, so a change of one changes it")
    func paths() throws {
        let text = Self.head + "endpoints: [{get: /a, data: {value: 1}, require: [web]}]\n"
        let reading = ConfigReading.read(text: text, files: Fixture.namedFiles)
        #expect(reading.paths == ["f", "programs.keys", "page.jwks"])
        let missing = ConfigReading.read(text: text)
        #expect(missing.document == nil)
        #expect(missing.paths == ["f", "programs.keys", "page.jwks"])
    }

    @Test(
        "A requirement is the word none, a name, names, or more",
        arguments: [
            ("none", []), ("mobile", ["mobile"]), ("[web, mobile]", ["web", "mobile"]),
            ("{any: web}", ["web"]), ("{any: [web, programs], optional: true}", ["web", "programs"]),
        ])
    func requirements(text: String, entries: [String]) throws {
        let document = try read(
            "endpoints:\n- {get: /a, data: {value: 1}, require: \(text)}\n- {proxy: /b, upstream: api, require: \(text)}\n"
        )
        let endpoint = try #require(document.endpoints[0].settings.requirement)
        let proxy = try #require(document.proxies[0].settings.requirement)
        #expect(endpoint.entries.map(\.value) == entries)
        #expect(proxy.entries.map(\.value) == entries)
        #expect(endpoint.isOptional == (text.contains("optional") ? true : nil))
    }

    @Test("Scopes and claims are text, and numbers and Booleans as JSON writes them")
    func rules() throws {
        let document = try read(
            """
            endpoints:
            - get: /a
              data: {value: 1}
              require: {any: mobile, scopes: [read, "a:b"], claims: {plan: [pro, team], level: 0o10, realm.admin: TRUE, "https://a/b": x}}
            - {get: /b, data: {value: 1}, require: {any: mobile, scopes: read}}

            """)
        let requirement = try #require(document.endpoints[0].settings.requirement)
        #expect(requirement.scopes.map(\.value) == ["read", "a:b"])
        #expect(requirement.claims.map(\.name.value) == ["plan", "level", "realm.admin", "https://a/b"])
        #expect(
            requirement.claims.map { $0.values.map(\.value) } == [["pro", "team"], ["8"], ["true"], ["x"]])
        #expect(document.endpoints[1].settings.requirement?.scopes.map(\.value) == ["read"])
    }

    @Test("Members of defaults hold for endpoints of both kinds that do not set them")
    func defaults() throws {
        let document = try read(
            """
            defaults: {require: [mobile, programs], rateLimits: [one, two], csrf: off}
            endpoints:
            - {get: /a, data: {value: "{claims.sub}"}}
            - {get: /b, data: {value: 1}, require: none, rateLimits: none, csrf: on}
            - {get: /c, data: {value: 1}, rateLimits: []}
            - {proxy: /d, upstream: api, rateLimits: two}

            """)
        let settings = document.endpoints.map(\.settings) + document.proxies.map(\.settings)
        #expect(
            settings.map { $0.requirement?.entries.map(\.value) ?? ["?"] } == [
                ["mobile", "programs"], [], ["mobile", "programs"], ["mobile", "programs"],
            ])
        #expect(settings.map { $0.rateLimits?.map(\.value) } == [["one", "two"], [], [], ["two"]])
        #expect(settings.map(\.csrf) == [false, true, false, false])
    }

    @Test("An endpoint that names no limits leaves a default of the program in place")
    func noLimits() throws {
        let document = try read(
            "endpoints: [{get: /a, data: {value: 1}}, {get: /b, data: {value: 1}, rateLimits: none}]\n")
        #expect(document.endpoints.map { $0.settings.rateLimits?.count } == [nil, 0])
    }

    @Test("Limits have their keys, rates and defaults")
    func limits() throws {
        let document = try read(
            "endpoints: [{get: /a, data: {value: 1}, require: mobile, rateLimits: two}]\n")
        #expect(document.rateLimits.map(\.name.value) == ["one", "two"])
        let (one, two) = (document.rateLimits[0].limit, document.rateLimits[1].limit)
        #expect(one.key == [.client])
        #expect(one.rate == 1 && one.per == .seconds(1) && one.burst == nil)
        #expect(one.headers && one.store == nil && one.onStoreFailure == .local && one.maxKeys == 100_000)
        #expect(two.key.map(\.description) == ["identity", "claims.org.id"])
        #expect(two.rate == 90 && two.per == .seconds(90) && two.burst == 5)
        #expect(two.needsIdentity && !one.needsIdentity)
    }

    @Test(
        "The address of a store is TCP or TLS",
        arguments: [
            ("redis://cache", RedisStore.Address.tcp(host: "cache", port: 6379, isEncrypted: false)),
            ("redis://cache:80/", .tcp(host: "cache", port: 80, isEncrypted: false)),
            ("rediss://10.0.0.1:6380", .tcp(host: "10.0.0.1", port: 6380, isEncrypted: true)),
            ("redis://[::1]", .tcp(host: "::1", port: 6379, isEncrypted: false)),
            ("redis://[::1]:7000", .tcp(host: "::1", port: 7000, isEncrypted: false)),
        ])
    func addresses(text: String, address: RedisStore.Address) throws {
        let store = RedisStore(text)
        #expect(try store.address() == address)
        #expect(store.isEncrypted == text.hasPrefix("rediss:"))
    }

    @Test("The address of a store is a Unix socket whose path has at most 107 bytes")
    func socketAddress() throws {
        #expect(
            try RedisStore("unix:/run/redis.sock").address()
                == .unix(try SocketAddress(unixPath: "/run/redis.sock")))
        let longest = "/run/" + String(repeating: "a", count: 102)
        #expect(try RedisStore("unix:" + longest).address() == .unix(try SocketAddress(unixPath: longest)))
        #expect(throws: RedisStore.Fault(description: "the path of a Unix socket has at most 107 bytes")) {
            try RedisStore("unix:" + longest + "a").address()
        }
    }

    @Test(
        "Any other address is refused",
        arguments: [
            "", "cache", "http://cache", "redis:cache", "redis://", "redis://:6379", "redis://user@cache",
            "redis://cache/1", "redis://cache?a", "redis://cache:99999", "unix:", "unix:run", "unix:/",
        ])
    func wrongAddresses(text: String) {
        #expect(throws: RedisStore.Fault.self) { try RedisStore.address(text) }
    }

    @Test("A store has its settings and defaults, and its password comes from a secret")
    func stores() throws {
        let reading = ConfigReading.read(
            text: """
                upstreams: {api: {url: "http://api"}}
                listen: {host: 0.0.0.0}
                stores:
                  main: {redis: "rediss://cache", user: me, password: "${file:/run/secrets/key}", tls: {minimum: "1.3"}}
                  near: {redis: unix:/run/redis.sock, prefix: "", timeout: 5ms, database: 3}
                rateLimits: {a: {key: client, rate: 1/1s, store: main}, b: {key: client, rate: 1/1s, store: near}}
                endpoints: [{get: /a, data: {upstream: api, get: /a}, rateLimits: [a, b]}]
                """, files: Fixture.namedFiles)
        #expect(reading.lines == [])
        let document = try #require(reading.document)
        let (main, near) = (document.stores[0].settings, document.stores[1].settings)
        #expect(main.user == "me" && main.password == "secret" && main.tls?.minimumVersion == .tls13)
        #expect(main.timeout == .milliseconds(20) && main.database == 0 && main.prefix == "sluice:")
        #expect(near.password == nil && near.database == 3 && near.timeout == .milliseconds(5))
        #expect(near.prefix.isEmpty)
        #expect(reading.paths.contains("/run/secrets/key"))
    }

    @Test("Among a hundred entries, those beyond sixteen are too many")
    func manyEntries() {
        let entries = (0..<100).map { "e\($0): {apiKeys: {file: programs.keys}}" }.joined(separator: ", ")
        let reading = ConfigReading.read(
            text: "auth: {\(entries)}\nendpoints: [{get: /a, data: {value: 1}, require: e7}]\n",
            files: Fixture.namedFiles)
        #expect(reading.lines.contains { $0.hasSuffix("error: auth has 100 entries, at most 16") })
    }

    @Test(
        "A reference to a claim needs a requirement",
        arguments: [
            ("require: mobile, data: {value: \"{claims.sub}\"}", true),
            ("require: {any: mobile, optional: true}, data: {value: \"{claims.a[0]['b c']}\"}", true),
            ("data: {value: \"{claims.sub}\"}", false),
            ("require: none, data: {value: \"{claims.sub}\"}", false),
            ("require: mobile, data: {value: \"{claims}\"}", false),
            ("require: mobile, data: {value: \"{claims[0]}\"}", false),
        ])
    func references(endpoint: String, isGood: Bool) {
        let reading = ConfigReading.read(
            text: Self.head + "endpoints: [{get: /a, \(endpoint)}]\n", files: Fixture.namedFiles)
        #expect((reading.document != nil) == isGood, "\(reading.lines)")
    }

    @Test(
        "Claims stand in steps, paths, queries, headers, bodies, lists, conditions and fields of the answer")
    func places() throws {
        let document = try read(
            """
            endpoints:
            - post: /a
              require: mobile
              first: {a: {upstream: api, get: "/{claims.sub}", query: {q: "{claims.a}"}}}
              parts:
                b: {upstream: api, post: /b, headers: {X-A: "{claims.a}"}, body: {a: ["{claims.a.b}"]}, when: "{claims.a}"}
                c: {upstream: api, get: "/{item}", forEach: "{claims.list}", limit: 2, optional: true}
              answer: {headers: {X-User: "{claims.sub}"}}

            """)
        let endpoint = document.endpoints[0]
        let references =
            (endpoint.first + endpoint.parts.list).flatMap(\.references)
            + endpoint.answer.fields.flatMap(\.value.value.references)
        #expect(references.count { $0.source == .claims } == 7)
        #expect(ReferenceCheck.faults(of: endpoint) == [])
        var open = endpoint
        open.settings.requirement = nil
        #expect(
            ReferenceCheck.faults(of: open).map(\.message).allSatisfy {
                $0.hasSuffix("the endpoint has no require, so no caller has claims")
            })
    }
}
