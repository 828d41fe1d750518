import EndpointPlans
import GatewayCore
import HTTPModel
import JSONBytes
import Networking
import NetworkingTesting
import Rx
import RxTesting
import Testing

@Suite("Rule 5: groups of parts", .noLeaks)
struct PlanGroupTests {
    private let bench = Bench()

    private func group(
        _ name: String, _ policy: PlannedPart.Policy = .required, atLeast: Int? = nil, _ parts: [PlannedPart]
    ) -> PlannedPart {
        PlannedPart(name, .group(PlannedGroup(parts, atLeast: atLeast)), policy)
    }

    private func add(_ policy: PlannedPart.Policy, atLeast: Int? = nil) throws {
        try bench.page([
            bench.part("first", "/first"),
            group(
                "weather", policy, atLeast: atLeast,
                [
                    bench.part("now", "/now"), bench.part("soon", "/soon", .optional),
                    bench.part("map", "/map"),
                ]),
        ])
        bench.transport.answer(.data("1"))
    }

    @Test("A group fails when a required member does, and its policy covers the object")
    func policies() throws {
        try add(.required)
        bench.upstream("/map", .response(404))
        let required = try bench.answer(.get, "/page")
        #expect(required.status == 404)
        #expect(required.message == "weather.map was not found")
        #expect(required["/meta/parts"]?.contains(#""weather.map":"requestErr""#) == true)
    }

    @Test(
        "A failed group is null or its fallback, though other members succeeded",
        arguments: [(PlannedPart.Policy.optional, "null"), (.fallback(["now": nil]), #"{"now":null}"#)])
    func covered(policy: PlannedPart.Policy, data: String) throws {
        try add(policy)
        bench.upstream("/map", .response(404))
        let reply = try bench.answer(.get, "/page")
        #expect(reply["/code"] == #""PARTIAL""#)
        #expect(reply["/data"] == #"{"first":1,"weather":\#(data)}"#)
        #expect(
            reply["/meta/parts"]
                == #"{"first":"success","weather.now":"success","weather.soon":"success","weather.map":"requestErr"}"#
        )
        #expect(reply["/errors/0/part"] == #""weather.map""#)
        #expect(reply["/errors/1"] == nil)
    }

    @Test("An optional member that fails leaves its group whole")
    func optionalMember() throws {
        try add(.required)
        bench.upstream("/soon", .response(500))
        let reply = try bench.answer(.get, "/page")
        #expect(reply.status == 200)
        #expect(reply["/code"] == #""PARTIAL""#)
        #expect(reply["/data/weather"] == #"{"now":1,"soon":null,"map":1}"#)
    }

    @Test(
        "With a quorum members are optional, and fewer successes fail the group with the gravest failure",
        arguments: [(1, 200), (2, 504), (3, 504)])
    func quorum(atLeast: Int, status: Int) throws {
        try add(.required, atLeast: atLeast)
        bench.upstream("/now", .response(404, after: .milliseconds(1)))
        bench.upstream("/map", .failure(.connectionReadTimeout, after: .milliseconds(1)))
        let pending = try bench.ask(.get, "/page")
        bench.time.advance(by: .milliseconds(1))
        let reply = try pending.reply()
        #expect(reply.status == status)
        if status == 200 { #expect(reply["/data/weather"] == #"{"now":null,"soon":1,"map":null}"#) }
        if status == 504 { #expect(reply.message == "weather.map did not answer in time") }
    }

    @Test("A quorum that is reached with every member is a complete answer")
    func fullQuorum() throws {
        try add(.required, atLeast: 3)
        #expect(try bench.answer(.get, "/page")["/code"] == #""OK""#)
    }

    @Test("Groups stand in groups, and a reference names a part below them")
    func nested() throws {
        try bench.page([
            group(
                "a", .required,
                [group("b", .optional, [bench.part("c", "/c"), bench.part("d", "/d/{parts.a.b.c.id}")])]),
            bench.part("e", "/e/{parts.a.b.d}", .optional),
        ])
        bench.upstream("/c", .data(#"{"id":7}"#))
        bench.upstream("/d/7", .data("8"))
        bench.upstream("/e/8", .data("9"))
        #expect(try bench.answer(.get, "/page")["/data"] == #"{"a":{"b":{"c":{"id":7},"d":8}},"e":9}"#)
        bench.upstream("/c", .response(404))
        let failed = try bench.answer(.get, "/page")
        #expect(failed["/data"] == #"{"a":{"b":null},"e":null}"#)
        #expect(failed["/errors/1/message"] == #""it needs a.b.c, which failed""#)
        #expect(failed["/errors/2/message"] == #""it needs a.b.d, which failed""#)
    }

    @Test("A hidden part is read, told and required, but not in the answer")
    func hidden() throws {
        try bench.page([bench.part("key", "/key").hidden(), bench.part("a", "/a/{parts.key}")])
        bench.upstream("/key", .data("7"))
        bench.upstream("/a/7", .data("1"))
        let reply = try bench.answer(.get, "/page")
        #expect(reply["/data"] == #"{"a":1}"#)
        #expect(reply["/meta/parts"] == #"{"key":"success","a":"success"}"#)
        bench.upstream("/key", .response(404))
        #expect(try bench.answer(.get, "/page").message == "key was not found")
    }

    @Test("A single part is all of data, and its policy holds for all of it")
    func data() throws {
        for (path, policy) in [("/a", PlannedPart.Policy.required), ("/b", .fallback([]))] {
            try bench.page(path, []) { $0.parts = .data(bench.part("data", "/list", policy)) }
        }
        bench.upstream("/list", .data("[1, 2]"))
        let reply = try bench.answer(.get, "/a")
        #expect(reply["/data"] == "[1, 2]")
        #expect(reply["/meta/parts"] == #"{"data":"success"}"#)
        bench.upstream("/list", .response(404))
        #expect(try bench.answer(.get, "/a").status == 404)
        #expect(try bench.answer(.get, "/b")["/data"] == "[]")
    }

    @Test("A merged answer beyond the limit is 502, groups and fallbacks counted")
    func limit() throws {
        var limits = GatewayLimits()
        limits.answer = 100
        let bench = Bench(limits: limits)
        try bench.page([
            PlannedPart("g", .group(PlannedGroup([bench.part("a", "/a"), bench.part("b", "/b").hidden()])))
        ])
        bench.upstream("/a", .data("1"))
        bench.upstream("/b", .data("\"\(String(repeating: "x", count: 200))\""))
        #expect(try bench.answer(.get, "/page").status == 200)
        bench.upstream("/a", .data("\"\(String(repeating: "x", count: 200))\""))
        #expect(try bench.answer(.get, "/page").message == "The merged answer exceeds 100 bytes")
    }
}
