import EndpointPlans
import GatewayCore
import HTTPModel
import JSONBytes
import Networking
import NetworkingTesting
import Rx
import RxTesting
import Testing

@Suite("Rule 3: parts that read others", .noLeaks)
struct PlanDependencyTests {
    private let bench = Bench()

    /// `user` reads `recent`, `friends` reads both; `total` reads nothing. The readers stand first.
    private func declareScreen(_ policy: PlannedPart.Policy = .optional) throws {
        try bench.page([
            bench.part("friends", "/friends/{parts.recent.user}/{parts.user.age}", policy),
            bench.part("user", "/users/{parts.recent.user}", policy).shaped { $0.kept = ["name"] },
            bench.part("recent", "/recent", policy), bench.part("total", "/total"),
        ])
    }

    @Test(
        "If a part fails, its readers are not called: dependency_failed with that part's kind and status",
        arguments: [
            (StubTransport.Answer.response(404), 404, "requestErr"),
            (.failure(.connectionReadTimeout), 504, "networkFail"),
            (.response(500), 502, "serverErr"),
            (.response(503, fields: [.retryAfter: "7"]), 503, "serverErr"), (.data("7,"), 502, "pathErr"),
        ])
    func failure(answer: StubTransport.Answer, status: Int, kind: String) throws {
        try bench.page([
            bench.part("recent", "/recent", .optional), bench.part("user", "/users/{parts.recent.user}"),
        ])
        bench.upstream("/recent", answer)
        let reply = try bench.answer(.get, "/page")
        #expect(reply.status == status)
        #expect(reply.message == "user was not requested: it needs recent, which failed")
        #expect(reply["/errors/1/kind"] == "\"\(kind)\"")
        #expect(reply["/errors/1/reason"] == #""dependency_failed""#)
        #expect(reply["/errors/1/status"] == reply["/errors/0/status"])
        #expect(reply["/errors/1/attempts"] == "0")
        #expect(reply["/errors/0/retryable"] == reply["/errors/1/retryable"])
        #expect(reply.fields[.retryAfter] == (status == 503 ? "7" : nil))
        #expect(reply.fields["Proxy-Status"]?.hasSuffix(#"sluice; details="user""#) == true)
        #expect(bench.transport.attempts.count == 1)
    }

    @Test("A failure goes on to the readers of readers, and to no other part")
    func chain() throws {
        try declareScreen()
        bench.upstream("/recent", .response(500))
        bench.upstream("/total", .data("2"))
        let reply = try bench.answer(.get, "/page")
        #expect(reply["/code"] == #""PARTIAL""#)
        #expect(reply["/data"] == #"{"friends":null,"user":null,"recent":null,"total":2}"#)
        #expect(
            reply["/meta/parts"]
                == #"{"friends":"serverErr","user":"serverErr","recent":"serverErr","total":"success"}"#)
        #expect(reply["/errors/0/message"] == #""it needs recent, which failed""#)
        #expect(reply["/errors/0/status"] == "500")
    }

    @Test(
        "Values that repeat each other end at a number of bytes, in texts, arrays, objects and groups",
        arguments: 0..<4)
    func doubling(form: Int) throws {
        var parts = [PlannedPart("p0", .value(value("0123456789")))]
        for number in 1...30 {
            let whole = value("{parts.p\(number - 1)}")
            let content: PlannedPart.Content =
                switch form {
                case 0: .value(value("{parts.p\(number - 1)}{parts.p\(number - 1)}"))
                case 1: .value(.array([whole, whole]))
                case 2: .value(.object([("a", whole), ("b", whole)]))
                default:
                    .group(PlannedGroup([PlannedPart("a", .value(whole)), PlannedPart("b", .value(whole))]))
                }
            var part = PlannedPart("p\(number)", content)
            part.isHidden = true
            parts.append(part)
        }
        try bench.page(parts) { $0.largestValue = 10_000 }
        let reply = try bench.answer(.get, "/page")
        #expect(reply.status == 502)
        #expect(reply["/errors/0/message"]?.description.contains("has more than 10000 bytes") == (form < 3))
        #expect(reply["/errors/0/reason"] == (form < 3 ? #""decode_error""# : #""dependency_failed""#))
    }

    @Test("A missing value is missing_data and calls nobody")
    func missing() throws {
        try declareScreen(.required)
        bench.upstream("/recent", .data("{}"))
        bench.upstream("/total", .data("2"))
        let reply = try bench.answer(.get, "/page")
        #expect(reply.status == 502)
        #expect(reply["/errors/1/part"] == #""user""#)
        #expect(reply["/errors/1/reason"] == #""missing_data""#)
        #expect(reply["/errors/1/message"] == #""parts.recent.user is missing""#)
        #expect(reply["/errors/0/reason"] == #""dependency_failed""#)
    }

    @Test("A reader starts exactly when what it reads has ended, and delays nobody else")
    func timing() throws {
        try declareScreen()
        bench.upstream("/recent", .data(#"{"user":"kim"}"#, after: .seconds(1)))
        bench.upstream("/total", .data("2", after: .seconds(4)))
        bench.upstream("/users/kim", .data(#"{"name":"Kim","age":7}"#, after: .seconds(1)))
        bench.upstream("/friends/kim/7", .data("[]", after: .milliseconds(500)))
        let pending = try bench.ask(.get, "/page")
        #expect(bench.targets == ["/recent", "/total"])
        bench.time.advance(by: .milliseconds(2500))
        #expect(pending.count == 0)
        #expect(bench.targets == ["/recent", "/total", "/users/kim", "/friends/kim/7"])
        #expect(
            bench.transport.attempts.map(\.sentAt) == [.zero, .zero, .seconds(1), .seconds(2)])
        bench.time.advance(by: .milliseconds(1500))
        let reply = try pending.reply()
        // References read `user` before `keep`.
        #expect(
            reply["/data"] == #"{"friends":[],"user":{"name":"Kim"},"recent":{"user":"kim"},"total":2}"#)
        let parts = reply.summary.parts
        #expect(parts.map(\.elapsed) == [.milliseconds(500), .seconds(1), .seconds(1), .seconds(4)])
        #expect(parts.map(\.calls.count) == [1, 1, 1, 1])
    }

    @Test("Two readers of one part start together, and the part is called once")
    func shared() throws {
        try bench.page([
            bench.part("a", "/a"), bench.part("b", "/b/{parts.a}"), bench.part("c", "/c/{parts.a}"),
        ])
        bench.upstream("/a", .data("7", after: .seconds(1)))
        bench.upstream("/b/7", .data("1"))
        bench.upstream("/c/7", .data("2"))
        let pending = try bench.ask(.get, "/page")
        bench.time.advance(by: .seconds(1))
        #expect(try pending.reply()["/data"] == #"{"a":7,"b":1,"c":2}"#)
        #expect(bench.targets == ["/a", "/b/7", "/c/7"])
    }

    @Test("A part without content is null for its readers: whole in JSON, missing below")
    func noContent() throws {
        try bench.page([
            bench.part("a", "/a"), PlannedPart("whole", .value(.array([value("{parts.a}")]))),
            bench.part("below", "/b/{parts.a.id}", .optional),
            bench.part("never", "/c").when("parts.a.id"), bench.part("always", "/d").when("!parts.a.id"),
        ])
        bench.upstream("/a", .response(204))
        bench.upstream("/d", .data("1"))
        let reply = try bench.answer(.get, "/page")
        #expect(reply["/data"] == #"{"a":null,"whole":[null],"below":null,"never":null,"always":1}"#)
        #expect(reply["/errors/0/reason"] == #""missing_data""#)
        #expect(reply["/meta/parts/never"] == #""noContent""#)
    }

    @Test("At the deadline, parts that still wait fail with it, and nothing is left")
    func deadline() throws {
        try declareScreen()
        bench.upstream("/recent", .silence)
        bench.upstream("/total", .data("2"))
        let pending = try bench.ask(.get, "/page")
        bench.time.advance(by: .seconds(5))
        let reply = try pending.reply()
        #expect(reply["/code"] == #""PARTIAL""#)
        for index in 0..<3 { #expect(reply["/errors/\(index)/reason"] == #""deadline_exceeded""#) }
        #expect(bench.transport.inFlight == 0)
        #expect(bench.time.pending == 0)
    }

    @Test("The time of a failed part is its own, without the wait for others, as in its summary")
    func ownTime() throws {
        try bench.page([
            bench.part("slow", "/slow", .optional), bench.part("late", "/late/{parts.slow.a}", .optional),
            bench.part("lacks", "/lacks/{parts.slow.b}", .optional),
            bench.part("never", "/never/{parts.late}", .optional),
        ])
        bench.upstream("/slow", .data(#"{"a":1}"#, after: .seconds(4)))
        bench.upstream("/late/1", .silence)
        let pending = try bench.ask(.get, "/page")
        bench.time.advance(by: .seconds(5))
        let reply = try pending.reply()
        #expect((0..<3).map { reply["/errors/\($0)/part"] } == [#""late""#, #""lacks""#, #""never""#])
        #expect((0..<3).map { reply["/errors/\($0)/elapsedMs"] } == ["1000", "0", "0"])
        #expect(
            reply.summary.parts.map(\.elapsed) == [.seconds(4), .seconds(1), .zero, .zero])
    }

    @Test("A client that leaves cancels the calls, and those that wait never start")
    func leaving() throws {
        try declareScreen()
        bench.upstream("/recent", .data(#"{"user":"kim"}"#, after: .seconds(1)))
        bench.upstream("/total", .data("2", after: .seconds(1)))
        let pending = try bench.ask(.get, "/page")
        pending.dispose()
        bench.time.advance(by: .seconds(2))
        #expect(bench.targets == ["/recent", "/total"])
        #expect(pending.count == 0)
        #expect(bench.transport.inFlight == 0)
    }

    @Test("In any order of arrivals the answer has the same bytes", arguments: 0..<24)
    func order(number: Int) throws {
        try declareScreen()
        var rest = [1, 2, 3, 4]
        var code = number
        let delays = (1...4).reversed().map { count in
            defer { code /= count }
            return Duration.milliseconds(100 * rest.remove(at: code % count))
        }
        bench.upstream("/recent", .data(#"{"user":"kim"}"#, after: delays[0]))
        bench.upstream("/total", .data("2", after: delays[1]))
        bench.upstream("/users/kim", .data(#"{"name":"Kim","age":7}"#, after: delays[2]))
        bench.upstream("/friends/kim/7", .data("[1]", after: delays[3]))
        let pending = try bench.ask(.get, "/page")
        bench.time.advance(by: .seconds(2))
        #expect(
            try pending.reply()["/data"]
                == #"{"friends":[1],"user":{"name":"Kim"},"recent":{"user":"kim"},"total":2}"#)
    }
}
