import GatewayConfig
import GatewayCore
import GatewayTesting
import HTTPModel
import JSONBytes
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("Callers in the access log", .timeLimit(.minutes(1)))
struct CallersInLogTests {
    private static let members = ["auth", "authResult", "key", "limits"]

    /// The members of a line that tell of its caller: `auth=mobile authResult=ok`.
    private static func caller(_ line: JSONFragment) -> String {
        members.compactMap { name in
            line[member: name].map { "\(name)=\($0.stringValue ?? $0.description)" }
        }.joined(separator: " ")
    }

    /// Each way in which the check of a caller ends, in the order of the lines.
    private func visit(_ gateway: AccessGateway) throws {
        let (server, provider) = (gateway.server, gateway.provider)
        let stranger = try IdentityProvider()
        defer { stranger.stop() }
        #expect(try server.ask("/open").status == 200)
        #expect(try server.ask("/me").status == 401)
        #expect(try server.ask("/me", provider.field("secret-subject")).status == 200)
        #expect(try server.ask("/me", gateway.keyField).status == 200)
        #expect(try server.ask("/me", "X-API-Key: sluice_secret\r\n").status == 401)
        #expect(try server.ask("/me", provider.field("secret-subject", ["exp": 1])).status == 401)
        #expect(try server.ask("/me", stranger.field("secret-subject")).status == 401)
        #expect(try server.ask("/scoped", gateway.keyField).status == 403)
        #expect(try server.ask("/maybe").status == 200)
        #expect(try server.ask("/limited", gateway.keyField).status == 200)
        #expect(try server.ask("/limited", gateway.keyField).status == 429)
        #expect(try server.ask("/counted").status == 200)
        #expect(try server.ask("/counted").status == 429)
    }

    @Sendable private func declare(_ gateway: Gateway) {
        gateway.rateLimit("perCaller", RateLimit(key: [.identity], rate: 1, per: .seconds(3600)))
        gateway.rateLimit("each", RateLimit(key: [.endpoint], rate: 1, per: .seconds(3600)))
        gateway.get("/open") { _ in .json(1) }
        gateway.get("/scoped", .require("partners", scopes: ["write"])) { _ in .json(1) }
        gateway.get("/maybe", .require("mobile", optional: true)) { _ in .json(1) }
        gateway.get("/limited", .require("partners"), .rateLimits("perCaller")) { _ in .json(1) }
        gateway.get("/counted", .rateLimits("each")) { _ in .json(1) }
    }

    @Test(
        "A line names the entry, the result, the name of the key and the limits that refused, and nothing else"
    )
    func members() throws {
        let lines = try withAccessGateway(declare: declare, visit)
        #expect(
            lines.map(Self.caller) == [
                "", "authResult=none", "auth=mobile authResult=ok", "auth=partners authResult=ok key=shop",
                "auth=partners authResult=invalid", "auth=mobile authResult=expired",
                "auth=mobile authResult=invalid", "auth=partners authResult=forbidden key=shop",
                "authResult=none", "auth=partners authResult=ok key=shop",
                #"auth=partners authResult=limited key=shop limits=["perCaller"]"#,
                "", #"authResult=limited limits=["each"]"#,
            ])
        let text = lines.map(\.description).joined()
        for secret in ["secret-subject", "sluice_", "eyJ", "plan", "Bearer"] {
            #expect(!text.contains(secret), "\(secret)")
        }
        // A refused request has its route and code, too, as any other line of an endpoint.
        let refused = lines.filter { ($0[member: "status"]?.intValue ?? 0) >= 400 }
        #expect(lines[1][member: "route"]?.stringValue == "/me")
        #expect(
            refused.map { $0[member: "code"]?.stringValue } == [
                "UNAUTHORIZED", "UNAUTHORIZED", "UNAUTHORIZED", "UNAUTHORIZED", "FORBIDDEN",
                "TOO_MANY_REQUESTS", "TOO_MANY_REQUESTS",
            ])
    }

    @Test("A write from a page of another site has a result of its own, and the log names the origin")
    func crossSite() throws {
        var lines: [JSONFragment] = []
        let messages = try logLines { log in
            lines = try withLoggedGateway(errors: log) {
                $0.logLevel = .debug
                $0.logFormat = .json
                // Nobody is asked.
                $0.upstreams = ["session": ["http://127.0.0.1:1"]]
            } declare: { gateway in
                gateway.auth(
                    "web",
                    .authorize(AuthorizerSettings(upstream: "session", get: "/auth", forward: [.cookie])))
                gateway.post("/cart", .require("web")) { _ in .json(1) }
            } _: { server throws in
                let client = try RawClient(port: server.port)
                defer { client.close() }
                let fields = "Cookie: a=1\r\nOrigin: https://evil.example\r\nContent-Length: 0\r\n"
                #expect(try client.reply(to: "/cart", fields, method: "POST").status == 403)
                #expect(server.settled.access.callers == ["_none": ["crossSite": 1]])
            }
        }
        #expect(lines.map(Self.caller) == ["authResult=crossSite"])
        #expect(lines.map { $0[member: "code"]?.stringValue } == ["FORBIDDEN"])
        let refusal = try #require(messages.first { $0.contains("caller refused") })
        #expect(refusal.contains("Origin https://evil.example is not among cors.origins"), "\(refusal)")
    }

    @Test("A request whose client leaves in its upload has its caller in its line")
    func upload() throws {
        let lines = try withAccessGateway(declare: { gateway in
            gateway.post("/items", .require("partners")) { .json($0.body.count) }
        }) { gateway throws in
            let client = try RawClient(port: gateway.server.port)
            client.send(
                "POST /items HTTP/1.1\r\nHost: test\r\n\(gateway.keyField)Content-Length: 9\r\n\r\nabc")
            try spin(while: gateway.server.settled.requestBodyBytes < 3) { "the body has not arrived" }
            client.close()
            try spin(while: gateway.server.settled.connections > 0) { "the connection is open" }
        }
        #expect(lines.map(Self.caller) == ["auth=partners authResult=ok key=shop"], "\(lines)")
    }

    @Test("A line for people says why a caller was refused, and nothing of a caller who was not")
    func text() throws {
        let lines = try withAccessFile(format: "text", level: "error") { file throws in
            #expect(try file.ask("/me").status == 401)
            #expect(try file.ask("/me", "X-API-Key: sluice_secret\r\n").status == 401)
            for status in [200, 200, 429] { #expect(try file.ask("/me", file.keyField).status == status) }
        }
        let endings = lines.map { $0.split(separator: "  ").dropFirst().dropLast().joined(separator: "  ") }
        #expect(endings == ["auth: none", "auth: partners invalid", "", "", "limits: perCaller"], "\(lines)")
    }

    @Test("A line for people names the authorizer that answered 429, and nobody if no credential is needed")
    func optionalText() throws {
        let response = "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 7\r\nContent-Length: 0\r\n\r\n"
        let authorizer = try ScriptedUpstream([.answer { _ in response }])
        defer { authorizer.stop() }
        let lines = try withLoggedFile(
            """
            version: 1
            log: {level: error, format: text}
            upstreams: {session: {url: "http://127.0.0.1:\(authorizer.port)"}}
            auth: {web: {authorize: {upstream: session, get: /auth, forward: [Cookie]}}}
            rateLimits: {each: {key: endpoint, rate: 1/1h}}
            endpoints:
            - {get: /maybe, require: {any: web, optional: true}, data: {value: 1}}
            - {get: /once, require: {any: web, optional: true}, rateLimits: each, data: {value: 1}}

            """
        ) { gateway throws in
            #expect(try gateway.server.ask("/maybe").status == 200)
            #expect(try gateway.server.ask("/maybe", "Cookie: session=1\r\n").status == 429)
            for status in [200, 429] { #expect(try gateway.server.ask("/once").status == status) }
        }
        let callers = lines.map { line in
            line.split(separator: "  ").filter { $0.hasPrefix("auth: ") || $0.hasPrefix("limits: ") }
        }
        #expect(callers == [[], ["auth: web limited"], [], ["limits: each"]], "\(lines)")
    }

    @Test("At debug, the log says what exactly was wrong with a credential, without the credential")
    func debug() throws {
        let lines = try withAccessFile(format: "json", level: "debug") { file throws in
            let claims: KeyValuePairs<String, JSONLiteral> = ["aud": "secret-audience"]
            #expect(try file.ask("/me", file.provider.field("secret-subject", claims)).status == 401)
            #expect(try file.ask("/me", "X-API-Key: sluice_secret\r\n").status == 401)
            #expect(try file.ask("/me", file.keyField).status == 200)
        }
        let refusals = try lines.filter { $0.contains("caller refused") }
            .map { try JSONFragment(validating: Array($0.utf8)[...]) }
        #expect(refusals.map { $0[member: "auth"]?.stringValue } == ["mobile", "partners"])
        #expect(refusals.allSatisfy { $0[member: "result"]?.stringValue == "invalid" })
        #expect(refusals.allSatisfy { $0[member: "requestId"]?.stringValue?.isEmpty == false })
        #expect(refusals.first?[member: "reason"]?.stringValue?.contains("aud") == true, "\(refusals)")
        for secret in ["secret-", "sluice_", "eyJ"] {
            #expect(!lines.joined().contains(secret), "\(secret)")
        }
    }

    @Test("A field in which clients send keys is not logged, even if the settings name it")
    func keyFields() throws {
        let key = try TestAPIKey("shop")
        let lines = try withLoggedGateway {
            $0.logFields = (try? LoggedFields(["X-Partner", "X-Tenant"])) ?? .none
        } declare: { gateway in
            gateway.auth("partners", .apiKeys(APIKeySettings(lines: [key.line], header: "X-Partner")))
            gateway.get("/me", .require("partners")) { _ in .json(1) }
        } _: { server throws in
            for value in [key.key, "guessed"] {
                _ = try server.ask("/me", "X-Partner: \(value)\r\nX-Tenant: acme\r\n")
            }
        }
        #expect(lines.map { $0[member: "authResult"]?.stringValue } == ["ok", "invalid"])
        #expect(lines.allSatisfy { $0[member: "fields"]?.description == #"{"X-Tenant":"acme"}"# }, "\(lines)")
    }
}
