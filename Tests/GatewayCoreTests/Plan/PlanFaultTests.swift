import EndpointPlans
import GatewayCore
import HTTPModel
import JSONBytes
import Networking
import Testing

@Suite("Faults of plans")
struct PlanFaultTests {
    private let bench = Bench()

    private func faults(
        _ parts: [PlannedPart], _ upstream: PlannedUpstream? = nil,
        _ change: (inout PlannedEndpoint) -> Void = { _ in }
    ) throws -> [String] {
        var endpoint = PlannedEndpoint(.get, "/page/{id}", parts: parts)
        change(&endpoint)
        do {
            _ = try bench.plan(endpoint, upstream)
            return []
        } catch {
            return error.faults.map { fault in fault.part.map { "\($0): \(fault.message)" } ?? fault.message }
        }
    }

    @Test("All references that lead nowhere are told at once")
    func references() throws {
        let group = PlannedPart("g", .group(PlannedGroup([bench.part("x", "/x")])))
        #expect(
            try faults([
                bench.part("a", "/{path.no}/{query.no}/{header.no}/{body.no}/{item.x}"),
                bench.part("b", "/{parts.no.id}/{parts.g.y}/{first.no}"), group,
                bench.part("ok", "/{path.id}/{parts.g.x}"),
            ]) == [
                #"a: {path.no}: the endpoint declares no path parameter "no"; there is "id""#,
                #"a: {query.no}: the endpoint declares no query parameter "no""#,
                #"a: {header.no}: the endpoint declares no header "no""#,
                "a: {body.no}: the endpoint declares no body, such as body: {type: object}",
                "a: {item.x}: only the request of a part with forEach has an item",
                #"b: {parts.no.id}: there is no part "no"; there are "a", "b", "g" and "ok""#,
                #"b: {parts.g.y}: there is no part "g.y"; did you mean "g.x"?"#,
                #"b: {first.no}: there is no step "no""#,
            ])
    }

    @Test("Parts that wait for each other are told as a circle")
    func circle() throws {
        #expect(
            try faults([
                bench.part("a", "/{parts.b}"), bench.part("b", "/b").when("parts.c"),
                bench.part("c", "/c") { $0.items = PlannedItems(reference("parts.a")) },
                bench.part("d", "/{parts.d}"),
            ]) == ["parts a -> b -> c -> a wait for each other", "part d waits for itself"])
    }

    @Test("Numbers out of their ranges are told")
    func ranges() throws {
        let small = PlannedPart("g", .group(PlannedGroup([bench.part("x", "/x")], atLeast: 2)))
        #expect(
            try faults([
                bench.part("a", "/a") {
                    $0.attempts = 0
                    $0.timeout = 0
                },
                bench.part("b", "/b") {
                    var items = PlannedItems(reference("path.id"))
                    items.concurrency = 65
                    items.limit = 1001
                    items.atLeast = -1
                    $0.items = items
                }, small, PlannedPart("e", .group(PlannedGroup([]))),
            ]) == [
                "a: attempts: 0 is not between 1 and 10", "a: the timeout is not positive",
                "b: concurrency: 65 is not between 1 and 64", "b: limit: 1001 is not between 1 and 1000",
                "b: atLeast: -1 is not between 0 and 1000",
                "g: atLeast: one part cannot reach this number", "e: a group has at least one part",
            ])
        #expect(try faults([bench.part("a", "a")]) == ["a: the path of a call begins with a slash"])
        let items = bench.part("a", "/a") {
            $0.items = PlannedItems(reference("path.id"))
            $0.items?.atLeast = 101
        }
        #expect(try faults([items]) == ["a: atLeast is more than limit (100)"])
    }

    @Test("Names that are missing or come twice are told")
    func names() throws {
        #expect(
            try faults([bench.part("a", "/a"), bench.part("a", "/b"), bench.part("", "/c")]) == [
                "a: two parts have this name", ": the name is missing",
            ])
        let group = PlannedPart("g", .group(PlannedGroup([bench.part("x", "/x")])))
        #expect(try faults([group, bench.part("g.x", "/y")]) == ["g.x: two parts have this name in errors"])
    }

    @Test("Steps are required, stand alone and read no parts")
    func steps() throws {
        let parts = [bench.part("a", "/a")]
        #expect(
            try faults(parts) { endpoint in
                endpoint.first = [
                    bench.part("s", "/s", .optional).merged(),
                    bench.part("t", "/t") { $0.items = PlannedItems(reference("path.id")) },
                    PlannedPart("g", .value(.constant(.null))).hidden(),
                ]
            } == [
                "s: a step is always required", "s: a step has no place in the answer",
                "t: a step's itemFailure must be fail", "g: a step has no place in the answer",
            ])
        #expect(
            try faults(parts) { $0.first = [bench.part("s", "/{parts.a}")] } == [
                "s: {parts.a}: a step cannot read a part, which starts after the steps"
            ])
    }

    @Test("A step reads neither itself, nor a later step, nor one that starts with it, nor a whole group")
    func stepOrder() throws {
        #expect(
            try faults([bench.part("a", "/{first.g}")]) { endpoint in
                endpoint.first = [
                    bench.part("s", "/{first.s}"), bench.part("t", "/{first.g.x}/{first.s}"),
                    PlannedPart(
                        "g",
                        .group(
                            PlannedGroup([
                                bench.part("x", "/{first.t}"), bench.part("y", "/{first.g.x}"),
                                bench.part("z", "/z").when("first.u"),
                            ]))), bench.part("u", "/{first.g.no}/{first.g.y.id}"),
                ]
            } == [
                "s: {first.s}: a step cannot read itself",
                #"t: {first.g.x}: the step "g" is called later; a step reads earlier ones"#,
                "g.y: {first.g.x}: the steps of a group start together, so they cannot read each other",
                #"g.z: {first.u}: the step "u" is called later; a step reads earlier ones"#,
                #"u: {first.g.no}: there is no step "g.no"; there are "g.x", "g.y" and "g.z""#,
                "a: {first.g}: a group of steps has no value; read one of its steps; there are \"g.x\", \"g.y\" and "
                    + "\"g.z\"",
            ])
    }

    @Test("A group of steps has steps, all of which are required")
    func stepGroups() throws {
        let quorum = PlannedGroup([bench.part("x", "/x"), bench.part("y", "/y", .optional)], atLeast: 1)
        #expect(
            try faults([bench.part("a", "/a")]) { endpoint in
                endpoint.first = [
                    PlannedPart("g", .group(quorum)), PlannedPart("h", .group(PlannedGroup([])), .optional),
                ]
            } == [
                "g: all steps of a group must succeed", "g.y: a step is always required",
                "h: a step is always required", "h: a group has at least one step",
            ])
    }

    @Test("Parameters that contradict themselves are told")
    func parameters() throws {
        #expect(
            try faults([bench.part("a", "/a")]) { endpoint in
                endpoint.parameters = [
                    ParameterRule(.query, "n", rule(.integer, #""maximum":5"#), default: .text("6")),
                    ParameterRule(.query, "n"), ParameterRule(.path, "no"), ParameterRule(.header, "a b"),
                    ParameterRule(.query, "t", default: .today),
                ]
            } == [
                #"Query parameter "n": its default must be at most 5"#,
                "Field \"a b\": a b is not the name of a header",
                #"Query parameter "t": only a date may default to today"#,
                "the path has no parameter {no}",
            ])
        #expect(
            try faults([bench.part("a", "/{query.d}")]) {
                $0.parameters = [ParameterRule(.query, "d", default: .text("a/b"))]
            } == [
                #"Query parameter "d": its default must be text, without slashes and control characters"#
            ])
    }

    @Test("Fields and headers of the gateway, renames to one name, and objects in a query are told")
    func fields() throws {
        #expect(
            try faults([
                bench.part("a", "/a") {
                    $0.headers = plannedFields((.host, text("x")), (.connection, text("close")))
                }.shaped { $0.renamed = [("x", "z"), ("y", "z"), ("x", "w")] }
            ]) { $0.answer.fields = plannedFields((.contentType, text("a"))) } == [
                "a: Host is set by the gateway alone", "a: Connection is set by the gateway alone",
                #"a: rename: two members get the name "z""#, "a: rename: x gets two names",
                "Content-Type is set by the gateway alone",
            ])
        #expect(
            try faults([
                bench.part("a", "/a") {
                    $0.query = [("q", .object([])), ("r", .constant(JSONLiteral(["a"]).fragment))]
                }
            ]) == ["a: the query's q has an object"])
    }

    @Test("What a call may not set, its upstream may not, and an answer sets no coding and no range")
    func transportFields() throws {
        let upstream = bench.planned(headers: [.expect: "100-continue", .te: "trailers", .via: "1.1 edge"])
        #expect(
            try faults([bench.part("a", "/a")], upstream) == [
                "a: upstream diary: Expect is set by the gateway alone",
                "a: upstream diary: TE is set by the gateway alone",
            ])
        #expect(
            try faults([
                bench.part("b", "/b") { $0.headers = plannedFields((.expect, text("100-continue"))) }
            ]) {
                $0.answer.fields = plannedFields(
                    (.contentEncoding, text("gzip")), (.contentRange, text("bytes 0-1/2")),
                    (.contentLanguage, text("ko")))
            } == [
                "b: Expect is set by the gateway alone", "Content-Encoding is set by the gateway alone",
                "Content-Range is set by the gateway alone",
            ])
    }

    @Test("The field that says whether the answer is complete is not set twice")
    func completeField() throws {
        #expect(
            try faults([bench.part("a", "/a")]) {
                $0.answer.envelope = .bare
                $0.answer.completeField = "X-Complete"
                $0.answer.fields = plannedFields(("x-complete", text("a")), ("X-B", text("b")))
            } == [
                "answer.headers and answer.completeHeader both set x-complete; case does not matter"
            ])
    }

    @Test("More than 256 parts are refused, and so are groups too deep")
    func size() throws {
        let many = (0..<257).map { bench.part("p\($0)", "/\($0)") }
        #expect(try faults(many) == ["more than 256 steps and parts"])
        var deep = bench.part("x", "/x")
        for _ in 0..<20 { deep = PlannedPart("g", .group(PlannedGroup([deep]))) }
        #expect(try faults([deep]).count == 1)
    }
}
