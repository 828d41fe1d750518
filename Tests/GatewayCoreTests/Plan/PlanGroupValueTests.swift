import EndpointPlans
import GatewayCore
import HTTPModel
import JSONBytes
import Networking
import NetworkingTesting
import Rx
import RxTesting
import Testing

/// Groups as values: conditions, and references to their objects.
@Suite("Rules 3 and 5: groups that are read or left out", .noLeaks)
struct PlanGroupValueTests {
    private let bench = Bench()

    private func group(_ name: String, _ parts: [PlannedPart]) -> PlannedPart {
        group(name, .required, parts)
    }

    private func group(
        _ name: String, _ policy: PlannedPart.Policy = .required, atLeast: Int? = nil, _ parts: [PlannedPart]
    ) -> PlannedPart {
        PlannedPart(name, .group(PlannedGroup(parts, atLeast: atLeast)), policy)
    }

    private func weather(_ policy: PlannedPart.Policy = .required) -> PlannedPart {
        group(
            "weather", policy,
            [
                bench.part("now", "/now").shaped { $0.dropped = ["secret"] },
                bench.part("soon", "/soon", .fallback([])), bench.part("key", "/key").hidden(),
                bench.part("more", "/more", .optional).merged(),
            ])
    }

    private func answerAll() {
        bench.upstream("/now", .data(#"{"t":7,"secret":1}"#, after: .seconds(1)))
        bench.upstream("/soon", .data("[1]", after: .seconds(2)))
        bench.upstream("/key", .data("5"))
        bench.upstream("/more", .data(#"{"wind":3,"now":0}"#))
        bench.transport.answer(.data("9"))
    }

    // MARK: - References

    @Test("A reference to a group is the object of data, and waits for all of its parts")
    func reference() throws {
        try bench.page([
            PlannedPart("copy", .value(.array([value("{parts.weather}")]))),
            bench.part("call", "/call/{parts.weather.wind}"), weather(),
        ])
        answerAll()
        let pending = try bench.ask(.get, "/page")
        #expect(bench.targets == ["/now", "/soon", "/key", "/more"])
        bench.time.advance(by: .milliseconds(1900))
        #expect(bench.targets.count == 4)
        bench.time.advance(by: .milliseconds(100))
        #expect(bench.targets.last == "/call/3")
        let object = #"{"now":{"t":7},"soon":[1],"wind":3}"#
        #expect(try pending.reply()["/data"] == #"{"copy":[\#(object)],"call":9,"weather":\#(object)}"#)
    }

    @Test("References read a group before its own keep, and groups in it after theirs")
    func beforeShape() throws {
        let inner = group("inner", [bench.part("a", "/a"), bench.part("b", "/b")])
            .shaped { $0.dropped = ["b", "a.x"] }
        let outer = group("outer", [inner, bench.part("c", "/c")]).shaped {
            $0.kept = ["inner"]
            $0.renamed = [("inner", "only")]
        }
        try bench.page([
            outer, PlannedPart("whole", .value(value("{parts.outer}"))),
            PlannedPart("part", .value(value("{parts.outer.inner}"))),
            PlannedPart("leaf", .value(value("{parts.outer.inner.a.x}"))),
        ])
        bench.upstream("/a", .data(#"{"x":1,"y":2}"#))
        bench.upstream("/b", .data("3"))
        bench.upstream("/c", .data("4"))
        let reply = try bench.answer(.get, "/page")
        #expect(reply["/data/outer"] == #"{"only":{"a":{"y":2}}}"#)
        #expect(reply["/data/whole"] == #"{"inner":{"a":{"y":2}},"c":4}"#)
        #expect(reply["/data/part"] == #"{"a":{"x":1,"y":2},"b":3}"#)
        #expect(reply["/data/leaf"] == "1")
    }

    @Test("Optional members of a group do not fail its readers; they read null or the fallback")
    func optionalMember() throws {
        try bench.page([weather(), PlannedPart("copy", .value(value("{parts.weather}")))])
        answerAll()
        bench.upstream("/soon", .response(500))
        bench.upstream("/more", .response(500))
        let pending = try bench.ask(.get, "/page")
        bench.time.advance(by: .seconds(1))
        #expect(try pending.reply()["/data/copy"] == #"{"now":{"t":7},"soon":[]}"#)
    }

    @Test(
        "The readers of a failed group are not called: dependency_failed with the kind and status of the member that decides"
    )
    func failed() throws {
        try bench.page([
            weather(.fallback(["now": nil])), bench.part("call", "/call/{parts.weather.wind}", .optional),
        ])
        answerAll()
        bench.upstream("/now", .response(404))
        let pending = try bench.ask(.get, "/page")
        bench.time.advance(by: .seconds(2))
        let reply = try pending.reply()
        #expect(reply["/data"] == #"{"weather":{"now":null},"call":null}"#)
        #expect(reply["/errors/1/part"] == #""call""#)
        #expect(reply["/errors/1/kind"] == #""requestErr""#)
        #expect(reply["/errors/1/status"] == "404")
        #expect(reply["/errors/1/reason"] == #""dependency_failed""#)
        #expect(reply["/errors/1/message"] == #""it needs weather, which failed""#)
        #expect(!bench.targets.contains { $0.hasPrefix("/call") })
    }

    @Test("A group with a quorum is read once enough members succeeded", arguments: [(1, true), (2, false)])
    func quorum(atLeast: Int, isRead: Bool) throws {
        try bench.page([
            group("g", .optional, atLeast: atLeast, [bench.part("a", "/a"), bench.part("b", "/b")]),
            PlannedPart("copy", .value(value("{parts.g}")), .optional),
        ])
        bench.upstream("/a", .data("1"))
        bench.upstream("/b", .response(404))
        #expect(try bench.answer(.get, "/page")["/data/copy"] == (isRead ? #"{"a":1,"b":null}"# : "null"))
    }

    @Test("A group that reads itself, or a group that reads it, is a circle")
    func circle() throws {
        let own = group("g", [PlannedPart("a", .value(value("{parts.g}"))), bench.part("b", "/b")])
        let error = try #require(throws: PlanError.self) {
            try bench.plan(PlannedEndpoint(.get, "/page", parts: [own]))
        }
        #expect(error.faults.map(\.message) == ["parts g -> g.a -> g wait for each other"])
        let first = group("g", [PlannedPart("a", .value(value("{parts.h}")))])
        let second = group("h", [bench.part("b", "/b").when("parts.g")])
        let both = try #require(throws: PlanError.self) {
            try bench.plan(PlannedEndpoint(.get, "/page", parts: [first, second]))
        }
        #expect(both.faults.map(\.message) == ["parts g -> g.a -> h -> h.b -> g wait for each other"])
    }

    @Test("A field of the answer reads the object of a group")
    func field() throws {
        try bench.page([weather()]) {
            $0.answer.fields = plannedFields(("X-Wind", text("{parts.weather.wind}")))
        }
        answerAll()
        let pending = try bench.ask(.get, "/page")
        bench.time.advance(by: .seconds(2))
        #expect(try pending.reply().fields["X-Wind"] == "3")
    }

    @Test("At the deadline the readers of a group fail with it, and nothing is left")
    func deadline() throws {
        try bench.page([
            weather(.optional), PlannedPart("copy", .value(value("{parts.weather}")), .optional),
        ])
        answerAll()
        bench.upstream("/now", .silence)
        let pending = try bench.ask(.get, "/page")
        bench.time.advance(by: .seconds(5))
        let reply = try pending.reply()
        #expect(reply["/data"] == #"{"weather":null,"copy":null}"#)
        #expect(bench.transport.inFlight == 0)
        #expect(bench.time.pending == 0)
    }

    // MARK: - Conditions

    @Test(
        "If the condition of a group does not hold, its parts are not called, and it is null",
        arguments: [("true", true), ("false", false), (nil, false)] as [(String?, Bool)])
    func condition(flag: String?, isMade: Bool) throws {
        let inner = group("b", .optional, [bench.part("c", "/c")])
        try bench.page([
            group("g", [bench.part("a", "/a"), inner]).when("query.more"), bench.part("d", "/d"),
        ]) { $0.parameters = [ParameterRule(.query, "more", ValueRule(.boolean), isRequired: false)] }
        bench.transport.answer(.data("1"))
        let reply = try bench.answer(.get, "/page" + (flag.map { "?more=\($0)" } ?? ""))
        #expect(reply["/code"] == #""OK""#)
        #expect(reply["/data/g"] == (isMade ? #"{"a":1,"b":{"c":1}}"# : "null"))
        #expect(reply["/meta/parts/g.a"] == (isMade ? #""success""# : #""noContent""#))
        #expect(reply["/meta/parts/g.b.c"] == (isMade ? #""success""# : #""noContent""#))
        #expect(bench.targets.count == (isMade ? 3 : 1))
    }

    @Test("A condition that reads a part lets the whole group wait, and its failure fails the group")
    func waitingCondition() throws {
        try bench.page([
            bench.part("user", "/user", .optional),
            group("g", .optional, [bench.part("a", "/a"), bench.part("b", "/b/{parts.g.a}")]).when(
                "!parts.user.isNew"),
            PlannedPart("copy", .value(value("{parts.g}")), .optional),
        ])
        bench.transport.answer(.data("1"))
        bench.upstream("/user", .data(#"{"isNew":true}"#, after: .seconds(1)))
        let left = try bench.ask(.get, "/page")
        #expect(bench.targets == ["/user"])
        bench.time.advance(by: .seconds(1))
        #expect(try left.reply()["/data"] == #"{"user":{"isNew":true},"g":null,"copy":null}"#)
        #expect(bench.targets == ["/user"])
        bench.upstream("/user", .data("{}"))
        #expect(try bench.answer(.get, "/page")["/data/copy"] == #"{"a":1,"b":1}"#)
        bench.upstream("/user", .response(404))
        let failed = try bench.answer(.get, "/page")
        #expect(failed["/data"] == #"{"user":null,"g":null,"copy":null}"#)
        #expect(failed["/errors/1/message"] == #""it needs user, which failed""#)
    }

    @Test("A group that is left out adds nothing to the object it would be merged into")
    func merged() throws {
        try bench.page([
            group("g", [bench.part("a", "/a")]).merged().when("query.more"), bench.part("d", "/d"),
        ]) { $0.parameters = [ParameterRule(.query, "more", ValueRule(.boolean), isRequired: false)] }
        bench.transport.answer(.data("1"))
        #expect(try bench.answer(.get, "/page")["/data"] == #"{"d":1}"#)
        #expect(try bench.answer(.get, "/page?more=true")["/data"] == #"{"a":1,"d":1}"#)
    }

    @Test("A part whose condition does not hold is left out even if another part that it reads has failed")
    func conditionFirst() throws {
        try bench.page([
            bench.part("a", "/a", .optional), bench.part("b", "/b/{parts.a}").when("query.more"),
        ]) { $0.parameters = [ParameterRule(.query, "more", ValueRule(.boolean), isRequired: false)] }
        bench.upstream("/a", .response(500))
        let reply = try bench.answer(.get, "/page")
        #expect(reply["/meta/parts"] == #"{"a":"serverErr","b":"noContent"}"#)
    }
}
