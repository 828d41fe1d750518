import GatewayCore
import HTTPModel
import JSONBytes
import Networking
import NetworkingTesting
import Rx
import RxTesting
import Testing

/// Rules 14, 15 and 16: another service decides.
@Suite("Authorizers", .noLeaks)
struct AuthorizerTests {
    private let bench: AccessBench
    private static let path = "/oauth2/auth"

    init() throws { bench = try AccessBench() }

    private func responder(
        change: (inout AuthorizerSettings) -> Void = { _ in }
    ) throws -> GatewayResponder {
        let gateway = bench.gateway()
        var settings = AuthorizerSettings(upstream: "session", get: Self.path, forward: [.cookie])
        settings.take = [TakenField("sub", from: "X-Auth-Request-User")]
        settings.answer = [.setCookie]
        change(&settings)
        gateway.auth("web", .authorize(settings), send: ["X-User-Id": "{claims.sub}"])
        let users = gateway.provider(UsersAPI.self, upstream: "users")
        gateway.get("/me", .require("web")) { request in
            .parts(
                who: Part(JSONFragment(string: request.identity?.subject ?? "nobody")),
                list: users.rx.request(.list).fragment())
        }
        return try gateway.responder()
    }

    private func serve(_ answer: StubTransport.Answer) { bench.transport.answer(Self.path, answer) }

    private static let cookie: HTTPFields = [.cookie: "session=1"]

    @Test("2xx admits; fields of the response become claims, and its cookie reaches the client")
    func admits() throws {
        serve(
            .response(202, fields: ["X-Auth-Request-User": "ann", .setCookie: "session=2", "X-Other": "no"]))
        let reply = try responder().reply(.get, "/me", Self.cookie)
        #expect(reply["/data/who"] == "\"ann\"")
        #expect(reply.fields[.setCookie] == "session=2")
        #expect(!reply.fields.contains("X-Other"))
        #expect(reply.summary.access?.entry == "web")
    }

    @Test("It gets the client's listed fields, and what the gateway itself knows of the request")
    func asks() throws {
        serve(.response(200))
        let forged: HTTPFields = [
            "X-Forwarded-Method": "DELETE", "X-Forwarded-Uri": "/public", .xForwardedFor: "1.2.3.4",
            "X-User-Id": "root", .accept: "text/plain", .host: "shop.test",
        ]
        _ = try responder().ask(.get, "/me?a=b", Self.cookie.merging(forged))
        let call = try #require(bench.calls(Self.path).first)
        #expect(call[.cookie] == "session=1")
        #expect(call["X-Forwarded-Method"] == "GET")
        #expect(call["X-Forwarded-Uri"] == "/me?a=b")
        #expect(call[.xForwardedFor] == "127.0.0.1")
        #expect(call[.xForwardedHost] == "shop.test")
        #expect(call[.xForwardedProto] == "http")
        #expect(call["X-User-Id"] == nil)
        #expect(call[.accept] != "text/plain")
    }

    @Test("It gets nothing of what the endpoint forwards to its upstreams")
    func forwarding() throws {
        let gateway = bench.gateway()
        _ = gateway.provider(UsersAPI.self, upstream: "session")
        let settings = AuthorizerSettings(upstream: "session", get: Self.path, forward: ["X-Session"])
        gateway.auth("web", .authorize(settings))
        gateway.get(
            "/me", .require("web"), .forwards("X-Tenant"), .forwardsAuthorization(to: "session"),
            .forwardsCookies(to: "session")
        ) { _ in Answer.json(1) }
        serve(.response(200))
        let fields: HTTPFields = [
            "X-Session": "1", "X-Tenant": "acme", .authorization: "Bearer 1", .cookie: "a=1",
        ]
        #expect(try gateway.responder().reply(.get, "/me", fields).status == 200)
        let call = try #require(bench.calls(Self.path).first)
        #expect(call["X-Session"] == "1")
        for name: HTTPFieldName in ["X-Tenant", .authorization, .cookie] { #expect(!call.contains(name)) }
        #expect(call.contains(.xRequestID))
    }

    @Test(
        "It gets the constant fields of its upstream, but none that stands for the client's or the gateway's")
    func constantFields() throws {
        let gateway = bench.gateway()
        _ = gateway.plannedUpstream(
            "session", "http://session.test",
            headers: ["X-Key": "1", .authorization: "Basic internal", "X-Forwarded-Uri": "/public"])
        let settings = AuthorizerSettings(
            upstream: "session", get: Self.path, forward: [.cookie, .authorization])
        gateway.auth("web", .authorize(settings))
        gateway.get("/me", .require("web")) { _ in Answer.json(1) }
        serve(.response(200))
        #expect(try gateway.responder().reply(.get, "/me", Self.cookie).status == 200)
        let call = try #require(bench.calls(Self.path).first)
        #expect(call["X-Key"] == "1")
        #expect(!call.contains(.authorization))
        #expect(call.values(of: "X-Forwarded-Uri") == ["/me"])
    }

    @Test("Without any of its fields it is not asked, and the request has no credential")
    func notAsked() throws {
        let reply = try responder().reply(.get, "/me")
        #expect(reply.status == 401)
        #expect(reply.fields[.wwwAuthenticate] == "Session")
        #expect(bench.calls(Self.path).isEmpty)
    }

    @Test("A JSON object of the response becomes the claims, and taken fields replace its members")
    func claims() throws {
        let gateway = bench.gateway()
        var settings = AuthorizerSettings(upstream: "session", get: Self.path)
        settings.take = [TakenField("sub", from: "X-User")]
        gateway.auth("web", .authorize(settings))
        gateway.get("/claims", .require("web")) { Answer.fragment($0.identity?.claims ?? .null) }
        let responder = try gateway.responder()
        serve(
            .response(
                200, fields: [.contentType: "application/json", "X-User": "ann"],
                body: #"{"sub":"forged","plan":"pro"}"#))
        let reply = try responder.reply(.get, "/claims", [.authorization: "Opaque 1"])
        #expect(reply["/data"] == #"{"plan":"pro","sub":"ann"}"#)
    }

    @Test(
        "401, 403 and 429 are passed on with their challenge and their wait; a redirect is 401, all else 503",
        arguments: [
            (401, 401), (403, 403), (429, 429), (302, 401), (303, 401), (304, 503), (404, 503), (500, 503),
            (418, 503),
        ])
    func refusals(_ status: Int, _ expected: Int) throws {
        serve(
            .response(
                status, fields: [.wwwAuthenticate: "Own x=1", .retryAfter: "7", .setCookie: "session=0"]))
        let reply = try responder().reply(.get, "/me", Self.cookie)
        #expect(reply.status == expected)
        #expect(reply.fields[.setCookie] == "session=0")
        #expect(bench.calls("/list").isEmpty)
        if expected == status { #expect(reply.fields[.wwwAuthenticate] == "Own x=1") }
        if status == 302 {
            #expect(reply.fields[.wwwAuthenticate] == "Session")
            #expect(reply.message == "The credentials are not accepted")
            #expect(reply.summary.access?.result == .invalid)
        }
        if expected == status { #expect(reply.fields[.retryAfter] == "7") }
        if status == 404 { #expect(reply["/code"] == "\"UPSTREAM_UNAVAILABLE\"") }
    }

    @Test(
        "An answer whose claims cannot be read is 503",
        arguments: [
            "[]", "{\"a\":1", "{\"a\":1,\"a\":2}", "{\"a\":[{\"b\":1,\"\\u0062\":2}]}",
            String(repeating: "{\"a\":", count: 17) + "1" + String(repeating: "}", count: 17),
        ])
    func unreadable(_ body: String) throws {
        serve(.response(200, fields: [.contentType: "application/json"], body: body))
        let reply = try responder().reply(.get, "/me", Self.cookie)
        #expect(reply.status == 503)
        #expect(
            reply.summary.access?.reason
                == "the claims of the authorizer are not a JSON object of at most 16 levels without repeated "
                + "members")
    }

    @Test("An answer whose claims are too long is 503")
    func tooLong() throws {
        let body = "{\"a\":\"" + String(repeating: "x", count: 70_000) + "\"}"
        serve(.response(200, fields: [.contentType: "application/json"], body: body))
        let reply = try responder().reply(.get, "/me", Self.cookie)
        #expect(reply.status == 503)
        #expect(reply.summary.access?.reason == "the claims of the authorizer exceed 65536 bytes")
    }

    @Test("A text for people admits, without claims")
    func text() throws {
        serve(.response(200, fields: [.contentType: "text/plain"], body: "OK"))
        #expect(try responder { $0.take = [] }.reply(.get, "/me", Self.cookie)["/data/who"] == "\"nobody\"")
    }

    @Test("A service that does not answer in its time is 503, under the name of its entry")
    func slow() throws {
        serve(.silence)
        let waiting = try responder { $0.timeout = .milliseconds(400) }.ask(.get, "/me", Self.cookie)
        bench.time.advance(by: Duration.milliseconds(399))
        #expect(waiting.count == 0)
        bench.time.advance(by: Duration.milliseconds(1))
        let reply = try waiting.reply()
        #expect(reply.status == 503)
        var parts: [String] = []
        reply.summary.forEachOutcome { name, kind, _, _ in parts.append("\(name) \(kind.partName)") }
        #expect(parts == ["auth.web networkFail"])
    }

    @Test("Its call is a step of the request in the log, and no part of the answer")
    func step() throws {
        serve(.response(200))
        let reply = try responder().reply(.get, "/me", Self.cookie)
        #expect(reply["/meta/parts"] == #"{"who":"success","list":"success"}"#)
        let steps = reply.summary.parts.filter { $0.step != nil }
        #expect(steps.map(\.name) == ["auth.web"])
        #expect(steps.first?.calls.map(\.upstream) == ["session"])
    }

    @Test(
        "The step has the kind of its response, as any call has, with the reason of a failure",
        arguments: [
            (200, "{}", OutcomeKind.success, nil), (202, "", .noContent, nil),
            (401, "no", .requestErr, .upstreamStatus), (500, "", .serverErr, .upstreamStatus),
            (302, "", .pathErr, .unexpectedStatus),
        ] as [(Int, String, OutcomeKind, FailureReason?)])
    func kinds(_ status: Int, _ body: String, _ kind: OutcomeKind, _ reason: FailureReason?) throws {
        serve(.response(status, fields: [.contentType: "application/json"], body: body))
        let reply = try responder().reply(.get, "/me", Self.cookie)
        let step = try #require(reply.summary.parts.first { $0.step != nil })
        #expect(step.kind == kind)
        #expect(step.failure?.reason == reason)
        if status >= 400 { #expect(step.failure?.status == status) }
    }

    @Test("A client that leaves ends the call")
    func leaves() throws {
        serve(.silence)
        let waiting = try responder().ask(.get, "/me", Self.cookie)
        #expect(bench.transport.inFlight == 1)
        waiting.dispose()
        #expect(bench.transport.inFlight == 0)
    }

    @Test("The identity that it gives reaches upstreams, middleware and claims of parts")
    func sent() throws {
        serve(.response(200, fields: ["X-Auth-Request-User": "ann"], after: .milliseconds(20)))
        let waiting = try responder().ask(.get, "/me", Self.cookie.merging(["X-User-Id": "root"]))
        bench.time.advance(by: Duration.milliseconds(20))
        #expect(try waiting.reply().status == 200)
        #expect(bench.calls("/list").map { $0.values(of: "X-User-Id") } == [["ann"]])
        #expect(bench.calls("/list").allSatisfy { !$0.contains(.cookie) })
    }
}
