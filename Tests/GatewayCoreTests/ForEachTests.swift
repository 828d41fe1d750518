import EndpointPlans
import GatewayCore
import HTTPModel
import JSONBytes
import Networking
import NetworkingTesting
import Rx
import RxTesting
import Testing

@Suite("A call for each item of a handler", .noLeaks)
struct ForEachTests {
    private let bench = Bench()
    private let lists: Provider<ListAPI>

    init() { lists = bench.lists() }

    /// Adds `/page` whose part `tags` is this one.
    private func add(_ part: @escaping @Sendable () -> Part) {
        bench.gateway.get("/page", .deadline(.seconds(5))) { _ in .parts(tags: part()) }
    }

    /// Adds `/page` whose part `tags` calls for each of these names.
    private func add(
        _ names: [String], _ failure: ItemFailurePolicy = .null, limit: Int? = nil, concurrency: Int? = nil,
        atLeast: Int? = nil
    ) {
        add { [lists] in
            Part.forEach(
                names, limit: limit, concurrency: concurrency, itemFailure: failure, atLeast: atLeast
            ) { lists.rx.request(.tag($0)).fragment() }
        }
    }

    private var reply: Reply { get throws { try bench.answer(.get, "/page") } }

    // MARK: - Failures

    @Test(
        "A list over the limit fails the part without a call, by default as an upstream's",
        arguments: [(false, 502), (true, 400)])
    func tooMany(isClients: Bool, status: Int) throws {
        add { [lists] in
            Part.forEach(1...4, from: isClients ? .client : .upstream, limit: 3) {
                lists.rx.request(.tag("\($0)")).fragment()
            }
        }
        let reply = try reply
        #expect(reply.status == status)
        #expect(reply["/errors/0/part"] == #""tags""#)
        #expect(reply["/errors/0/reason"] == #""decode_error""#)
        #expect(reply.message == "tags was not requested: the list has more than 3 elements")
        #expect(bench.targets.isEmpty)
    }

    @Test("An endless list is read up to the limit")
    func endless() throws {
        add { [lists] in
            Part.forEach(0..., limit: 3) { lists.rx.request(.tag("\($0)")).fragment() }
        }
        #expect(try reply.status == 502)
    }

    @Test(
        "A number out of its range is the endpoint's fault",
        arguments: [
            (0, 1, nil, "forEach: limit: 0 is not between 1 and 1000"),
            (1001, 1, nil, "forEach: limit: 1001 is not between 1 and 1000"),
            (1, 65, nil, "forEach: concurrency: 65 is not between 1 and 64"),
            (3, 1, 4, "forEach: atLeast is more than limit"),
        ] as [(Int, Int, Int?, String)])
    func ranges(limit: Int, concurrency: Int, atLeast: Int?, message: String) throws {
        add([], limit: limit, concurrency: concurrency, atLeast: atLeast)
        #expect(try reply.status == 500)
        #expect(bench.incidents.map { "\($0.error)" } == [message])
        #expect(bench.incidents.map(\.part) == ["tags"])
    }

    @Test(
        "A failed item is told with its index, is null or dropped, and makes the answer partial",
        arguments: [(true, "[1,3]"), (false, "[1,null,3]")])
    func failedItem(drops: Bool, data: String) throws {
        add(["a", "b", "c"], drops ? .drop : .null)
        bench.upstream("/tags/a", .data("1"))
        bench.upstream("/tags/b", .response(404))
        bench.upstream("/tags/c", .data("3"))
        let reply = try reply
        #expect(reply.status == 200)
        #expect(reply["/code"] == #""PARTIAL""#)
        #expect(reply["/data/tags"] == data)
        #expect(reply["/meta/complete"] == "false")
        #expect(reply["/meta/parts/tags"] == #""success""#)
        #expect(reply["/errors/0/part"] == #""tags[1]""#)
        #expect(reply["/errors/0/kind"] == #""requestErr""#)
        #expect(reply["/errors/1"] == nil)
        #expect(reply.fields["Proxy-Status"] == #"sluice; received-status=404; details="tags[1]""#)
        #expect(reply.fields[.cacheControl] == "no-store")
    }

    @Test("With fail, the first failure fails the part and cancels the other calls")
    func failsAll() throws {
        add(["a", "b"], .fail)
        bench.upstream("/tags/a", .silence)
        bench.upstream("/tags/b", .response(503, fields: [.retryAfter: "3"]))
        let reply = try reply
        #expect(reply.status == 503)
        #expect(reply.fields[.retryAfter] == "3")
        #expect(reply["/errors/0/message"] == #""element 1: the upstream answered with status 503""#)
        #expect(bench.transport.inFlight == 0)
    }

    @Test(
        "Fewer successes than atLeast, by default one, fail the part",
        arguments: [
            (nil, ["x", "x", "y"], 404), (2, ["a", "x"], 404), (1, [], 502), (2, ["a", "a"], 200),
            (0, ["x", "y"], 200), (0, [], 200), (nil, [], 200),
        ] as [(Int?, [String], Int)])
    func quorum(atLeast: Int?, names: [String], status: Int) throws {
        add(names, atLeast: atLeast)
        bench.upstream("/tags/a", .data("1"))
        bench.upstream("/tags/x", .response(404))
        bench.upstream("/tags/y", .response(404))
        let reply = try reply
        #expect(reply.status == status)
        if names.isEmpty, status == 200 {
            #expect(reply["/code"] == #""OK""#)
            #expect(reply["/data/tags"] == "[]")
        }
        if status == 404 {
            #expect(reply["/errors/0/part"] == #""tags""#)
            #expect(reply["/errors/0/message"]?.contains("elements succeeded;") == true)
            #expect(reply["/errors/1"] == nil)
        }
    }

    @Test("A part of which all items fail is null or its fallback, as its policy says")
    func policies() throws {
        bench.gateway.get("/page") { [lists] _ in
            let tags = Part.forEach(["a", "b"]) { lists.rx.request(.tag($0)).fragment() }
            return .parts(optional: tags.optional(), fallback: tags.fallback([]))
        }
        bench.transport.answer(.response(500))
        let reply = try reply
        #expect(reply["/code"] == #""PARTIAL""#)
        #expect(reply["/data"] == #"{"optional":null,"fallback":[]}"#)
        #expect(bench.transport.attempts.count == 4)
    }

    private struct Broken: Error {}

    @Test("An error of the handler fails its item, and an unexpected error is reported once for the part")
    func thrown() throws {
        add { [lists] in
            Part.forEach(["a", "b", "c", "d"]) { name in
                if name == "b" { throw GatewayError.notFound("b is missing") }
                if name > "b" { throw Broken() }
                return lists.rx.request(.tag(name)).fragment()
            }
        }
        bench.upstream("/tags/a", .data("1"))
        let reply = try reply
        #expect(reply["/data/tags"] == "[1,null,null,null]")
        #expect(reply["/errors/0/message"] == #""b is missing""#)
        #expect(reply["/errors/1/message"] == #""the gateway failed to make this part""#)
        #expect(bench.incidents.map(\.part) == ["tags[2]"])
    }

    @Test("At the deadline the part fails with it, no further call is made, and no call is left")
    func deadline() throws {
        add(["a", "b", "c"], concurrency: 2)
        bench.transport.answer(.silence)
        let pending = try bench.ask(.get, "/page")
        bench.time.advance(by: .seconds(5))
        let reply = try pending.reply()
        #expect(reply.status == 504)
        #expect(reply["/errors/0/part"] == #""tags""#)
        #expect(reply["/errors/0/reason"] == #""deadline_exceeded""#)
        #expect(bench.transport.inFlight == 0)
        #expect(bench.targets == ["/tags/a", "/tags/b"])
    }

    @Test("Once the client has left, no further call is made, and no call is left")
    func cancelled() throws {
        add(["a", "b", "c"], concurrency: 2)
        bench.transport.answer(.data("1", after: .seconds(1)))
        let pending = try bench.ask(.get, "/page")
        #expect(bench.transport.inFlight == 2)
        pending.dispose()
        #expect(bench.transport.inFlight == 0)
        bench.time.advance(by: .seconds(3))
        #expect(bench.targets == ["/tags/a", "/tags/b"])
        #expect(bench.time.pending == 0)
    }

    @Test("If the upstream's circuit is open, the answer has its 503 once no item could be called")
    func openCircuit() throws {
        add(["a", "b"])
        bench.transport.answer(.failure(.circuitOpen))
        let reply = try reply
        #expect(reply.status == 503)
        #expect(reply["/errors/0/reason"] == #""circuit_open""#)
        #expect(reply["/errors/1"] == nil)
    }

    // MARK: - Order and number

    @Test(
        "Items keep their order whatever the order of arrivals, and equal GETs are made once",
        arguments: 0..<6)
    func order(number: Int) throws {
        add(["a", "b", "a", "c"])
        var rest = [1, 2, 3]
        let delays = [number % 3, number / 3 % 2, 0].map { Duration.seconds(rest.remove(at: $0)) }
        for (name, delay) in zip(["a", "b", "c"], delays) {
            bench.upstream("/tags/\(name)", .data("\"\(name)\"", after: delay))
        }
        let pending = try bench.ask(.get, "/page")
        bench.time.advance(by: .seconds(3))
        #expect(try pending.reply()["/data/tags"] == #"["a","b","a","c"]"#)
        #expect(bench.targets == ["/tags/a", "/tags/b", "/tags/c"])
    }

    @Test("Each item makes its call if that is a POST, or if its response is decoded")
    func otherCalls() throws {
        bench.gateway.get("/page") { [lists] _ in
            .parts(
                created: Part.forEach(["a", "a"]) { lists.rx.request(.create($0)).fragment() },
                decoded: Part.forEach(["a", "a"]) { lists.rx.request(.tag($0)).map(Int.self) })
        }
        bench.transport.answer(.data("1"))
        #expect(try reply["/data"] == #"{"created":[1,1],"decoded":[1,1]}"#)
        #expect(bench.transport.attempts.count == 4)
    }

    @Test("Equal GETs of which different values are wanted are made for each item")
    func places() throws {
        add { [lists] in
            Part.forEach(["/a", "/b"]) { place in
                try lists.rx.request(.tag("x")).fragment(at: JSONPointer(place))
            }
        }
        bench.upstream("/tags/x", .data(#"{"a":1,"b":2}"#))
        #expect(try reply["/data/tags"] == "[1,2]")
        #expect(bench.transport.attempts.count == 2)
    }

    @Test("No more calls run at a time than concurrency says, and the next starts as one ends")
    func concurrency() throws {
        add(["1", "2", "3", "4", "5"], concurrency: 2)
        bench.transport.answer(.data("1", after: .seconds(1)))
        let pending = try bench.ask(.get, "/page")
        var inFlight: [Int] = []
        for _ in 0..<3 {
            inFlight.append(bench.transport.inFlight)
            bench.time.advance(by: .seconds(1))
        }
        #expect(inFlight == [2, 2, 1])
        #expect(try pending.reply()["/data/tags"] == "[1,1,1,1,1]")
    }

    @Test("A thousand items whose calls answer at once take several turns and no deep stack")
    func many() throws {
        add((0..<1000).map { "\($0)" }, limit: 1000, concurrency: 1)
        bench.transport.answer(.data("1"))
        let pending = try bench.ask(.get, "/page")
        #expect(pending.count == 0)
        bench.time.advance(by: .seconds(1))
        #expect(try pending.reply()["/data/tags/999"] == "1")
        #expect(bench.transport.attempts.count == 1000)
    }

    // MARK: - After other calls

    @Test("A list of an earlier call is waited for, and its failure is the part's")
    func afterCall() throws {
        add { [lists] in
            Part.forEach(lists.rx.request(.list).map([String].self), limit: 2) {
                lists.rx.request(.tag($0)).fragment()
            }
        }
        bench.upstream("/list", .response(404))
        let missing = try reply
        #expect(missing.status == 404)
        #expect(missing.message == "tags was not found")
        bench.upstream("/list", .data(#"["a","b","c"]"#))
        #expect(try reply.message == "tags was not requested: the list has more than 2 elements")
        bench.upstream("/list", .data(#"["a","b"]"#, after: .seconds(1)))
        bench.upstream("/tags/a", .data("1", after: .seconds(1)))
        bench.upstream("/tags/b", .data("2", after: .seconds(1)))
        let pending = try bench.ask(.get, "/page")
        bench.time.advance(by: .seconds(2))
        let complete = try pending.reply()
        #expect(complete["/data/tags"] == "[1,2]")
        #expect(complete.summary.parts.map(\.calls.count) == [3])
    }

    @Test("A step may call for items, and its array has null for those that failed")
    func step() throws {
        bench.gateway.get("/page") { [lists] _ in
            .first(tags: Part.forEach(["a", "b"]) { lists.rx.request(.tag($0)).fragment() }).then { first in
                let tags = try first.tags
                return .parts(tags: tags)
            }
        }
        bench.upstream("/tags/a", .data("1"))
        bench.upstream("/tags/b", .response(404))
        #expect(try reply["/data/tags"] == "[1,null]")
    }

    // MARK: - The same as a file

    /// Adds `/page` with a list and its tags, as a file declares it.
    private static func plan(on bench: Bench, _ failure: PlannedItems.Failure, atLeast: Int?) throws {
        try bench.page([
            bench.part("list", "/list"),
            bench.part("tags", "/tags/{item}", .optional) { call in
                var items = PlannedItems(reference("parts.list"))
                items.failure = failure
                items.concurrency = 2
                items.atLeast = atLeast
                call.items = items
            },
        ])
    }

    private static func handle(on bench: Bench, _ failure: ItemFailurePolicy, atLeast: Int?) {
        let lists = bench.lists()
        bench.gateway.get("/page", .deadline(.seconds(5))) { _ in
            let list = lists.rx.request(.list).fragment().share()
            let names = list.map { try $0.decode([String].self) }
            return .parts(
                list: list,
                tags: Part.forEach(names, concurrency: 2, itemFailure: failure, atLeast: atLeast) { name in
                    lists.rx.request(.tag(name)).fragment()
                }.optional())
        }
    }

    private static let late = Duration.seconds(1)

    @Test(
        "A file and a handler answer with the same bytes and make the same calls",
        arguments: [
            (#"["a","b","a"]"#, .data("2", after: Self.late), nil), ("[]", .data("2"), nil),
            ("[]", .data("2"), 1), (#"["a","b"]"#, .response(404), nil), (#"["b","b"]"#, .response(500), nil),
            (#"["b","a"]"#, .response(503, fields: [.retryAfter: "3"]), 2),
            (#"["a","b"]"#, .json("["), nil), (#"["b","a","c"]"#, .silence, nil), (#"["b"]"#, .silence, nil),
            (#"["a","b"]"#, .failure(.connectionTerminated, after: Self.late), nil),
            (#"["a","b"]"#, .response(204), nil), (#"["b","a"]"#, .failure(.circuitOpen), 0),
        ] as [(String, StubTransport.Answer, Int?)])
    func sameBytes(list: String, second: StubTransport.Answer, atLeast: Int?) throws {
        let failures: [(PlannedItems.Failure, ItemFailurePolicy)] = [
            (.null, .null), (.drop, .drop), (.fail, .fail),
        ]
        for (planned, handled) in failures {
            let ways: [(Bench) throws -> Void] = [
                { try Self.plan(on: $0, planned, atLeast: atLeast) },
                { Self.handle(on: $0, handled, atLeast: atLeast) },
            ]
            let answers = try ways.map { declare in
                let bench = Bench()
                try declare(bench)
                bench.upstream("/list", .data(list))
                bench.upstream("/tags/a", .data("1"))
                bench.upstream("/tags/b", second)
                bench.upstream("/tags/c", .data("3"))
                let pending = try bench.ask(.get, "/page", fields: [.xRequestID: "r1"])
                bench.time.advance(by: .seconds(6))
                let reply = try pending.reply()
                return (reply.body, reply.status, reply.fields["Proxy-Status"], bench.targets)
            }
            #expect(answers[0].0 == answers[1].0)
            #expect(answers[0].1 == answers[1].1)
            #expect(answers[0].2 == answers[1].2)
            #expect(answers[0].3 == answers[1].3)
        }
    }
}
