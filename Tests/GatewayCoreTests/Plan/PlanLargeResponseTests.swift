import EndpointPlans
import HTTPModel
import JSONBytes
import Locking
import Networking
import NetworkingTesting
import Rx
import RxTesting
import Testing

@testable import GatewayCore

@Suite("Responses that take long to work on", .noLeaks)
struct PlanLargeResponseTests {
    private let work = HeldWork()
    private let bench: Bench

    init() {
        let work = work
        bench = Bench { work.submit($0) }
    }

    private static let padding = String(repeating: "x", count: 200_000)

    /// Does the work that waits now, and what follows on the loop.
    private func run() {
        work.run()
        bench.time.advance(by: .milliseconds(1))
    }

    /// Adds a part that reads a large one, whose answer has `b` behind much else.
    private func reader(_ part: PlannedPart) throws {
        bench.upstream("/big", .data("{\"a\":\"\(Self.padding)\",\"b\":7,\"list\":[1,2,2]}"))
        bench.upstream("/users/7", .data("\"name\""))
        try bench.page([bench.part("big", "/big").hidden(), part])
    }

    @Test("What parts read in a large response is looked up apart from the loop, and so is its shape made")
    func largeResponse() throws {
        try bench.page(
            "/large",
            [
                bench.part("big", "/big").shaped { $0.kept = ["name"] },
                bench.part("other", "/big").shaped { $0.kept = ["name"] },
                PlannedPart("names", .value(value("{parts.big[*].name}"))),
            ])
        let text = String(repeating: "x", count: 200_000)
        bench.upstream("/big", .data("[{\"name\":\"a\",\"x\":\"\(text)\"},{}]"))
        let pending = try bench.ask(.get, "/large")
        #expect(work.count == 2)
        work.run()
        bench.time.advance(by: .milliseconds(1))
        #expect(pending.count == 0)
        #expect(work.count == 1)
        work.run()
        bench.time.advance(by: .milliseconds(1))
        #expect(
            try pending.reply()["/data"]
                == #"{"big":[{"name":"a"},{}],"other":[{"name":"a"},{}],"names":["a"]}"#)
    }

    @Test("A call that reads a large response is made apart from the loop, and sent on it")
    func call() throws {
        try reader(bench.part("user", "/users/{parts.big.b}"))
        let pending = try bench.ask(.get, "/page")
        work.run()
        #expect(bench.targets == ["/big"])
        bench.time.advance(by: .milliseconds(1))
        #expect(bench.targets == ["/big", "/users/7"])
        #expect(try pending.reply()["/data"] == #"{"user":"name"}"#)
    }

    @Test("A condition in a large response is looked up apart from the loop")
    func condition() throws {
        try reader(bench.part("user", "/users/7").when("parts.big.missing"))
        let pending = try bench.ask(.get, "/page")
        #expect(work.count == 1)
        run()
        #expect(bench.targets == ["/big"])
        #expect(try pending.reply()["/data"] == #"{"user":null}"#)
    }

    @Test("The elements of a list in a large response are read apart from the loop")
    func elements() throws {
        bench.transport.answer(.data("0"))
        try reader(
            bench.part("user", "/users/{item}") { $0.items = PlannedItems(reference("parts.big.list")) })
        let pending = try bench.ask(.get, "/page")
        #expect(work.count == 1)
        run()
        #expect(bench.targets == ["/big", "/users/1", "/users/2"])
        #expect(try pending.reply()["/data"] == #"{"user":[0,0,0]}"#)
    }

    @Test("The request for a large element is made apart from the loop, and the next ones follow it")
    func largeElement() throws {
        bench.transport.answer(.data("0"))
        bench.upstream("/big", .data("[{\"id\":1},{\"a\":\"\(Self.padding)\",\"id\":2},{\"id\":3}]"))
        try bench.page([
            bench.part("big", "/big").hidden(),
            bench.part("user", "/users/{item.id}") { $0.items = PlannedItems(reference("parts.big")) },
        ])
        let pending = try bench.ask(.get, "/page")
        run()
        #expect(bench.targets == ["/big", "/users/1"])
        #expect(work.count == 1)
        run()
        #expect(bench.targets == ["/big", "/users/1", "/users/2", "/users/3"])
        #expect(try pending.reply()["/data"] == #"{"user":[0,0,0]}"#)
    }

    @Test("Large responses for elements are put together apart from the loop")
    func items() throws {
        bench.upstream("/big", .data("{\"id\":7,\"a\":\"\(Self.padding)\"}"))
        try bench.page([
            PlannedPart("list", .value(.array([.constant(.null), .constant(.null)]))).hidden(),
            bench.part("user", "/big") { $0.items = PlannedItems(reference("parts.list")) }
                .shaped { $0.kept = ["id"] },
        ])
        let pending = try bench.ask(.get, "/page")
        #expect(pending.count == 0)
        #expect(work.count == 1)
        run()
        #expect(bench.targets == ["/big"])
        #expect(try pending.reply()["/data"] == #"{"user":[{"id":7},{"id":7}]}"#)
    }

    private func merge() throws -> Pending {
        bench.upstream("/big", .data("{\"a\":\"\(Self.padding)\",\"b\":7}"))
        bench.upstream("/small", .data(#"{"c":8}"#))
        try bench.page([
            bench.part("big", "/big").merged(),
            bench.part("small", "/small").shaped { $0.kept = ["c"] }.merged(),
        ]) { $0.answer.fields = plannedFields(("X-B", text("{parts.big.b}"))) }
        return try bench.ask(.get, "/page")
    }

    @Test("An answer with the members of a large response is written apart from the loop")
    func merged() throws {
        let pending = try merge()
        #expect(pending.count == 0)
        #expect(work.count == 1)
        run()
        let reply = try pending.reply()
        #expect(reply["/data/b"] == "7")
        #expect(reply["/data/c"] == "8")
        #expect(reply.fields["X-B"] == "7")
    }

    @Test("A client that leaves while its answer waits to be written takes the work with it")
    func leaving() throws {
        let pending = try merge()
        pending.dispose()
        run()
        #expect(pending.count == 0)
    }

    @Test("If too much waits, an answer that takes long to write is 503")
    func fullForAnswer() throws {
        work.isFull.withLock { $0 = true }
        let reply = try merge().reply()
        #expect(reply.status == 503)
        #expect(reply["/code"] == #""OVERLOADED""#)
    }

    @Test("If too much waits, a part that reads a large response fails, and the loop does not do its work")
    func full() throws {
        work.isFull.withLock { $0 = true }
        try reader(bench.part("user", "/users/{parts.big.b}"))
        let reply = try bench.ask(.get, "/page").reply()
        #expect(reply.status == 503)
        #expect(reply["/errors/0/reason"] == #""memory_limit""#)
        #expect(reply.fields[.retryAfter] != nil)
        #expect(bench.targets == ["/big"])
    }

    @Test("After the client has left, no call is made of what was read for it")
    func leavingPart() throws {
        try reader(bench.part("user", "/users/{parts.big.b}"))
        let pending = try bench.ask(.get, "/page")
        work.run()
        pending.dispose()
        bench.time.advance(by: .milliseconds(1))
        #expect(bench.targets == ["/big"])
    }
}
