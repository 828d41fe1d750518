import EndpointPlans
import GatewayCore
import HTTPModel
import JSONBytes
import Networking
import NetworkingTesting
import Rx
import RxTesting
import Testing

@Suite("Rule 4: a call for each element", .noLeaks)
struct PlanItemsTests {
    private let bench = Bench()

    /// Adds `/page` whose part `tags` calls `/tags/{item}` for each of `list`.
    private func add(
        _ failure: PlannedItems.Failure = .null, _ policy: PlannedPart.Policy = .required,
        _ change: (inout PlannedItems) -> Void = { _ in }
    ) throws {
        try bench.page([
            bench.part("list", "/list"),
            bench.part("tags", "/tags/{item}", policy) { call in
                var items = PlannedItems(reference("parts.list"))
                items.failure = failure
                change(&items)
                call.items = items
            },
        ])
    }

    private func answer(_ list: String) throws -> Reply {
        bench.upstream("/list", .data(list))
        return try bench.answer(.get, "/page")
    }

    @Test(
        "A value that is no array, or an array over the limit, is decode_error",
        arguments: ["7", "{}", #""a""#, "[1,2,3,4]"])
    func noArray(list: String) throws {
        try add { $0.limit = 3 }
        let reply = try answer(list)
        #expect(reply.status == 502)
        #expect(reply["/errors/0/part"] == #""tags""#)
        #expect(reply["/errors/0/reason"] == #""decode_error""#)
        #expect(bench.targets == ["/list"])
    }

    @Test("The requests for all elements have a number of bytes together, and no further one is made")
    func manyBytes() throws {
        try bench.page([
            bench.part("list", "/list"),
            bench.part("tags", "/tags") { call in
                call.method = .post
                call.body = .array([value("{parts.list.note}"), value("{item}")])
                call.items = PlannedItems(reference("parts.list.ids"))
            },
        ]) { $0.largestValue = 1000 }
        let note = String(repeating: "x", count: 400)
        bench.upstream("/list", .data("{\"note\":\"\(note)\",\"ids\":[1,2,3,4,5]}"))
        bench.upstream("/tags", .data("1"))
        let reply = try bench.answer(.get, "/page")
        #expect(reply["/data/tags"] == "[1,1,1,null,null]")
        #expect(
            reply["/errors/0/message"]
                == #""the requests for the elements have more than 1000 bytes""#)
        #expect(bench.targets.count == 4)
    }

    @Test("The array of all results has a number of bytes, although equal GETs are made once")
    func largeArray() throws {
        try bench.page([
            bench.part("list", "/list"),
            bench.part("tags", "/tags/{item}", .optional) { call in
                call.items = PlannedItems(reference("parts.list"))
            },
        ]) { $0.largestValue = 1000 }
        bench.upstream("/tags/a", .data("\"\(String(repeating: "x", count: 400))\""))
        #expect(try answer(#"["a","a"]"#)["/meta/complete"] == "true")
        let reply = try answer(#"["a","a","a"]"#)
        #expect(reply["/data/tags"] == "null")
        #expect(reply["/errors/0/reason"] == #""decode_error""#)
        #expect(reply["/errors/0/message"] == #""the value has more than 1000 bytes""#)
        #expect(bench.targets == ["/list", "/tags/a", "/list", "/tags/a"])
    }

    @Test("Requests of more than a mebibyte are made in several turns, and one for all equal elements")
    func turns() throws {
        let note = String(repeating: "x", count: 600_000)
        try bench.page([
            bench.part("list", "/list"),
            bench.part("tags", "/tags") { call in
                call.method = .post
                call.body = .array([value("{parts.list.note}"), value("{item}")])
                call.items = PlannedItems(reference("parts.list.ids"))
            },
        ])
        bench.upstream("/list", .data("{\"note\":\"\(note)\",\"ids\":[1,2,3,4,5]}"))
        bench.upstream("/tags", .data("1", after: .seconds(1)))
        let pending = try bench.ask(.get, "/page")
        #expect(bench.transport.inFlight == 2)
        bench.time.advance(by: .milliseconds(500))
        #expect(bench.transport.inFlight == 5)
        bench.time.advance(by: .milliseconds(500))
        #expect(try pending.reply()["/data/tags"] == "[1,1,1,1,1]")
    }

    @Test("Equal GETs are found although their elements differ, also by their fields")
    func equalRequests() throws {
        try bench.page([
            bench.part("list", "/list"),
            bench.part("tags", "/tags/{item.id}") { call in
                call.headers = plannedFields((.acceptLanguage, text("{item.language}")))
                call.items = PlannedItems(reference("parts.list"))
            },
        ])
        bench.transport.answer(.data("1"))
        let list =
            #"[{"id":1,"language":"a"},{"id":1,"language":"b"},"#
            + #"{"id":1,"language":"b","x":2},{"id":1,"x":3,"language":"a"}]"#
        #expect(try answer(list)["/data/tags"] == "[1,1,1,1]")
        #expect(bench.targets == ["/list", "/tags/1", "/tags/1"])
    }

    @Test("A missing value is missing_data, null is noContent, and an empty array an empty array")
    func nothing() throws {
        try add { $0.source = reference("parts.list.ids") }
        #expect(try answer("{}")["/errors/0/reason"] == #""missing_data""#)
        let null = try answer(#"{"ids":null}"#)
        #expect(null["/data/tags"] == "null")
        #expect(null["/meta/parts/tags"] == #""noContent""#)
        #expect(try answer(#"{"ids":[]}"#)["/data/tags"] == "[]")
    }

    @Test(
        "A failed element is told with its index, is null or dropped, and makes the answer partial",
        arguments: [(PlannedItems.Failure.null, "[1,null,3]"), (.drop, "[1,3]")])
    func failedElement(failure: PlannedItems.Failure, data: String) throws {
        try add(failure)
        bench.upstream("/tags/a", .data("1"))
        bench.upstream("/tags/b", .response(404))
        bench.upstream("/tags/c", .data("3"))
        let reply = try answer(#"["a","b","c"]"#)
        #expect(reply.status == 200)
        #expect(reply["/code"] == #""PARTIAL""#)
        #expect(reply["/data/tags"] == data)
        #expect(reply["/meta/complete"] == "false")
        #expect(reply["/meta/parts/tags"] == #""success""#)
        #expect(reply["/errors/0/part"] == #""tags[1]""#)
        #expect(reply["/errors/0/kind"] == #""requestErr""#)
        #expect(reply["/errors/0/attempts"] == "1")
        #expect(reply.fields["Proxy-Status"] == #"sluice; received-status=404; details="tags[1]""#)
        #expect(reply.fields[.cacheControl] == "no-store")
    }

    @Test("With itemFailure fail, the first failure fails the part and cancels the other calls")
    func failsAll() throws {
        try add(.fail)
        bench.upstream("/tags/a", .silence)
        bench.upstream("/tags/b", .response(503, fields: [.retryAfter: "3"]))
        bench.upstream("/list", .data(#"["a","b"]"#))
        let reply = try bench.answer(.get, "/page")
        #expect(reply.status == 503)
        #expect(reply["/errors/0/part"] == #""tags""#)
        #expect(
            reply["/errors/0/message"] == #""element 1: the upstream answered with status 503""#)
        #expect(bench.transport.inFlight == 0)
    }

    @Test(
        "Fewer successes than atLeast, by default one, fail the part",
        arguments: [
            (nil, #"["x","x","y"]"#, 404), (2, #"["a","x"]"#, 404), (1, "[]", 502), (2, #"["a","a"]"#, 200),
            (0, #"["x","y"]"#, 200), (0, "[]", 200),
        ])
    func quorum(atLeast: Int?, list: String, status: Int) throws {
        try add { $0.atLeast = atLeast }
        bench.upstream("/tags/a", .data("1"))
        bench.upstream("/tags/x", .response(404))
        bench.upstream("/tags/y", .response(404))
        let reply = try answer(list)
        #expect(reply.status == status)
        if status == 404 {
            #expect(reply["/errors/0/part"] == #""tags""#)
            #expect(reply["/errors/0/message"]?.contains("elements succeeded;") == true)
            #expect(reply["/errors/1"] == nil)
        }
    }

    @Test("An optional part with too few successes is null")
    func optional() throws {
        try add(.null, .optional)
        bench.transport.answer(.response(500))
        let reply = try answer("[1,2]")
        #expect(reply["/code"] == #""PARTIAL""#)
        #expect(reply["/data/tags"] == "null")
    }

    @Test("A value that cannot be in a path fails its element only")
    func segment() throws {
        try add()
        bench.upstream("/tags/a", .data("1"))
        let reply = try answer(#"["a","b/c",{"id":1}]"#)
        #expect(reply["/data/tags"] == "[1,null,null]")
        #expect(reply["/errors/0/reason"] == #""decode_error""#)
        #expect(reply["/errors/1/part"] == #""tags[2]""#)
        #expect(bench.targets == ["/list", "/tags/a"])
    }

    @Test(
        "Elements keep their order whatever the order of arrivals, and equal GETs are made once",
        arguments: 0..<6)
    func order(number: Int) throws {
        try add()
        var rest = [1, 2, 3]
        let delays = [number % 3, number / 3 % 2, 0].map { Duration.seconds(rest.remove(at: $0)) }
        for (name, delay) in zip(["a", "b", "c"], delays) {
            bench.upstream("/tags/\(name)", .data("\"\(name)\"", after: delay))
        }
        bench.upstream("/list", .data(#"["a","b","a","c"]"#))
        let pending = try bench.ask(.get, "/page")
        bench.time.advance(by: .seconds(3))
        #expect(try pending.reply()["/data/tags"] == #"["a","b","a","c"]"#)
        #expect(bench.targets == ["/list", "/tags/a", "/tags/b", "/tags/c"])
    }

    @Test("No more calls run at a time than concurrency says, and the next starts as one ends")
    func concurrency() throws {
        try add { $0.concurrency = 2 }
        bench.transport.answer(.data("1", after: .seconds(1)))
        bench.upstream("/list", .data("[1,2,3,4,5]"))
        let pending = try bench.ask(.get, "/page")
        var inFlight: [Int] = []
        for _ in 0..<3 {
            inFlight.append(bench.transport.inFlight)
            bench.time.advance(by: .seconds(1))
        }
        #expect(inFlight == [2, 2, 1])
        #expect(try pending.reply()["/data/tags"] == "[1,1,1,1,1]")
    }

    @Test("A thousand elements whose calls answer at once need no deep stack")
    func many() throws {
        try add {
            $0.limit = 1000
            $0.concurrency = 1
        }
        bench.transport.answer(.data("1"))
        let list = "[" + (0..<1000).map { "\($0)" }.joined(separator: ",") + "]"
        #expect(try answer(list)["/data/tags/999"] == "1")
        #expect(bench.transport.attempts.count == 1001)
    }

    @Test("References read the elements before keep; the answer has them after, and item has members")
    func shaped() throws {
        try bench.page([
            bench.part("list", "/list"),
            bench.part("users", "/users/{item.id}") { call in
                call.items = PlannedItems(reference("parts.list.users"))
                call.query = [("kind", value("{item.kind}"))]
            }.shaped { $0.kept = ["name"] },
            PlannedPart("ages", .value(value("{parts.users[*].age}"))),
        ])
        bench.upstream("/list", .data(#"{"users":[{"id":1,"kind":"x"},{"id":2}]}"#))
        bench.upstream("/users/1", .data(#"{"name":"a","age":7}"#))
        bench.upstream("/users/2", .data(#"{"name":"b","age":8}"#))
        let reply = try bench.answer(.get, "/page")
        #expect(reply["/data/users"] == #"[{"name":"a"},{"name":"b"}]"#)
        #expect(reply["/data/ages"] == "[7,8]")
        #expect(bench.targets.suffix(2) == ["/users/1?kind=x", "/users/2"])
    }

    @Test("At the deadline the part fails, and no call is left")
    func deadline() throws {
        try add(.null, .optional)
        bench.transport.answer(.silence)
        bench.upstream("/list", .data("[1,2,3]"))
        let pending = try bench.ask(.get, "/page")
        bench.time.advance(by: .seconds(5))
        let reply = try pending.reply()
        #expect(reply["/errors/0/part"] == #""tags""#)
        #expect(reply["/errors/0/reason"] == #""deadline_exceeded""#)
        #expect(bench.transport.inFlight == 0)
    }

    @Test("A client's list is read from the body, and one that is missing is the client's failure")
    func body() throws {
        var endpoint = PlannedEndpoint(.post, "/many")
        endpoint.body = Schema()
        var call = PlannedCall("diary", .get, Located(text("/tags/{item}")))
        call.items = PlannedItems(reference("body.ids"))
        endpoint.parts = .data(PlannedPart("tags", .call(call)))
        bench.gateway.add(try bench.plan(endpoint))
        bench.transport.answer(.data("1"))
        let fields: HTTPFields = [.contentType: "application/json"]
        #expect(try bench.answer(.post, "/many", fields: fields, body: #"{"ids":[1,2]}"#)["/data"] == "[1,1]")
        #expect(
            try bench.answer(.post, "/many", fields: fields, body: #"{"ids":null}"#)["/data"] == "null")
        let reply = try bench.answer(.post, "/many", fields: fields, body: "{}")
        #expect(reply.status == 400)
        #expect(reply["/errors/0/reason"] == #""missing_data""#)
        #expect(reply.message == "tags was not requested: body.ids is missing")
    }
}
