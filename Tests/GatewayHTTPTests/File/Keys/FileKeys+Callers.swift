import GatewayTesting
import HTTPModel
import Networking
import Testing

@testable import GatewayCore
@testable import GatewayHTTP

/// Keys and tokens of callers.
enum Callers {
    static let shop = try? TestAPIKey("shop", claims: ["plan=pro", "scope=\"read write\""])
    static let tokens = try? TestTokens(issuer: "https://id", audience: "app")

    /// The files of keys that examples name.
    static var files: [String: String] {
        ["programs.keys": shop?.line ?? "", "page.jwks": tokens?.keySet ?? ""]
    }

    static let programs = "programs: {apiKeys: {file: programs.keys}}"
    static let mobile =
        "mobile: {jwt: {keys: {file: page.jwks}, algorithms: [ES256], issuer: \"https://id\", audience: app}}"
}

extension KeyExample {
    /// An example of an entry of `auth`, which `GET /x` requires. It answers with the caller's name.
    fileprivate static func auth(
        _ keys: String, _ entry: String, _ check: @escaping @Sendable (FileBench) async throws -> Void
    ) -> KeyExample {
        KeyExample(
            keys,
            file: """
                upstreams: {api: {url: "https://api"}}
                auth: {a: {\(entry)}}
                endpoints: [{get: /x, data: {value: "{claims.sub}"}, require: a}]
                """, more: Callers.files, check: check)
    }

    /// An example of a key of `jwt`.
    fileprivate static func token(
        _ keys: String, _ member: String,
        _ check: @escaping @Sendable (FileBench, TestTokens) async throws -> Void
    ) -> KeyExample {
        auth(
            keys,
            "jwt: {keys: {file: page.jwks}, algorithms: [ES256], issuer: \"https://id\", audience: app, \(member)}"
        ) { bench async throws in
            try await check(bench, #require(Callers.tokens))
        }
    }
}

extension FileKeys {
    static let callers: [KeyExample] = [
        .auth(
            "file.auth auth.apiKeys apiKeys.file apiKeys.header",
            "apiKeys: {file: programs.keys, header: X-Key}"
        ) {
            bench async throws in
            #expect(try await bench.ask("/x").status == .unauthorized)
            #expect(try await bench.ask("/x", ["X-Key": "sluice_x"]).status == .unauthorized)
            let shop = try #require(Callers.shop)
            #expect(try await bench.ask("/x", shop.fields("X-Key")).data == #""shop""#)
        },
        .auth(
            "auth.jwt jwt.keys tokenKeys.upstream tokenKeys.get jwt.algorithms jwt.issuer jwt.audience",
            "jwt: {keys: {upstream: api, get: /jwks.json}, algorithms: [ES256], issuer: \"https://id\", audience: app}"
        ) { bench async throws in
            let tokens = try #require(Callers.tokens)
            bench.answers = ["/jwks.json": .json(tokens.keySet)]
            #expect(try await bench.ask("/x", tokens.bearer("ann")).data == #""ann""#)
            #expect(try await bench.ask("/x").status == .unauthorized)
            for claim in ["iss", "aud"] {
                #expect(try await bench.ask("/x", tokens.bearer("ann", [claim: "b"])).status == .unauthorized)
            }
            let others = try TestTokens(issuer: "https://id", audience: "app")
            #expect(try await bench.ask("/x", others.bearer("ann")).status == .unauthorized)
        },
        .token("tokenKeys.file", "required: []") { bench, tokens async throws in
            #expect(try await bench.ask("/x", tokens.bearer("ann")).data == #""ann""#)
            #expect(bench.calls.isEmpty)
        },
        .token("jwt.required", "required: [exp, mail]") { bench, tokens async throws in
            #expect(try await bench.ask("/x", tokens.bearer("ann")).status == .unauthorized)
            #expect(try await bench.ask("/x", tokens.bearer("ann", ["mail": "a@b"])).status == .ok)
        },
        .token("jwt.leeway", "leeway: 1m") { bench, tokens async throws in
            // Virtual time begins 978 307 200 s after 1970.
            #expect(try await bench.ask("/x", tokens.bearer("ann", ["exp": 978_307_150])).status == .ok)
            #expect(
                try await bench.ask("/x", tokens.bearer("ann", ["exp": 978_307_100])).status == .unauthorized)
        },
        .token("jwt.type", "type: at+jwt") { bench, tokens async throws in
            #expect(try await bench.ask("/x", tokens.bearer("ann")).status == .unauthorized)
            let token = try tokens.token("ann", type: "at+jwt")
            #expect(try await bench.ask("/x", [.authorization: "Bearer \(token)"]).status == .ok)
        },
        .token("jwt.cookie", "cookie: session") { bench, tokens async throws in
            #expect(try await bench.ask("/x", tokens.bearer("ann")).status == .unauthorized)
            let token = try tokens.token("ann")
            #expect(try await bench.ask("/x", [.cookie: "session=\(token)"]).data == #""ann""#)
        },
        .auth(
            "auth.authorize authorize.upstream authorize.get authorize.forward authorize.take",
            "authorize: {upstream: api, get: /auth, forward: [X-Session], take: {sub: X-User}}"
        ) { bench async throws in
            bench.answers = ["/auth": .json("{}", fields: ["X-User": "ann"])]
            #expect(try await bench.ask("/x", ["X-Session": "1"]).data == #""ann""#)
            #expect(bench.calls[0].path == "/auth")
            #expect(bench.calls[0].fields["X-Session"] == "1")
            #expect(try await bench.ask("/x").status == .unauthorized)
            #expect(bench.calls.isEmpty)
        },
        .auth(
            "authorize.answer",
            "authorize: {upstream: api, get: /auth, take: {sub: X-User}, answer: [Set-Cookie]}"
        ) { bench async throws in
            bench.answers = ["/auth": .json("{}", fields: ["X-User": "ann", .setCookie: "a=b"])]
            let reply = try await bench.ask("/x", [.authorization: "opaque"])
            #expect(reply.fields[.setCookie] == "a=b")
            #expect(reply.fields["X-User"] == nil)
        },
        .auth("authorize.timeout", "authorize: {upstream: api, get: /auth, timeout: 200ms}") {
            bench async throws in
            bench.answers = ["/auth": .hangs]
            let reply = try await bench.ask("/x", [.authorization: "opaque"])
            #expect(reply.status == .serviceUnavailable)
            #expect(reply.elapsed == .milliseconds(200))
        },
        KeyExample(
            "auth.send",
            file: """
                upstreams: {api: {url: "https://api"}}
                auth: {a: {apiKeys: {file: programs.keys}, send: {X-User: "{claims.sub}", X-Plan: "a {claims.plan} one"}}}
                endpoints:
                - {get: /x, data: {upstream: api, get: /a}, require: a}
                - {proxy: "/y/{path...}", upstream: api, require: a}
                """, more: Callers.files
        ) { bench async throws in
            let fields = try #require(Callers.shop).fields()
            for path in ["/x", "/y/a"] {
                #expect(try await bench.ask(path, fields).status == .ok)
                #expect(bench.calls[0].fields["X-User"] == "shop")
                #expect(bench.calls[0].fields["X-Plan"] == "a pro one")
                // The key stops here.
                #expect(bench.calls[0].fields["X-API-Key"] == nil)
            }
        },
    ]
}
