import EndpointPlans
import HTTPModel
import JSONBytes
import Networking
import RxTesting
import Testing

@testable import GatewayCore

@Suite("A value that several references read is searched once", .noLeaks)
struct PlanSlotsTests {
    private let bench = Bench()

    private func plan(_ parts: [PlannedPart]) throws -> EndpointPlan {
        try bench.plan(PlannedEndpoint(.get, "/page", parts: parts))
    }

    @Test("A value that one reference reads is not kept, and a whole value needs no search")
    func once() throws {
        let plan = try plan([
            bench.part("list", "/list"),
            PlannedPart("a", .value(value("{parts.list.a}"))),
            PlannedPart("b", .value(value("{parts.list.b}"))),
            PlannedPart("c", .value(.array([value("{parts.list}"), value("{parts.list}")]))),
        ])
        #expect(plan.repeatedSlots == [false, false])
    }

    @Test("References to one place have one slot, and those of the calls for elements are read repeatedly")
    func repeated() throws {
        let plan = try plan([
            bench.part("list", "/list"),
            PlannedPart("a", .value(value("{parts.list.a}"))),
            PlannedPart("b", .value(.array([value("{parts.list.b}"), value("{parts.list['a']}")]))),
            bench.part("tags", "/tags/{item.id}") { call in
                call.query = [("of", value("{parts.list.c}"))]
                call.items = PlannedItems(reference("parts.list.ids"))
            },
        ])
        #expect(plan.repeatedSlots.filter { $0 }.count == 2, "list.a and list.c of \(plan.repeatedSlots)")
    }

    @Test("The calls for many elements read a large value in the time of a few searches")
    func large() throws {
        try bench.page([
            bench.part("list", "/list"),
            bench.part("tags", "/tags/{item}") { call in
                call.query = [("of", value("{parts.list.last}")), ("none", value("{parts.list.none}"))]
                var items = PlannedItems(reference("parts.list.ids"))
                items.limit = 1000
                call.items = items
            },
        ])
        for id in 0..<200 { bench.upstream("/tags/\(id)", .data("1")) }
        let padding = String(repeating: "[0,1],", count: 20_000)
        func time(_ count: Int) throws -> Duration {
            let ids = (0..<count).map(String.init).joined(separator: ",")
            bench.upstream("/list", .data(#"{"ids":[\#(ids)],"padding":[\#(padding)0],"last":"x"}"#))
            return try ContinuousClock().measure {
                let reply = try bench.answer(.get, "/page")
                #expect(reply.status == 200)
                #expect(reply["/data/tags/\(count - 1)"] == "1")
            }
        }
        let few = try time(2)
        #expect(try time(200) < few * 20)
        #expect(bench.targets.last == "/tags/199?of=x")
    }

    @Test("Steps, bodies and conditions of a request read what is there")
    func kinds() throws {
        var endpoint = PlannedEndpoint(
            .post, "/page",
            parts: [
                PlannedPart(
                    "a", .value(.array([value("{body.a}"), value("{body.a}"), value("{first.s.x}")]))),
                PlannedPart(
                    "b", .value(.array([value("{first.s.x}"), value("{body.none}"), value("{body.none}")]))),
            ])
        endpoint.body = Schema()
        endpoint.first = [bench.part("s", "/s")]
        bench.gateway.add(try bench.plan(endpoint))
        bench.upstream("/s", .data(#"{"x":[1]}"#))
        let reply = try bench.answer(
            .post, "/page", fields: [.contentType: "application/json"], body: #"{"a":{"b":1}}"#)
        #expect(reply["/data/a"] == #"[{"b":1},{"b":1},[1]]"#)
        #expect(reply["/data/b"] == "[[1],null,null]")
    }

    @Test("A text that is too long for a URL is refused before its escapes are decoded")
    func longText() throws {
        try bench.page([
            bench.part("list", "/list"),
            bench.part("a", "/a", .optional) { $0.query = [("t", value("{parts.list.t}"))] },
            bench.part("b", "/b/{parts.list.t}", .optional),
            bench.part("c", "/c", .optional) {
                $0.headers = plannedFields(("x-t", text("t {parts.list.t}")))
            },
        ])
        bench.upstream("/list", .data("{\"t\":\"\(String(repeating: "\\u0041", count: 8193))\"}"))
        let reply = try bench.answer(.get, "/page")
        for index in 0..<3 {
            #expect(reply["/errors/\(index)/reason"] == #""decode_error""#)
            #expect(reply["/errors/\(index)/message"]?.contains("has more than 8192 bytes") == true)
        }
        #expect(bench.targets == ["/list"])
    }
}
