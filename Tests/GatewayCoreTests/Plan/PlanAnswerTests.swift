import EndpointPlans
import GatewayCore
import HTTPModel
import JSONBytes
import Networking
import NetworkingTesting
import Rx
import RxTesting
import Testing

@Suite("Steps and answers of planned endpoints", .noLeaks)
struct PlanAnswerTests {
    private let bench = Bench()

    /// `first` saves; `user` reads the step, `total` does not.
    private func addSteps() throws {
        try bench.page([
            bench.part("user", "/users/{first.save.user}"), bench.part("total", "/total", .optional),
        ]) {
            $0.first = [
                bench.part("save", "/save") { $0.method = .put },
                bench.part("check", "/check/{first.save.user}"),
            ]
        }
        bench.transport.answer(.data("1"))
    }

    @Test("Rule 6: if a step fails, its failure is the answer, and no part is called")
    func stepFails() throws {
        try addSteps()
        bench.upstream("/save", .response(409))
        let reply = try bench.answer(.get, "/page")
        #expect(reply.status == 409)
        #expect(reply.message == "The request conflicts with the state of save")
        #expect(reply["/errors/0/part"] == #""save""#)
        #expect(reply["/errors/1"] == nil)
        #expect(bench.targets == ["/save"])
    }

    @Test("Rule 6: parts start once all steps have succeeded, and read them")
    func steps() throws {
        try addSteps()
        bench.upstream("/save", .data(#"{"user":"kim"}"#, after: .seconds(1)))
        bench.upstream("/check/kim", .data("0", after: .seconds(1)))
        let pending = try bench.ask(.get, "/page")
        #expect(bench.targets == ["/save"])
        bench.time.advance(by: .seconds(2))
        let reply = try pending.reply()
        #expect(reply["/data"] == #"{"user":1,"total":1}"#)
        #expect(bench.targets == ["/save", "/check/kim", "/users/kim", "/total"])
        #expect(bench.transport.attempts.map(\.sentAt) == [.zero, .seconds(1), .seconds(2), .seconds(2)])
        #expect(reply.summary.parts.map(\.step) == [0, 1, nil, nil])
        #expect(reply["/meta/parts"] == #"{"user":"success","total":"success"}"#)
    }

    @Test("Rule 6: at the deadline an open step fails the answer, and no call is left")
    func stepDeadline() throws {
        try addSteps()
        bench.upstream("/save", .silence)
        let pending = try bench.ask(.get, "/page")
        bench.time.advance(by: .seconds(5))
        #expect(try pending.reply().status == 504)
        #expect(bench.transport.inFlight == 0)
    }

    @Test("Rule 7: forwarded fields and credentials go as at endpoints in Swift")
    func forwards() throws {
        let plan = try bench.plan(PlannedEndpoint(.get, "/page", parts: [bench.part("a", "/a")]))
        bench.gateway.add(plan, [.forwards("X-Tenant"), .forwardsAuthorization(to: "diary")])
        bench.upstream("/a", .response(401, fields: [.wwwAuthenticate: "Bearer"]))
        let reply = try bench.answer(.get, "/page", fields: ["X-Tenant": "t", .authorization: "Bearer x"])
        #expect(reply.status == 401)
        #expect(reply.fields[.wwwAuthenticate] == "Bearer")
        let fields = try #require(bench.transport.attempts.first).call.contextFields
        #expect(fields["X-Tenant"] == "t")
        #expect(fields[.authorization] == "Bearer x")
    }

    private func addBare() throws {
        try bench.page([
            PlannedPart("g", .group(PlannedGroup([bench.part("a", "/a", .optional)]))),
            bench.part("b", "/b").merged(),
        ]) {
            $0.answer.envelope = .bare
            $0.answer.completeField = "X-Complete"
            $0.answer.status = 201
            $0.answer.fields = plannedFields(
                (.cacheControl, text("max-age=60")), ("X-User", text("u-{parts.b.id}/{query.n}")),
                ("X-None", text("{parts.b.none}")), ("X-Break", text("{parts.b.break}")))
            $0.parameters = [ParameterRule(.query, "n", ValueRule(.integer), default: .text("1"))]
        }
        bench.upstream("/b", .data(#"{"id":7,"break":"a\nb"}"#))
        bench.upstream("/a", .data("1"))
    }

    @Test(
        "Rule 9: a bare answer is data alone, with fields from references; those without a value are left out"
    )
    func bare() throws {
        try addBare()
        let reply = try bench.answer(.get, "/page?n=2")
        #expect(reply.status == 201)
        #expect(reply.body == #"{"g":{"a":1},"id":7,"break":"a\nb"}"#)
        #expect(reply.fields["X-Complete"] == "true")
        #expect(reply.fields["X-User"] == "u-7/2")
        #expect(!reply.fields.contains("X-None"))
        #expect(!reply.fields.contains("X-Break"))
        #expect(reply.fields.values(of: .cacheControl) == ["max-age=60"])
        #expect(reply.fields[.vary] == "Accept")
    }

    @Test("Rule 9: a partial bare answer says so, is not stored, and names the part in Proxy-Status")
    func partialBare() throws {
        try addBare()
        bench.upstream("/a", .failure(.connectionRefused))
        let reply = try bench.answer(.get, "/page")
        #expect(reply.status == 201)
        #expect(reply.body.hasPrefix(#"{"g":{"a":null},"id":7"#))
        #expect(reply.fields["X-Complete"] == "false")
        #expect(reply.fields.values(of: .cacheControl) == ["no-store"])
        #expect(reply.fields["Proxy-Status"] == #"sluice; error=connection_refused; details="g.a""#)
    }

    @Test("Rule 9: a failed bare answer is a problem document")
    func failedBare() throws {
        try addBare()
        bench.upstream("/b", .response(500))
        let reply = try bench.answer(.get, "/page")
        #expect(reply.status == 502)
        #expect(reply.fields[.contentType]?.hasPrefix("application/problem+json") == true)
        #expect(reply["/detail"] == #""The request to b failed""#)
    }

    @Test("A deadline that leaves a required part open answers in the layout's terms")
    func deadline() throws {
        try bench.page([
            PlannedPart("g", .group(PlannedGroup([bench.part("a", "/a")])), .optional), bench.part("b", "/b"),
        ])
        bench.upstream("/a", .silence)
        bench.upstream("/b", .data("1"))
        let pending = try bench.ask(.get, "/page")
        bench.time.advance(by: .seconds(5))
        let reply = try pending.reply()
        #expect(reply["/data"] == #"{"g":null,"b":1}"#)
        #expect(reply["/errors/0/part"] == #""g.a""#)
    }

    @Test("A group of the gateway gives a planned endpoint its prefix, options and middleware")
    func scope() throws {
        bench.gateway.group("/v1", .envelope(.bare)) { group in
            group.before { if $0.header("X-Key") == nil { throw GatewayError.unauthorized("No key") } }
            do {
                group.add(try bench.plan(PlannedEndpoint(.get, "/a", parts: [bench.part("a", "/a")])))
            } catch {
                Issue.record(error)
            }
        }
        bench.upstream("/a", .data("1"))
        #expect(try bench.answer(.get, "/v1/a", fields: ["X-Key": "k"]).body == #"{"a":1}"#)
        #expect(try bench.answer(.get, "/v1/a").status == 401)
    }

    @Test("A timeline shows a reader from its part's start, and its calls below it")
    func timeline() throws {
        let bench = Bench.timed()
        try bench.page([bench.part("a", "/a"), bench.part("b", "/b/{parts.a}")])
        bench.upstream("/a", .data("7", after: .milliseconds(5)))
        bench.upstream("/b/7", .data("1", after: .milliseconds(5)))
        let reply = try bench.timed("/page", after: .milliseconds(10))
        #expect(
            reply.timeline == [
                "a 0-5", "  diary GET: 0 new 0 5 5 200 -", "b 0-10", "  diary GET: 5 new 5 10 10 200 -",
            ])
    }
}
