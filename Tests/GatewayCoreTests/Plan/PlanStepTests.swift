import EndpointPlans
import GatewayCore
import HTTPModel
import JSONBytes
import Networking
import NetworkingTesting
import Rx
import RxTesting
import Testing

@Suite("Steps of planned endpoints: one after another", .noLeaks)
struct PlanStepTests {
    private let bench = Bench()

    /// A POST that reads nothing.
    private func post(_ name: String) -> PlannedPart { bench.part(name, "/\(name)") { $0.method = .post } }

    /// `reserve`, `charge` and `mail` do not read each other; each takes a second. Two parts follow.
    private func addOrder() throws {
        try bench.page([bench.part("order", "/order"), bench.part("stock", "/stock")]) {
            $0.first = [post("reserve"), post("charge"), post("mail")]
        }
        bench.transport.answer(.data(#"{"id":7}"#, after: .seconds(1)))
    }

    @Test("A step is sent once the step before it has ended, though it reads nothing of it")
    func order() throws {
        try addOrder()
        let pending = try bench.ask(.get, "/page")
        bench.time.advance(by: .seconds(4))
        let reply = try pending.reply()
        #expect(reply.status == 200)
        #expect(bench.targets == ["/reserve", "/charge", "/mail", "/order", "/stock"])
        #expect(
            bench.transport.attempts.map(\.sentAt)
                == [.zero, .seconds(1), .seconds(2), .seconds(3), .seconds(3)])
        let parts = reply.summary.parts
        #expect(parts.map(\.name) == ["reserve", "charge", "mail", "order", "stock"])
        #expect(parts.map(\.step) == [0, 1, 2, nil, nil])
        #expect(parts.map(\.elapsed) == Array(repeating: .seconds(1), count: 5))
        #expect(parts.map(\.calls.count) == [1, 1, 1, 1, 1])
        #expect(reply["/meta/parts"] == #"{"order":"success","stock":"success"}"#)
    }

    @Test(
        "After a failed step nothing is sent, and the failure names this step alone",
        arguments: [
            ("reserve", 0, StubTransport.Answer.response(409, after: .seconds(1)), 409),
            ("reserve", 0, .failure(.connectionRefused), 502), ("charge", 1, .data("7,"), 502),
            ("charge", 1, .response(503, after: .seconds(1)), 503), ("mail", 2, .response(422), 422),
        ])
    func failure(step: String, index: Int, answer: StubTransport.Answer, status: Int) throws {
        try addOrder()
        bench.upstream("/\(step)", answer)
        let pending = try bench.ask(.get, "/page")
        bench.time.advance(by: .seconds(5))
        let reply = try pending.reply()
        #expect(reply.status == status)
        #expect(bench.targets == Array(["/reserve", "/charge", "/mail"].prefix(index + 1)))
        #expect(reply["/errors/0/part"] == "\"\(step)\"")
        #expect(reply["/errors/1"] == nil)
        #expect(try reply.json().value(at: JSONPointer("/meta/parts"))?.members.map(\.name) == [step])
        #expect(reply.fields["Proxy-Status"]?.hasSuffix("details=\"\(step)\"") == true)
        #expect(reply.summary.parts.map(\.step) == Array(0...index))
        #expect(bench.transport.inFlight == 0)
        #expect(bench.time.pending == 0)
    }

    @Test("A step without content has succeeded, and a step whose value a later one misses has not failed")
    func values() throws {
        try bench.page([bench.part("a", "/a/{first.one.id}", .optional)]) {
            $0.first = [
                bench.part("one", "/one"), bench.part("two", "/two"), bench.part("three", "/{first.one.id}"),
            ]
        }
        bench.transport.answer(.data("1"))
        bench.upstream("/two", .response(204))
        bench.upstream("/one", .data(#"{"id":5}"#))
        #expect(try bench.answer(.get, "/page").status == 200)
        #expect(bench.targets == ["/one", "/two", "/5", "/a/5"])
        bench.upstream("/one", .data("{}"))
        let reply = try bench.answer(.get, "/page")
        #expect(reply.status == 502)
        #expect(reply["/errors/0/part"] == #""three""#)
        #expect(reply["/errors/0/reason"] == #""missing_data""#)
        #expect(bench.targets.suffix(2) == ["/one", "/two"])
    }

    @Test("A step and a part read any step before them, not only the last")
    func chain() throws {
        try bench.page([bench.part("end", "/end/{first.a.id}/{first.b.id}/{first.c.id}")]) {
            $0.first = [
                bench.part("a", "/a"), bench.part("b", "/b/{first.a.id}"),
                bench.part("c", "/c/{first.b.id}/{first.a.id}"),
            ]
        }
        bench.upstream("/a", .data(#"{"id":1}"#, after: .seconds(1)))
        bench.upstream("/b/1", .data(#"{"id":2}"#, after: .seconds(1)))
        bench.upstream("/c/2/1", .data(#"{"id":3}"#, after: .seconds(1)))
        bench.upstream("/end/1/2/3", .data("9"))
        let pending = try bench.ask(.get, "/page")
        bench.time.advance(by: .seconds(3))
        #expect(try pending.reply()["/data"] == #"{"end":9}"#)
        #expect(bench.targets == ["/a", "/b/1", "/c/2/1", "/end/1/2/3"])
    }

    @Test("At the deadline the open step fails the answer, and no later step is sent")
    func deadline() throws {
        try addOrder()
        bench.upstream("/charge", .silence)
        let pending = try bench.ask(.get, "/page")
        bench.time.advance(by: .seconds(10))
        let reply = try pending.reply()
        #expect(reply.status == 504)
        #expect(bench.targets == ["/reserve", "/charge"])
        #expect(reply["/errors/0/part"] == #""charge""#)
        #expect(reply["/errors/0/reason"] == #""deadline_exceeded""#)
        #expect(reply["/errors/0/elapsedMs"] == "4000")
        #expect(reply.summary.parts.map(\.step) == [0, 1])
        #expect(bench.transport.inFlight == 0)
    }

    @Test("A client that leaves during a step cancels it, and no later step is sent")
    func leaving() throws {
        try addOrder()
        let pending = try bench.ask(.get, "/page")
        bench.time.advance(by: .milliseconds(1500))
        pending.dispose()
        bench.time.advance(by: .seconds(5))
        #expect(bench.targets == ["/reserve", "/charge"])
        #expect(pending.count == 0)
        #expect(bench.transport.inFlight == 0)
    }

    @Test("A timeline has the steps that began, each from its own start")
    func timeline() throws {
        let bench = Bench.timed()
        try bench.page([bench.part("end", "/end")]) {
            $0.first = [bench.part("a", "/a"), bench.part("b", "/b"), bench.part("c", "/c")]
        }
        bench.upstream("/a", .data("1", after: .milliseconds(5)))
        bench.upstream("/b", .response(404, after: .milliseconds(3)))
        let reply = try bench.timed("/page", after: .milliseconds(8))
        #expect(
            reply.timeline == [
                "a 0-5", "  diary GET: 0 new 0 5 5 200 -", "b 5-8",
                "  diary GET: 5 new 5 8 8 404 upstream_status",
            ])
    }

    @Test("As many steps as an endpoint may have run one after another")
    func many() throws {
        try bench.page([bench.part("end", "/end")]) {
            $0.first = (1..<256).map { bench.part("s\($0)", "/\($0)") }
        }
        bench.transport.answer(.data("1"))
        #expect(try bench.answer(.get, "/page").status == 200)
        #expect(bench.targets == (1..<256).map { "/\($0)" } + ["/end"])
        bench.upstream("/200", .response(404))
        #expect(try bench.answer(.get, "/page").status == 404)
        #expect(bench.targets.last == "/200")
    }
}

@Suite("Steps of planned endpoints: elements and conditions", .noLeaks)
struct PlanStepWorkTests {
    private let bench = Bench()

    /// A step with a call for each element of the body, one at a time.
    private func each() -> PlannedPart {
        bench.part("each", "/each/{item}") {
            $0.method = .post
            $0.items = PlannedItems(reference("first.list"))
            $0.items?.concurrency = 1
            $0.items?.failure = .fail
        }
    }

    private func addItems() throws {
        try bench.page([PlannedPart("ids", .value(value("{first.each[*].id}")))]) {
            $0.first = [bench.part("list", "/list"), each(), bench.part("mail", "/mail")]
        }
        bench.transport.answer(.data("1", after: .seconds(1)))
        bench.upstream("/list", .data("[1,2,3]"))
        for item in 1...3 { bench.upstream("/each/\(item)", .data(#"{"id":\#(item)}"#, after: .seconds(1))) }
    }

    @Test("A step with elements ends with the last of them, and then the next step is sent")
    func items() throws {
        try addItems()
        let pending = try bench.ask(.get, "/page")
        bench.time.advance(by: .milliseconds(4_000))
        #expect(try pending.reply()["/data"] == #"{"ids":[1,2,3]}"#)
        #expect(bench.targets == ["/list", "/each/1", "/each/2", "/each/3", "/mail"])
    }

    @Test("After a failed element neither the next element nor the next step is sent", arguments: [1, 2])
    func failedItem(item: Int) throws {
        try addItems()
        bench.upstream("/each/\(item)", .response(409, after: .seconds(1)))
        let pending = try bench.ask(.get, "/page")
        bench.time.advance(by: .milliseconds(4_500))
        let reply = try pending.reply()
        #expect(reply.status == 409)
        #expect(reply["/errors/0/part"] == #""each""#)
        #expect(bench.targets == ["/list"] + (1...item).map { "/each/\($0)" })
    }

    @Test(
        "A step is left out if its condition does not hold, and the next one is sent in its turn",
        arguments: [("true", ["/ask", "/yes", "/last"]), ("false", ["/ask", "/no", "/last"])])
    func conditions(value: String, targets: [String]) throws {
        try bench.page([bench.part("end", "/end", .optional)]) {
            $0.first = [
                bench.part("ask", "/ask"), bench.part("yes", "/yes").when("first.ask.ok"),
                bench.part("no", "/no").when("!first.ask.ok"), bench.part("last", "/last"),
            ]
        }
        bench.transport.answer(.data("1", after: .seconds(1)))
        bench.upstream("/ask", .data(#"{"ok":\#(value)}"#, after: .seconds(1)))
        let pending = try bench.ask(.get, "/page")
        bench.time.advance(by: .seconds(4))
        let reply = try pending.reply()
        #expect(bench.targets == targets + ["/end"])
        #expect(
            bench.transport.attempts.map(\.sentAt) == [.zero, .seconds(1), .seconds(2), .seconds(3)])
        let kinds: [OutcomeKind?] =
            value == "true"
            ? [.success, .success, .noContent, .success] : [.success, .noContent, .success, .success]
        #expect(reply.summary.parts.prefix(4).map(\.kind) == kinds)
    }
}

@Suite("Steps of planned endpoints: groups", .noLeaks)
struct PlanStepGroupTests {
    private let bench = Bench()

    private func group(_ name: String, _ steps: [PlannedPart]) -> PlannedPart {
        PlannedPart(name, .group(PlannedGroup(steps)))
    }

    /// `a`, then `b` and `c` together, then `d`, then the part, which reads steps of the group.
    private func addGroup() throws {
        try bench.page([bench.part("end", "/end/{first.checks.b.id}/{first.checks.c.id}")]) {
            $0.first = [
                bench.part("a", "/a"),
                group("checks", [bench.part("b", "/b/{first.a.id}"), bench.part("c", "/c")]),
                bench.part("d", "/d/{first.checks.c.id}"),
            ]
        }
        bench.upstream("/a", .data(#"{"id":1}"#, after: .seconds(1)))
        bench.upstream("/b/1", .data(#"{"id":2}"#, after: .seconds(2)))
        bench.upstream("/c", .data(#"{"id":3}"#, after: .seconds(1)))
        bench.upstream("/d/3", .data("4", after: .seconds(1)))
        bench.upstream("/end/2/3", .data("5"))
    }

    @Test("The steps of a group start together, and the next step waits for the slowest of them")
    func together() throws {
        try addGroup()
        let pending = try bench.ask(.get, "/page")
        bench.time.advance(by: .milliseconds(4_000))
        let reply = try pending.reply()
        #expect(reply["/data"] == #"{"end":5}"#)
        #expect(bench.targets == ["/a", "/b/1", "/c", "/d/3", "/end/2/3"])
        #expect(
            bench.transport.attempts.map(\.sentAt)
                == [.zero, .seconds(1), .seconds(1), .seconds(3), .seconds(4)])
        #expect(reply.summary.parts.map(\.name) == ["a", "checks.b", "checks.c", "d", "end"])
        #expect(reply.summary.parts.map(\.step) == [0, 1, 1, 2, nil])
    }

    @Test(
        "If a step of a group fails, the others end, and nothing after the group is sent",
        arguments: [("/b/1", "checks.b", 409), ("/c", "checks.c", 503)])
    func failure(path: String, name: String, status: Int) throws {
        try addGroup()
        bench.upstream(path, .response(status, after: .milliseconds(10)))
        let pending = try bench.ask(.get, "/page")
        bench.time.advance(by: .seconds(5))
        let reply = try pending.reply()
        #expect(reply.status == status)
        #expect(bench.targets == ["/a", "/b/1", "/c"])
        #expect(reply["/errors/0/part"] == "\"\(name)\"")
        #expect(reply["/errors/1"] == nil)
        let names = try reply.json().value(at: JSONPointer("/meta/parts"))?.members.map(\.name)
        #expect(names == ["checks.b", "checks.c"])
    }

    @Test("Of two failures in a group the graver one decides, and both are named")
    func twoFailures() throws {
        try addGroup()
        bench.upstream("/b/1", .response(409, after: .milliseconds(1)))
        bench.upstream("/c", .response(500, after: .milliseconds(1)))
        let pending = try bench.ask(.get, "/page")
        bench.time.advance(by: .seconds(5))
        let reply = try pending.reply()
        #expect(reply.status == 502)
        #expect(reply["/errors/0/part"] == #""checks.b""#)
        #expect(reply["/errors/1/part"] == #""checks.c""#)
        #expect(bench.targets == ["/a", "/b/1", "/c"])
    }

    @Test("A group whose condition does not hold is left out with all of its steps")
    func condition() throws {
        try bench.page([bench.part("end", "/end", .optional)]) {
            $0.first = [
                bench.part("a", "/a"),
                group("checks", [bench.part("b", "/b"), bench.part("c", "/c")]).when("first.a.ok"),
                bench.part("d", "/d").when("!first.checks.b"),
            ]
        }
        bench.transport.answer(.data("1"))
        bench.upstream("/a", .data(#"{"ok":false}"#))
        #expect(try bench.answer(.get, "/page").status == 200)
        #expect(bench.targets == ["/a", "/d", "/end"])
    }
}
