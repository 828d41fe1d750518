import EndpointPlans
import GatewayCore
import HTTPModel
import JSONBytes
import Networking
import NetworkingTesting
import RxTesting
import Testing

/// `keep`, `drop` and `rename` of groups and values.
@Suite("Shapes of groups and values", .noLeaks)
struct PlanShapeTests {
    private let bench = Bench()

    private func group(_ name: String, _ parts: [PlannedPart]) -> PlannedPart {
        group(name, .required, parts)
    }

    private func group(
        _ name: String, _ policy: PlannedPart.Policy = .required, _ parts: [PlannedPart]
    ) -> PlannedPart {
        PlannedPart(name, .group(PlannedGroup(parts)), policy)
    }

    @Test("A composed value is kept, dropped and renamed as one of an upstream is, and read before that")
    func composed() throws {
        try bench.page([
            bench.part("user", "/user"),
            PlannedPart(
                "card", .value(.object([("id", value("{parts.user.id}")), ("user", value("{parts.user}"))]))
            )
            .shaped {
                $0.kept = ["id", "user.name"]
                $0.renamed = [("id", "key")]
            },
            PlannedPart("copy", .value(value("{parts.card.user.secret}"))),
        ])
        bench.upstream("/user", .data(#"{"id":7,"name":"Kim","secret":9}"#))
        let reply = try bench.answer(.get, "/page")
        #expect(reply["/data/card"] == #"{"key":7,"user":{"name":"Kim"}}"#)
        #expect(reply["/data/copy"] == "9")
    }

    @Test("A value without members cannot be kept from: decode_error")
    func scalarValue() throws {
        try bench.page([
            PlannedPart("v", .value(.constant(JSONLiteral(7).fragment))).shaped { $0.kept = ["a"] }
        ])
        #expect(try bench.answer(.get, "/page")["/errors/0/reason"] == #""decode_error""#)
    }

    @Test("A group keeps, drops and renames its members, and members of theirs")
    func members() throws {
        let inner = group("deep", [bench.part("x", "/x"), bench.part("y", "/y")])
        try bench.page([
            group("g", [bench.part("a", "/a"), bench.part("b", "/b"), inner]).shaped {
                $0.kept = ["a.id", "a.name", "deep", "c"]
                $0.dropped = ["deep.y"]
                $0.renamed = [("a", "first"), ("a.name", "title"), ("deep.x", "z")]
            }
        ])
        bench.transport.answer(.data("1"))
        bench.upstream("/a", .data(#"[{"id":1,"name":"n","x":0},{"id":2}]"#))
        let reply = try bench.answer(.get, "/page")
        #expect(reply["/data"] == #"{"g":{"first":[{"id":1,"title":"n"},{"id":2}],"deep":{"z":1}}}"#)
        #expect(
            reply["/meta/parts"]
                == #"{"g.a":"success","g.b":"success","g.deep.x":"success","g.deep.y":"success"}"#)
    }

    @Test("A member that a group leaves out is still required")
    func leftOut() throws {
        try bench.page([
            group("g", [bench.part("a", "/a"), bench.part("b", "/b")]).shaped { $0.dropped = ["b"] }
        ])
        bench.upstream("/a", .data("1"))
        bench.upstream("/b", .response(404))
        #expect(try bench.answer(.get, "/page").message == "g.b was not found")
    }

    @Test(
        "A member that the group's paths do not fit fails under its own name and policy",
        arguments: [true, false])
    func unfit(isOptional: Bool) throws {
        try bench.page([
            group("g", [bench.part("a", "/a", isOptional ? .optional : .required), bench.part("b", "/b")])
                .shaped { $0.kept = ["a.id", "b"] }
        ])
        bench.upstream("/a", .data("7"))
        bench.upstream("/b", .data("1"))
        let reply = try bench.answer(.get, "/page")
        #expect(reply.status == (isOptional ? 200 : 502))
        #expect(reply["/errors/0/part"] == #""g.a""#)
        #expect(reply["/errors/0/reason"] == #""decode_error""#)
        if isOptional { #expect(reply["/data/g"] == #"{"a":null,"b":1}"#) }
    }

    @Test("A group shapes the fallbacks of its parts, and not its own")
    func fallbacks() throws {
        let part = bench.part("a", "/a", .fallback(["id": 0, "x": 1])).shaped { $0.dropped = ["id"] }
        try bench.page("/in", [group("g", [part]).shaped { $0.kept = ["a.id"] }])
        try bench.page(
            "/own",
            [group("g", .fallback(["x": 1]), [bench.part("a", "/a")]).shaped { $0.kept = ["a.id"] }])
        bench.upstream("/a", .response(500))
        #expect(try bench.answer(.get, "/in")["/data"] == #"{"g":{"a":{"id":0}}}"#)
        #expect(try bench.answer(.get, "/own")["/data"] == #"{"g":{"x":1}}"#)
        let unfit = group("g", [bench.part("a", "/a", .fallback(7))]).shaped { $0.kept = ["a.id"] }
        let error = try #require(throws: PlanError.self) {
            try bench.plan(PlannedEndpoint(.get, "/page", parts: [unfit]))
        }
        #expect(error.faults.map(\.part) == ["g.a"])
    }

    @Test("A renamed member takes the place of another of that name, as in a value of an upstream")
    func replaced() throws {
        try bench.page([
            group("g", [bench.part("a", "/a"), bench.part("b", "/b")]).shaped { $0.renamed = [("b", "a")] }
        ])
        bench.upstream("/a", .data("1"))
        bench.upstream("/b", .data("2"))
        #expect(try bench.answer(.get, "/page")["/data"] == #"{"g":{"a":2}}"#)
    }

    @Test("Members merged into a group are shaped with it, and give way to its new names")
    func mergedIntoGroup() throws {
        try bench.page([
            group("g", [bench.part("a", "/a"), bench.part("all", "/all").merged()]).shaped {
                $0.dropped = ["secret"]
                $0.renamed = [("a", "z"), ("n", "name")]
            }
        ])
        bench.upstream("/a", .data("1"))
        bench.upstream("/all", .data(#"{"a":9,"z":8,"n":"x","secret":7,"other":6}"#))
        #expect(try bench.answer(.get, "/page")["/data/g"] == #"{"z":1,"name":"x","other":6}"#)
    }

    @Test("A merged group adds the members that it keeps, under their new names")
    func mergedGroup() throws {
        let inner = group("g", [bench.part("a", "/a"), bench.part("b", "/b")]).shaped {
            $0.dropped = ["a"]
            $0.renamed = [("b", "c")]
        }
        try bench.page([bench.part("first", "/first"), inner.merged()])
        bench.transport.answer(.data("1"))
        bench.upstream("/b", .data("2"))
        #expect(try bench.answer(.get, "/page")["/data"] == #"{"first":1,"c":2}"#)
    }

    @Test("In a group with keep, a part that is merged as a whole gives way to the others")
    func keptByGroup() throws {
        let parts = [bench.part("id", "/id"), bench.part("all", "/all").merged()]
        let other = group("h", [bench.part("more", "/more").merged()]).shaped { $0.kept = ["b"] }
        try bench.page([group("g", parts).shaped { $0.kept = ["id", "a"] }.merged(), other.merged()])
        bench.upstream("/id", .data("1"))
        bench.upstream("/all", .data(#"{"a":2,"id":3,"b":4}"#))
        bench.upstream("/more", .data(#"{"a":5,"id":6,"b":7}"#))
        #expect(try bench.answer(.get, "/page")["/data"] == #"{"id":1,"a":2,"b":7}"#)
    }

    @Test("With keep, a second part may be merged into a group")
    func keptMerges() throws {
        let parts = [bench.part("one", "/one").merged(), bench.part("two", "/two").merged()]
        let error = try #require(throws: PlanError.self) {
            try bench.plan(PlannedEndpoint(.get, "/page", parts: [group("g", parts)]))
        }
        #expect(
            error.faults.map(\.message) == [
                "parts one and two are both merged without keep, so their members could have the same names"
            ])
        let shaped = [
            bench.part("one", "/one").shaped { $0.kept = ["a", "x"] }.merged(),
            bench.part("two", "/two").merged(),
        ]
        try bench.page([group("g", shaped).shaped { $0.dropped = ["x"] }])
        bench.upstream("/one", .data(#"{"a":1,"x":2,"y":3}"#))
        bench.upstream("/two", .data(#"{"a":4,"x":5,"b":6}"#))
        #expect(try bench.answer(.get, "/page")["/data/g"] == #"{"a":1,"b":6}"#)
    }
}
