import GatewayCore
import HTTPModel
import JSONBytes
import NetworkingTesting
import RxTesting
import Testing

/// Rules 5, 6, 7 and 8: which entry decides, and what the client is told.
@Suite("Credentials", .noLeaks)
struct CredentialTests {
    private let bench: AccessBench
    private let key = TestKey("shop", "plan=pro roles=[\"a\",\"b\"]")
    private let other = TestKey("other")

    init() throws { bench = try AccessBench() }

    private func responder(_ options: EndpointOption) throws -> GatewayResponder {
        try bench.responder(options) { gateway in
            gateway.auth("mobile", bench.tokens())
            gateway.auth("shops", .apiKeys(APIKeySettings(lines: [key.line, other.line])))
        }
    }

    private func challenges(_ reply: Reply) -> [String] { reply.fields.values(of: .wwwAuthenticate) }

    @Test("Without a credential, each entry says what it accepts, without an error")
    func none() throws {
        let reply = try responder(.require("mobile", "shops")).reply()
        #expect(reply.status == 401)
        #expect(challenges(reply) == ["Bearer", "APIKey"])
    }

    @Test("The log names the fields in which a credential was looked for")
    func lookedFor() throws {
        let wrong: HTTPFields = [.authorization: "Basic eDp5", "X-Key": key.key]
        let reply = try responder(.require("mobile", "shops")).reply(.get, "/me", wrong)
        #expect(
            reply.summary.access?.reason
                == "the request has no credential: no Bearer token in Authorization, no X-API-Key")
        let web = try bench.responder(.require("web", "session")) { gateway in
            gateway.auth("web", bench.tokens { $0.cookie = "session" })
            let settings = AuthorizerSettings(
                upstream: "session", get: "/auth", forward: ["X-Session", .authorization])
            gateway.auth("session", .authorize(settings))
        }
        #expect(
            try web.reply().summary.access?.reason
                == "the request has no credential: no cookie session, no X-Session, no Authorization")
    }

    @Test("The first entry whose credential the request has decides")
    func first() throws {
        let responder = try responder(.require("mobile", "shops"))
        let both = try bench.issuer.bearer("ann").merging(key.fields)
        #expect(try responder.reply(.get, "/me", both)["/data"] == "\"ann\"")
        #expect(try responder.reply(.get, "/me", key.fields)["/data"] == "\"shop\"")
    }

    @Test("A bad credential is 401, and no other entry is tried")
    func bad() throws {
        let responder = try responder(.require("mobile", "shops"))
        let fields = ([.authorization: "Bearer x.y.z"] as HTTPFields).merging(key.fields)
        let reply = try responder.reply(.get, "/me", fields)
        #expect(reply.status == 401)
        #expect(challenges(reply) == ["Bearer error=\"invalid_token\""])
        #expect(reply.message == "The credentials are not accepted")
        #expect(reply.summary.access?.result == .invalid)
        #expect(reply.summary.access?.entry == "mobile")
        #expect(reply.summary.access?.reason?.isEmpty == false)
    }

    @Test("An entry with tokens ignores other schemes of Authorization")
    func scheme() throws {
        let reply = try responder(.require("mobile")).reply(.get, "/me", [.authorization: "Basic eDp5"])
        #expect(challenges(reply) == ["Bearer"])
    }

    @Test("The scheme's case does not matter")
    func schemeCase() throws {
        let token = try bench.issuer.token("ann")
        let reply = try responder(.require("mobile")).reply(.get, "/me", [.authorization: "bEARER  \(token)"])
        #expect(reply["/data"] == "\"ann\"")
    }

    @Test("Two credentials of one entry are refused: two readers could read two callers")
    func repeated() throws {
        var fields = key.fields
        fields.append(contentsOf: other.fields)
        #expect(try responder(.require("shops")).reply(.get, "/me", fields).status == 401)
        var tokens = try bench.issuer.bearer("ann")
        tokens.append(contentsOf: try bench.issuer.bearer("bob"))
        #expect(try responder(.require("mobile")).reply(.get, "/me", tokens).status == 401)
    }

    @Test("Only the expiry of a token is told")
    func expired() throws {
        let fields = try bench.issuer.bearer("ann", expiresIn: -31)
        let reply = try responder(.require("mobile")).reply(.get, "/me", fields)
        #expect(reply.status == 401)
        #expect(reply.message == "The token has expired")
        #expect(
            challenges(reply) == [
                "Bearer error=\"invalid_token\", error_description=\"The token has expired\""
            ])
        #expect(reply.summary.access?.result == .expired)
    }

    @Test(
        "A leeway of a part of a second is rounded up, as the times in tokens are whole seconds",
        arguments: [
            (Duration.zero, 401), (.milliseconds(1), 200), (.milliseconds(500), 200), (.seconds(1), 200),
        ])
    func leeway(_ leeway: Duration, _ status: Int) throws {
        let gateway = bench.gateway()
        gateway.auth("mobile", bench.tokens { $0.leeway = leeway })
        gateway.get("/me", .require("mobile")) { _ in Answer.json(1) }
        let fields = try bench.issuer.bearer("ann", expiresIn: 0)
        #expect(try gateway.responder().reply(.get, "/me", fields).status == status)
    }

    @Test("A missing scope is 403 with the scopes, whose caller is still noted")
    func scope() throws {
        let responder = try responder(.require("mobile", scopes: ["read", "write"]))
        let reply = try responder.reply(.get, "/me", try bench.issuer.bearer("ann", "\"scope\":\"read\""))
        #expect(reply.status == 403)
        #expect(challenges(reply) == ["Bearer error=\"insufficient_scope\", scope=\"read write\""])
        #expect(reply.summary.access?.result == .forbidden)
        #expect(reply.summary.identity == nil)
        let fields = try bench.issuer.bearer("ann", "\"scope\":\"write read\"")
        #expect(try responder.reply(.get, "/me", fields).status == 200)
    }

    @Test(
        "A claim must equal one of the values, or be a list that has one",
        arguments: [
            (["plan": ["pro", "team"]], 200), (["plan": ["team"]], 403), (["roles": ["b"]], 200),
            (["roles": ["c"]], 403), (["missing": ["x"]], 403), (["plan": ["pro"], "roles": ["c"]], 403),
        ])
    func claims(_ claims: [String: [String]], _ status: Int) throws {
        let responder = try responder(.require("shops", claims: claims))
        // The second request finds the verdict of the first.
        for _ in 1...2 { #expect(try responder.reply(.get, "/me", key.fields).status == status) }
    }

    @Test("Where it is optional, nobody is known without a credential, and a bad one is still 401")
    func optional() throws {
        let responder = try responder(.require("mobile", "shops", optional: true))
        let anonymous = try responder.reply()
        #expect(anonymous["/data"] == "\"nobody\"")
        #expect(anonymous.summary.access?.result == AccessNote.Result.none)
        #expect(try responder.reply(.get, "/me", ["X-API-Key": "sluice_x"]).status == 401)
        #expect(try responder.reply(.get, "/me", key.fields)["/data"] == "\"shop\"")
    }

    @Test("Two lines of one name are a rotation: both keys are accepted")
    func rotation() throws {
        let new = TestKey("shop", "plan=team")
        let responder = try bench.responder(.require("shops", claims: ["plan": ["team", "pro"]])) {
            $0.auth("shops", .apiKeys(APIKeySettings(lines: [key.line, new.line])))
        }
        for key in [key, new] {
            #expect(try responder.reply(.get, "/me", key.fields)["/data"] == "\"shop\"")
        }
    }

    @Test("Of two issuers on one field, the one that the token names has to have signed it")
    func issuers() throws {
        let responder = try bench.responder(.require("first", "second")) { gateway in
            gateway.auth("first", bench.tokens())
            gateway.auth("second", bench.tokens { $0.issuer = "https://other.test" })
        }
        func entry(_ issuer: String) throws -> (Int, String?) {
            let token = try bench.issuer.token("ann", issuer: issuer)
            let reply = try responder.reply(.get, "/me", [.authorization: "Bearer \(token)"])
            return (reply.status, reply.summary.access?.entry)
        }
        for _ in 1...2 {
            #expect(try entry("https://id.test") == (200, "first"))
            #expect(try entry("https://other.test") == (200, "second"))
        }
        #expect(try entry("https://evil.test").0 == 401)
    }

    @Test("A token in a cookie is read there and nowhere else")
    func cookie() throws {
        let responder = try bench.responder(.require("web")) { gateway in
            gateway.auth("web", bench.tokens { $0.cookie = "session" })
        }
        let token = try bench.issuer.token("ann")
        #expect(try responder.reply(.get, "/me", [.cookie: "a=1; session=\(token)"])["/data"] == "\"ann\"")
        #expect(try responder.reply(.get, "/me", [.authorization: "Bearer \(token)"]).status == 401)
        #expect(try responder.reply(.get, "/me", [.cookie: "session=\(token); session=x"]).status == 401)
    }

    @Test("A claim is read with its type, and 403 if it is missing or another")
    func claimOfRequest() throws {
        let gateway = bench.gateway()
        gateway.auth("shops", .apiKeys(APIKeySettings(lines: [key.line])))
        gateway.get("/plan", .require("shops")) { request in
            Answer.json(try request.claim("plan", as: String.self))
        }
        gateway.get("/level", .require("shops")) { Answer.json(try $0.claim("level", as: Int.self)) }
        gateway.get("/number", .require("shops")) { Answer.json(try $0.claim("plan", as: Int.self)) }
        gateway.get("/open") { Answer.json(try $0.claim("plan", as: String.self)) }
        let responder = try gateway.responder()
        #expect(try responder.reply(.get, "/plan", key.fields)["/data"] == "\"pro\"")
        for path in ["/level", "/number", "/open"] {
            #expect(try responder.reply(.get, path, key.fields).status == 403)
        }
    }
}

extension HTTPFields {
    /// The fields, followed by others.
    func merging(_ other: HTTPFields) -> HTTPFields {
        var all = self
        all.append(contentsOf: other)
        return all
    }
}
