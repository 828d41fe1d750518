import Foundation
import GatewayTesting
import HTTPModel
import TestSupport
import Testing

@testable import GatewayConfig
@testable import GatewayCore
@testable import GatewayHTTP

@Suite("Who may call a gateway that serves a file", .timeLimit(.minutes(2)))
struct FileAccessTests {
    private static let file = """
        upstreams: {api: {url: "https://api"}}
        auth:
          first: {apiKeys: {file: programs.keys, header: X-First}}
          second: {jwt: {keys: {file: page.jwks}, algorithms: [ES256], issuer: "https://id", audience: app},
            send: {X-User: "{claims.sub}", Authorization: "Bearer {claims.sub}"}}
        endpoints:
        - {get: /x, data: {value: "{claims.sub}"}, require: [second, first]}
        - {get: /open, data: {upstream: api, get: /open, headers: {X-Own: a}}, require: none}
        - {proxy: "/files/{path...}", upstream: api, require: second}
        """

    private func bench(_ text: String = file) throws -> FileBench {
        try FileBench(text, more: Callers.files)
    }

    @Test("The first entry in the file decides, whatever the order in require")
    func order() async throws {
        var both = try #require(Callers.shop).fields("X-First")
        both.append(.authorization, try #require(Callers.tokens).bearer("ann")[.authorization] ?? "")
        #expect(try await bench().ask("/x", both).data == #""shop""#)
        // A bad credential of the first is not made good by the second.
        both["X-First"] = "sluice_wrong"
        #expect(try await bench().ask("/x", both).status == .unauthorized)
    }

    @Test("Upstreams get the fields of send from the gateway alone, and never a credential")
    func sentFields() async throws {
        let bench = try bench()
        var fields = try #require(Callers.tokens).bearer("ann")
        for name: HTTPFieldName in ["X-User", "X_User", "x-user"] { fields.append(name, "forged") }
        #expect(try await bench.ask("/files/a", fields).status == .ok)
        #expect(bench.calls[0].fields.values(of: "X-User") == ["ann"])
        #expect(bench.calls[0].fields.values(of: "X_User") == [])
        #expect(bench.calls[0].fields.values(of: .authorization) == ["Bearer ann"])
        #expect(try await bench.ask("/open", fields).status == .ok)
        #expect(bench.calls[0].fields["X-User"] == nil)
        #expect(bench.calls[0].fields[.authorization] == nil)
    }

    @Test("Endpoints in Swift beside the file require its entries and have its limits")
    func besideSwift() async throws {
        let text = Self.file + "\nrateLimits: {slow: {key: identity, rate: 1/1m}}\n"
        let file = try bench(text).file
        try await withGateway(.virtualTime) { gateway in
            try file.declare(on: gateway) { gateway in
                gateway.get("/swift", .require("first"), .rateLimits("slow")) { request in
                    .json(try request.claim("plan", as: String.self))
                }
            }
        } _: { client in
            let fields = try #require(Callers.shop).fields("X-First")
            #expect(try await client.get("/swift").status == .unauthorized)
            #expect(try await client.get("/swift", fields).data == #""pro""#)
            #expect(try await client.get("/swift", fields).status == .tooManyRequests)
        }
    }

    @Test("rateLimits: none in a file holds against a default of the program")
    func noLimits() async throws {
        let text =
            Self.file + "\n- {get: /free, require: none, rateLimits: none, data: {value: 1}}\n"
            + "rateLimits: {few: {key: endpoint, rate: 1/1m}}\n"
        let file = try bench(text).file
        try await withGateway(.virtualTime) { gateway in
            gateway.defaults(.rateLimits("few"))
            try file.declare(on: gateway) { _ in }
        } _: { client in
            for _ in 0..<3 { #expect(try await client.get("/free").status == .ok) }
            let fields = try #require(Callers.shop).fields("X-First")
            #expect(try await client.get("/x", fields).status == .ok)
            #expect(try await client.get("/x", fields).status == .tooManyRequests)
        }
    }

    @Test("The watch of a gateway sees a change of a file of keys, and one that appears")
    func watch() throws {
        let keys = Callers.files["programs.keys"] ?? ""
        func text(_ path: String) -> String {
            "version: 1\nauth: {a: {apiKeys: {file: \"\(path)\"}}}\nendpoints: [{get: /x, require: a, data: {value: 1}}]\n"
        }
        let scratch = ScratchFolder()
        let path = scratch.file("programs.keys")
        try keys.write(toFile: path, atomically: true, encoding: .utf8)
        let gateway = try FileGateway(text(path))
        defer { gateway.stop() }
        #expect(gateway.server.reloads.stamps.areCurrent)
        try "# none\n".write(toFile: path, atomically: true, encoding: .utf8)
        #expect(!gateway.server.reloads.stamps.areCurrent)
        try gateway.server.reload()
        #expect(gateway.server.reloads.stamps.areCurrent)
        let missing = scratch.file("missing.keys")
        #expect(
            try gateway.problems(of: text(missing)) == [
                "sluice.yaml:2:28: error: auth.a.apiKeys.file: the file \"\(missing)\" cannot be read: no such file"
            ])
        try keys.write(toFile: missing, atomically: true, encoding: .utf8)
        #expect(!gateway.server.reloads.stamps.areCurrent)
    }

    @Test("A static check reads no file of keys, and the engine checks the endpoints")
    func staticCheck() throws {
        let scratch = ScratchFolder()
        let path = scratch.file("f.yaml")
        let text = """
            version: 1
            listen: {host: 0.0.0.0}
            upstreams: {api: {url: "https://api"}, id: {url: "${ID}"}}
            stores: {main: {redis: "${REDIS}"}}
            auth:
              programs: {apiKeys: {file: /none/programs.keys, header: "${HEADER}"}}
              page: {jwt: {keys: {file: /none/page.jwks}, algorithms: [ES256], issuer: "${ISSUER}", audience: app, required: [exp, sub]}}
              mobile: {jwt: {keys: {upstream: id, get: /jwks}, algorithms: [ES256], issuer: i, audience: app, required: [exp, sub]}}
              web: {authorize: {upstream: id, get: /auth}}
            rateLimits: {a: {key: identity, rate: 5/1s, burst: 9, store: main}, b: {key: "${KEY}", rate: "${RATE}"}}
            defaults: {require: [mobile, page], rateLimits: [a, b]}
            endpoints:
            - {get: /a, data: {upstream: api, get: "/{claims.sub}"}}
            - {get: /b, require: none, rateLimits: b, query: {a: {type: string, pattern: "(", default: a}}, data: {value: 1}}
            - {get: /c, require: [web], data: {value: 1}}
            - {get: /d, require: [programs], data: {value: 1}}
            """
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        let problems = GatewayFile.problems(of: path, isStatic: true)
        #expect(problems.map(\.line) == [14], "\(problems)")
    }

    @Test("A static check takes an entry that a variable names for none of the others")
    func staticNames() throws {
        let scratch = ScratchFolder()
        let path = scratch.file("f.yaml")
        let text = """
            version: 1
            auth: {a: {apiKeys: {file: /none/a.keys}}, b: {apiKeys: {file: /none/b.keys, header: X-B}}}
            defaults: {require: [a, "${B}"]}
            endpoints: [{get: /a, data: {value: 1}}]

            """
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        #expect(GatewayFile.problems(of: path, isStatic: true).filter { $0.severity == .error }.isEmpty)
    }

    @Test("A static check takes names that differ in case alone, or are like a field that the gateway sets")
    func staticFields() throws {
        let scratch = ScratchFolder()
        let path = scratch.file("f.yaml")
        let names = ["app", "App", "a-b", "a_b", "Forwarded-For"]
        let entries = names.enumerated().map { "\($1): {apiKeys: {file: /none/keys, header: X-Key\($0)}}" }
        let text = """
            version: 1
            auth: {\(entries.joined(separator: ", "))}
            endpoints:
            - {get: /a, require: [\(names.joined(separator: ", "))], data: {value: 1}}
            - {get: /b, require: none, data: {value: 1}}

            """
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        #expect(GatewayFile.problems(of: path, isStatic: true).map(\.description) == [])
    }

    @Test("The engine accepts what the check of a file accepts")
    func engine() throws {
        let scratch = ScratchFolder()
        for (name, text) in Callers.files {
            try text.write(toFile: scratch.file(name), atomically: true, encoding: .utf8)
        }
        let path = scratch.file("f.yaml")
        let text = ("version: 1\nlisten: {host: 0.0.0.0}\n" + Self.file)
            .replacing("file: ", with: "file: \(scratch.path)/")
            .replacing("audience: app}", with: "audience: app, required: [exp, sub]}")
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        #expect(GatewayFile.problems(of: path).map(\.description) == [])
    }
}
