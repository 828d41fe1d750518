import EndpointPlans
import GatewayCore
import HTTPModel
import JSONBytes
import Networking
import NetworkingTesting
import RxTesting
import Testing

/// Rules 17 and 18: a claim that its place cannot have refuses the caller, and only the log says which one.
@Suite("Claims that do not fit", .noLeaks)
struct UnfitClaimTests {
    private let bench: AccessBench
    private let key = TestKey("shop", "org=a/b plan=pro half=%2")

    init() throws { bench = try AccessBench() }

    /// Returns the answer of an endpoint whose part `a` calls `/of/CLAIM`.
    private func reply(_ claim: String, isOptional: Bool = false) throws -> Reply {
        try reply(calling: "/of/{claims.\(claim)}", isOptional: isOptional)
    }

    /// Returns the answer of an endpoint whose part `a` calls a path.
    private func reply(
        calling path: String, _ target: String = "/me", isOptional: Bool = false
    ) throws -> Reply {
        let gateway = bench.gateway()
        gateway.auth("shops", .apiKeys(APIKeySettings(lines: [key.line])))
        let users = gateway.plannedUpstream(
            "users", "http://users.test", policy: .once, envelope: .none, headers: [:], allowsEmptyBody: false
        )
        let call = PlannedCall("users", .get, Located(text(path)))
        let part = PlannedPart("a", .call(call), isOptional ? .optional : .required)
        var endpoint = PlannedEndpoint(.get, "/me", parts: [part])
        endpoint.parameters = [ParameterRule(.query, "a", isRequired: false)]
        endpoint.settings.requirement = PlannedRequirement(["shops"])
        gateway.add(try EndpointPlan(endpoint, ["users": users]), [.require("shops")])
        return try gateway.responder().reply(.get, target, key.fields)
    }

    private static let segment =
        "claims.org cannot be in a path: it is empty or a dot segment, or has a slash, a backslash or a control "
        + "character"

    @Test(
        "A claim that cannot be in a path is 403 with a short text, and the log has the rest",
        arguments: [("org", segment), ("missing", "claims.missing is missing")])
    func path(_ claim: String, _ reason: String) throws {
        let reply = try reply(claim)
        #expect(reply.status == 403)
        #expect(reply["/code"] == "\"FORBIDDEN\"")
        #expect(reply.message == "a was not requested: a claim of the caller is missing or not usable here")
        #expect(!reply.body.contains("claims."))
        let access = try #require(reply.summary.access)
        #expect(access.result == .forbidden)
        #expect(access.entry == "shops")
        #expect(access.key == "shop")
        #expect(access.reason == reason)
        #expect(bench.transport.attempts.isEmpty)
    }

    @Test("Of a claim and a value of the client, the client is to blame, because it can send another value")
    func mixed() throws {
        let reply = try reply(calling: "/of/{claims.half}{query.a}", "/me?a=F")
        #expect(reply.status == 400)
        #expect(reply["/code"] == "\"INVALID_REQUEST\"")
        #expect(reply.summary.access?.result == .ok)
        #expect(reply.summary.access?.reason == nil)
        #expect(bench.transport.attempts.isEmpty)
    }

    @Test("A part that may fail leaves the caller admitted")
    func optional() throws {
        let reply = try reply("org", isOptional: true)
        #expect(reply.status == 200)
        #expect(!reply.body.contains("claims."))
        #expect(reply.summary.access?.result == .ok)
        #expect(reply.summary.access?.reason == nil)
    }

    @Test("A claim that fits changes nothing")
    func fits() throws {
        let reply = try reply("plan")
        #expect(reply.status == 200)
        #expect(reply.summary.access?.result == .ok)
    }

    @Test("A handler that reads a claim in vain refuses the caller, unless it answers nevertheless")
    func handler() throws {
        let gateway = bench.gateway()
        gateway.auth("shops", .apiKeys(APIKeySettings(lines: [key.line])))
        gateway.get("/needs", .require("shops")) { Answer.json(try $0.claim("level", as: Int.self)) }
        gateway.get("/asks", .require("shops")) { request in
            Answer.json((try? request.claim("level", as: Int.self)) ?? 0)
        }
        gateway.get("/other", .require("shops")) { _ in throw GatewayError.forbidden("Closed on Sundays") }
        let responder = try gateway.responder()
        let needs = try responder.reply(.get, "/needs", key.fields)
        #expect(needs.status == 403)
        #expect(needs.summary.access?.result == .forbidden)
        #expect(needs.summary.access?.reason == "The claim level is missing")
        for path in ["/asks", "/other"] {
            let access = try responder.reply(.get, path, key.fields).summary.access
            #expect(access?.result == .ok)
            #expect(access?.reason == nil)
        }
    }
}
