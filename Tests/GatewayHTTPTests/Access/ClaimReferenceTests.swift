import GatewayCore
import GatewayTesting
import HTTPModel
import JSONBytes
import Networking
import Testing

@testable import GatewayHTTP

/// Rule 17. `FileKeys` has claims in a path and in a query.
@Suite("Claims in fields and bodies of calls, and in fields of the answer", .timeLimit(.minutes(1)))
struct ClaimReferenceTests {
    private let tokens: TestTokens
    private let bench: FileBench

    init() throws {
        tokens = try TestTokens(issuer: "https://id", audience: "app")
        bench = try FileBench(
            """
            upstreams: {api: {url: "https://api"}}
            auth:
              mobile: {jwt: {keys: {file: page.jwks}, algorithms: [ES256], issuer: "https://id", audience: app}}
            endpoints:
            - put: /x
              require: mobile
              answer: {headers: {X-Plan: "plan {claims.plan}", X-Level: "{claims.level}"}}
              data:
                upstream: api
                put: /a
                headers: {X-Caller: "{claims.sub}", X-Org: "<{claims.org.id}>", X-Level: "{claims.level}"}
                body:
                  by: "{claims.sub}"
                  level: "{claims.level}"
                  roles: ["{claims.roles}"]
                  org: "{claims.org}"
            """, more: ["page.jwks": tokens.keySet])
    }

    private func ask(_ claims: KeyValuePairs<String, JSONLiteral> = [:]) async throws -> TestResponse {
        try await bench.ask(.put, "/x", tokens.bearer("ann", claims))
    }

    @Test("A claim has its text in a field, its JSON in a body, and reaches the client in answer.headers")
    func present() async throws {
        let reply = try await ask([
            "plan": "pro", "level": 3, "roles": ["a", "b"], "org": ["id": "o1"],
        ])
        #expect(reply.status == .ok)
        #expect(reply.fields.values(of: "X-Plan") == ["plan pro"])
        #expect(reply.fields.values(of: "X-Level") == ["3"])
        try #require(bench.calls.count == 1)
        let call = bench.calls[0]
        #expect(call.fields.values(of: "X-Caller") == ["ann"])
        #expect(call.fields.values(of: "X-Org") == ["<o1>"])
        #expect(call.fields.values(of: "X-Level") == ["3"])
        #expect(call.body == #"{"by":"ann","level":3,"roles":[["a","b"]],"org":{"id":"o1"}}"#)
    }

    @Test("A missing claim leaves its fields out, and is null in a body")
    func missing() async throws {
        let reply = try await ask()
        #expect(reply.status == .ok)
        #expect(!reply.fields.contains("X-Plan"))
        #expect(!reply.fields.contains("X-Level"))
        try #require(bench.calls.count == 1)
        let call = bench.calls[0]
        #expect(call.fields.values(of: "X-Caller") == ["ann"])
        #expect(!call.fields.contains("X-Org"))
        #expect(!call.fields.contains("X-Level"))
        #expect(call.body == #"{"by":"ann","level":null,"roles":[null],"org":null}"#)
    }

    @Test("A claim that cannot be in a field is 403, and nothing is called", arguments: ["list", "line end"])
    func unfit(_ name: String) async throws {
        let value: JSONLiteral = name == "list" ? ["o1"] : "o1\r\nX-Caller: root"
        let reply = try await ask(["org": ["id": value]])
        #expect(reply.status == .forbidden)
        #expect(reply.fields.values(of: "X-Caller").isEmpty)
        #expect(bench.calls.isEmpty)
        // The client learns nothing of the claim.
        #expect(!reply.text.contains("o1"))
    }
}
