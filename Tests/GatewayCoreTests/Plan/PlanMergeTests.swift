import EndpointPlans
import GatewayCore
import HTTPModel
import JSONBytes
import Networking
import NetworkingTesting
import Rx
import RxTesting
import Testing

@Suite("Rule 8: merging", .noLeaks)
struct PlanMergeTests {
    private let bench = Bench()

    @Test(
        "A merged value that is no object is decode_error",
        arguments: ["7", "[]", #""a""#, "true"])
    func noObject(data: String) throws {
        try bench.page([bench.part("user", "/user").merged()])
        bench.upstream("/user", .data(data))
        let reply = try bench.answer(.get, "/page")
        #expect(reply.status == 502)
        #expect(reply["/errors/0/reason"] == #""decode_error""#)
    }

    /// Fixed parts, one merged with `keep` and one without, which gives way to all names.
    private func declare() throws {
        try bench.page([
            bench.part("all", "/all").merged(), bench.part("fixed", "/fixed"),
            bench.part("some", "/some").shaped {
                $0.kept = ["id", "title"]
                $0.renamed = [("id", "key")]
            }.merged(),
        ])
    }

    @Test(
        "Members follow the plan in any order of arrivals, and give way to names that are there",
        arguments: 0..<6)
    func order(number: Int) throws {
        try declare()
        var rest = [1, 2, 3]
        let delays = [number % 3, number / 3 % 2, 0].map { Duration.seconds(rest.remove(at: $0)) }
        bench.upstream(
            "/all", .data(#"{"a": 1 ,"fixed":"no","k\u0065y":"no","title":"no","id":[1]}"#, after: delays[0]))
        bench.upstream("/fixed", .data("2", after: delays[1]))
        bench.upstream("/some", .data(#"{"title":"t","id":7,"other":0}"#, after: delays[2]))
        let pending = try bench.ask(.get, "/page")
        bench.time.advance(by: .seconds(3))
        #expect(try pending.reply()["/data"] == #"{"a":1,"id":[1],"fixed":2,"title":"t","key":7}"#)
    }

    @Test("A part without content, or an optional one that fails, adds nothing")
    func nothing() throws {
        try bench.page([
            bench.part("all", "/all").merged(), bench.part("fixed", "/fixed"),
            bench.part("more", "/more", .optional).shaped { $0.kept = ["x"] }.merged(),
            bench.part("last", "/last", .fallback(["y": 1])).shaped { $0.kept = ["y"] }.merged(),
        ])
        bench.upstream("/all", .response(204))
        bench.upstream("/fixed", .data("2"))
        bench.upstream("/more", .response(500))
        bench.upstream("/last", .response(500))
        let reply = try bench.answer(.get, "/page")
        #expect(reply["/code"] == #""PARTIAL""#)
        #expect(reply["/data"] == #"{"fixed":2,"y":1}"#)
    }

    @Test(
        "A part with all its members gives way only to names that are there",
        arguments: [
            (200, #"{"id":1,"stock":2}"#, #"{"name":"p","id":1,"stock":2}"#),
            (200, #"{"stock":2}"#, #"{"id":7,"name":"p","stock":2}"#),
            (404, "{}", #"{"id":7,"name":"p"}"#),
        ])
    func givesWay(status: Int, stock: String, data: String) throws {
        try bench.page([
            bench.part("product", "/product").merged(),
            bench.part("stock", "/stock", .optional).shaped { $0.kept = ["id", "stock"] }.merged(),
        ])
        bench.upstream("/product", .data(#"{"id":7,"name":"p"}"#))
        bench.upstream("/stock", status == 200 ? .data(stock) : .response(status))
        #expect(try bench.answer(.get, "/page")["/data"] == data)
    }

    @Test(
        "It gives way to the members of a merged group, to the group's fallback, and to nothing of a group that failed"
    )
    func givesWayToGroups() throws {
        for (policy, failed) in [
            (PlannedPart.Policy.optional, #"{"a":7,"b":8}"#), (.fallback(["b": 0]), #"{"a":7,"b":0}"#),
        ] {
            let bench = Bench()
            let group = PlannedGroup([bench.part("a", "/a")])
            try bench.page([
                bench.part("all", "/all").merged(), PlannedPart("g", .group(group), policy).merged(),
            ])
            bench.upstream("/all", .data(#"{"a":7,"b":8}"#))
            bench.upstream("/a", .data("1"))
            #expect(try bench.answer(.get, "/page")["/data"] == #"{"b":8,"a":1}"#)
            bench.upstream("/a", .response(404))
            #expect(try bench.answer(.get, "/page")["/data"] == failed)
        }
    }

    @Test("A merged group puts its members beside those of its object")
    func group() throws {
        let group = PlannedGroup([bench.part("a", "/a"), bench.part("all", "/all").merged()])
        try bench.page([
            bench.part("first", "/first"), PlannedPart("g", .group(group), .optional).merged(),
        ])
        bench.upstream("/first", .data("0"))
        bench.upstream("/a", .data("1"))
        bench.upstream("/all", .data(#"{"a":9,"b":2,"first":9}"#))
        let reply = try bench.answer(.get, "/page")
        #expect(reply["/data"] == #"{"first":0,"a":1,"b":2}"#)
        #expect(reply["/meta/parts"] == #"{"first":"success","g.a":"success","g.all":"success"}"#)
        bench.upstream("/a", .response(404))
        #expect(try bench.answer(.get, "/page")["/data"] == #"{"first":0}"#)
    }

    @Test("Long merged values are shared, not copied, and whole")
    func long() throws {
        try declare()
        let text = String(repeating: "x", count: 40_000)
        bench.upstream("/all", .data("{\"a\":\"\(text)\",\"b\":2}"))
        bench.upstream("/fixed", .data("2"))
        bench.upstream("/some", .data("{}"))
        let reply = try bench.answer(.get, "/page")
        #expect(reply["/data"] == "{\"a\":\"\(text)\",\"b\":2,\"fixed\":2}")
        #expect(reply.response.response.body.count == 3)
    }

    @Test("Names that come twice are faults of the plan")
    func twice() throws {
        let parts = [
            bench.part("id", "/a"), bench.part("all", "/all").merged(), bench.part("more", "/more").merged(),
            bench.part("some", "/some").shaped { $0.kept = ["id", "x"] }.merged(),
            bench.part("other", "/other").shaped {
                $0.kept = ["y.z"]
                $0.renamed = [("y", "x")]
            }.merged(),
            bench.part("fallback", "/f", .fallback([])).shaped { $0.kept = ["z"] }.merged(),
        ]
        let error = try #require(throws: PlanError.self) {
            try bench.plan(PlannedEndpoint(.get, "/page", parts: parts))
        }
        #expect(
            error.faults.map { "\($0.part ?? ""): \($0.message)" } == [
                "more: parts all and more are both merged without keep, so their members could have the same names",
                #"some: parts id and some both have the member "id" of one object"#,
                #"other: parts some and other both have the member "x" of one object"#,
                "fallback: merge: the fallback must be an object",
            ])
    }
}
