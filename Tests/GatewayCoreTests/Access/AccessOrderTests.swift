import GatewayCore
import HTTPModel
import JSONBytes
import NetworkingTesting
import Resilience
import RxTesting
import Testing

/// Rules 1, 2 and 3: in which order a request is checked, and what refuses it.
@Suite("The order of checks", .noLeaks)
struct AccessOrderTests {
    private let bench: AccessBench
    private let key = TestKey("shop", "plan=pro")

    init() throws { bench = try AccessBench() }

    private func responder(
        _ options: EndpointOption..., declare: (Gateway) throws -> Void = { _ in }
    ) throws -> GatewayResponder {
        let gateway = bench.gateway()
        gateway.auth("shops", .apiKeys(APIKeySettings(lines: [key.line])))
        try declare(gateway)
        gateway.on(.post, "/orders", options) { _ in Answer.json(1) }
        return try gateway.responder()
    }

    @Test("A path that does not exist is 404 for strangers, too: paths are no secret")
    func routing() throws {
        let gateway = bench.gateway(cors: CORSPolicy(origins: .list(["https://app.test"])))
        gateway.auth("shops", .apiKeys(APIKeySettings(lines: [key.line])))
        gateway.defaults(.require("shops"))
        gateway.before { _ in }
        gateway.get("/orders") { _ in Answer.json(1) }
        let responder = try gateway.responder()
        #expect(try responder.reply(.get, "/other").status == 404)
        #expect(try responder.reply(.delete, "/orders").status == 405)
        #expect(try responder.reply(.get, "/orders").status == 401)
        let preflight: HTTPFields = [.origin: "https://app.test", .accessControlRequestMethod: "GET"]
        #expect(try responder.reply(.options, "/orders", preflight).status == 204)
    }

    @Test("A preflight is for the policy, also where an endpoint takes OPTIONS and asks who calls")
    func preflight() throws {
        let gateway = bench.gateway(cors: CORSPolicy(origins: .list(["https://app.test"])))
        gateway.auth("shops", .apiKeys(APIKeySettings(lines: [key.line])))
        gateway.defaults(.require("shops"))
        for path in ["/orders", "/orders/{id}"] {
            gateway.on(.options, path) { _ in Answer.json(1) }
            gateway.on(.post, path) { _ in Answer.json(1) }
        }
        let responder = try gateway.responder()
        let preflight: HTTPFields = [.origin: "https://app.test", .accessControlRequestMethod: "POST"]
        for path in ["/orders", "/orders/1"] {
            let reply = try responder.reply(.options, path, preflight)
            #expect(reply.status == 204)
            #expect(reply.fields[.accessControlAllowMethods] == "POST")
            // Any other OPTIONS is for the endpoint.
            #expect(try responder.reply(.options, path, [.origin: "https://app.test"]).status == 401)
            #expect(try responder.reply(.options, path, key.fields).status == 200)
        }
    }

    @Test("A stranger is refused before the body is looked at")
    func beforeBody() throws {
        let responder = try responder(.require("shops"), .bodyLimit(3))
        #expect(try responder.reply(.post, "/orders", body: "12345").status == 401)
        #expect(try responder.reply(.post, "/orders", key.fields, body: "12345").status == 413)
    }

    @Test("A stranger is refused by the head alone, and known callers are admitted by it")
    func head() throws {
        let responder = try responder(.require("shops"))
        func admit(_ fields: HTTPFields) throws -> (access: RequestAccess?, refusal: GatewayResponse?) {
            let head = HTTPRequestHead(
                method: .post, target: try #require(RequestTarget("/orders")), fields: fields)
            guard case .endpoint(let match) = try responder.route(head) else { return (nil, nil) }
            let access = responder.admit(head, at: match, AccessSource(remote: "192.0.2.1:80"))
            return (access, access.flatMap { responder.refusal(by: $0, of: head, at: match) })
        }
        let refusal = try #require(try admit([:]).refusal, "a stranger was not refused")
        #expect(refusal.response.status == .unauthorized)
        #expect(refusal.summary.access?.result == AccessNote.Result.none)
        let known = try admit(key.fields)
        #expect(known.refusal == nil)
        let access = try #require(known.access)
        #expect(access.note.result == .ok)
        #expect(access.note.key == "shop")
        #expect(access.note.entry == "shops")
    }

    @Test("A limit by client counts before the credential, so guessing keys is limited, too")
    func limitsFirst() throws {
        let responder = try responder(.require("shops"), .rateLimits("strangers")) {
            $0.rateLimit("strangers", RateLimit(key: [.client], rate: 2, per: .seconds(60)))
        }
        #expect(try responder.reply(.post, "/orders").status == 401)
        #expect(try responder.reply(.post, "/orders").status == 401)
        let limited = try responder.reply(.post, "/orders", key.fields)
        #expect(limited.status == 429)
        #expect(limited.summary.access?.result == .limited)
        #expect(limited.summary.access?.refusedBy == ["strangers"])
        #expect(limited.summary.access?.reason == "the limit strangers is used up")
    }

    @Test(
        "A limit by identity counts after the requirement: a caller without the claim uses up nothing of it")
    func limitsLast() throws {
        // Another key of the same caller, so it has the same count.
        let free = TestKey("shop", "plan=free")
        let gateway = bench.gateway()
        gateway.auth("shops", .apiKeys(APIKeySettings(lines: [key.line, free.line])))
        gateway.rateLimit("each", RateLimit(key: [.identity], rate: 1, per: .seconds(60)))
        gateway.post("/orders", .require("shops", claims: ["plan": ["pro"]]), .rateLimits("each")) { _ in
            Answer.json(1)
        }
        let responder = try gateway.responder()
        func ask(_ fields: HTTPFields) throws -> RequestSummary {
            try responder.reply(.post, "/orders", fields).summary
        }
        for _ in 1...3 {
            let refused = try ask(free.fields)
            #expect(refused.status == 403)
            #expect(refused.access?.result == .forbidden)
        }
        #expect(try ask(["X-API-Key": "wrong"]).status == 401)
        #expect(try ask(key.fields).status == 200)
        #expect(try ask(key.fields).status == 429)
        // The claim is looked at first, also once the limit is used up.
        #expect(try ask(free.fields).status == 403)
    }

    @Test("Middleware runs after the check, and not for requests that it refuses")
    func middleware() throws {
        let responder = try responder(.require("shops")) { gateway in
            gateway.before { request in
                request.addAnswerField("X-Caller", request.identity?.subject ?? "nobody")
            }
        }
        #expect(try !responder.reply(.post, "/orders").fields.contains("X-Caller"))
        #expect(try responder.reply(.post, "/orders", key.fields).fields["X-Caller"] == "shop")
    }

    @Test("A refusal has the endpoint's envelope, and the fields that let a script read it")
    func envelope() throws {
        let gateway = bench.gateway(cors: CORSPolicy(origins: .list(["https://app.test"])))
        gateway.auth("shops", .apiKeys(APIKeySettings(lines: [key.line])))
        gateway.get("/bare", .require("shops"), .envelope(.bare)) { _ in Answer.json(1) }
        gateway.get("/wrapped", .require("shops")) { _ in Answer.json(1) }
        let responder = try gateway.responder()
        let bare = try responder.reply(.get, "/bare", [.origin: "https://app.test"])
        #expect(bare["/type"] == "\"urn:sluice:problem:unauthorized\"")
        #expect(bare.fields[.accessControlAllowOrigin] == "https://app.test")
        let wrapped = try responder.reply(.get, "/wrapped")
        #expect(wrapped["/code"] == "\"UNAUTHORIZED\"")
        #expect(wrapped.message == "Credentials are required")
        #expect(wrapped.summary.route == "/wrapped")
    }

    @Test("No upstream of the endpoint is called for a request that is refused")
    func upstreams() throws {
        let gateway = bench.gateway()
        gateway.auth("shops", .apiKeys(APIKeySettings(lines: [key.line])))
        let files = gateway.proxyUpstream("files")
        gateway.proxy("/files/{path...}", to: files, .require("shops"))
        let responder = try gateway.responder()
        #expect(try responder.reply(.get, "/files/a").status == 401)
        #expect(bench.calls("/a").isEmpty)
        _ = try responder.ask(.get, "/files/a", key.fields)
        #expect(bench.calls("/a").count == 1)
    }

    @Test("An endpoint without requirement and limits has nothing to check")
    func open() throws {
        let gateway = bench.gateway()
        gateway.auth("shops", .apiKeys(APIKeySettings(lines: [key.line])))
        gateway.defaults(.require("shops"))
        gateway.get("/open", .require(.none)) { _ in Answer.json(1) }
        gateway.get("/closed") { _ in Answer.json(1) }
        let responder = try gateway.responder()
        for (path, hasAccess) in [("/open", false), ("/closed", true)] {
            let head = HTTPRequestHead(method: .get, target: try #require(RequestTarget(path)))
            guard case .endpoint(let match) = try responder.route(head) else { continue }
            #expect(match.hasAccess == hasAccess)
        }
        #expect(try responder.reply(.get, "/open").summary.access == nil)
    }
}
