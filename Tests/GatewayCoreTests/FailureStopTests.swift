import EndpointPlans
import GatewayCore
import HTTPModel
import JSONBytes
import Networking
import NetworkingTesting
import Rx
import RxTesting
import Testing

@Suite("A failed required part ends the answer", .noLeaks)
struct FailureStopTests {
    private let bench = Bench()

    private func declare(_ behavior: FailureBehavior? = nil) {
        if let behavior { bench.gateway.defaults(.onFailure(behavior)) }
        bench.gateway.get("/page", .deadline(.seconds(5))) { [diary = bench.diary] _ in
            .parts(
                recent: diary.rx.request(.recent).fragment(), stuck: Single<Int>.never().optional(),
                total: diary.rx.request(.total).fragment())
        }
    }

    @Test("It ends at once; parts that have not ended are cancelled and are not in errors")
    func stop() throws {
        declare()
        bench.upstream("/recent", .data("1", after: .seconds(3)))
        bench.upstream("/total", .response(404, after: .seconds(1)))
        let pending = try bench.ask(.get, "/page")
        bench.time.advance(by: .milliseconds(999))
        #expect(pending.count == 0)
        bench.time.advance(by: .milliseconds(1))
        let reply = try pending.reply()
        #expect(reply.status == 404)
        #expect(reply["/data"] == "null")
        #expect(reply["/errors/0/part"] == #""total""#)
        #expect(reply["/errors/1"] == nil)
        #expect(
            reply["/meta/parts"] == #"{"recent":"cancelled","stuck":"cancelled","total":"requestErr"}"#)
        #expect(reply.fields["Proxy-Status"] == #"sluice; received-status=404; details="total""#)
        #expect(bench.time.pending == 0)
        #expect(bench.transport.inFlight == 0)
    }

    @Test("With onFailure wait, it waits for the parts that have not ended")
    func wait() throws {
        declare(.wait)
        bench.upstream("/recent", .data("1", after: .seconds(3)))
        bench.upstream("/total", .response(404, after: .seconds(1)))
        let pending = try bench.ask(.get, "/page")
        bench.time.advance(by: .milliseconds(4_999))
        #expect(pending.count == 0)
        bench.time.advance(by: .milliseconds(1))
        #expect(
            try pending.reply()["/meta/parts"]
                == #"{"recent":"success","stuck":"networkFail","total":"requestErr"}"#)
    }

    @Test("Of required failures in one wake, the rank decides")
    func rank() throws {
        declare()
        bench.upstream("/recent", .response(404, after: .seconds(1)))
        bench.upstream("/total", .response(503, after: .seconds(1)))
        let pending = try bench.ask(.get, "/page")
        bench.time.advance(by: .seconds(1))
        let reply = try pending.reply()
        #expect(reply.status == 503)
        #expect(
            reply["/meta/parts"] == #"{"recent":"requestErr","stuck":"cancelled","total":"serverErr"}"#)
    }

    @Test("A part that fails before it is sent keeps the parts after it from being sent")
    func unsent() throws {
        declare()
        bench.upstream("/recent", .response(404))
        bench.upstream("/total", .data("1"))
        let reply = try bench.answer(.get, "/page")
        #expect(reply.status == 404)
        #expect(
            reply["/meta/parts"] == #"{"recent":"requestErr","stuck":"cancelled","total":"cancelled"}"#)
        #expect(bench.transport.attempts.count == 1)
        #expect(reply.summary.parts.map { $0.start == nil } == [false, true, true])
    }

    @Test("An optional part that fails ends nothing")
    func optional() throws {
        bench.gateway.get("/page") { [diary = bench.diary] _ in
            .parts(
                recent: diary.rx.request(.recent).fragment().optional(),
                total: diary.rx.request(.total).fragment())
        }
        bench.upstream("/recent", .response(404))
        bench.upstream("/total", .data("1", after: .seconds(1)))
        let pending = try bench.ask(.get, "/page")
        #expect(pending.count == 0)
        bench.time.advance(by: .seconds(1))
        #expect(try pending.reply()["/code"] == #""PARTIAL""#)
    }

    @Test("A step that fails cancels the steps next to it, and nothing more is sent")
    func steps() throws {
        bench.gateway.get("/page") { [diary = bench.diary] _ in
            .first(
                recent: diary.rx.request(.recent).fragment(), stuck: Single<Int>.never()
            ).then { .parts(total: diary.rx.request(.total).fragment()) }
        }
        bench.upstream("/recent", .response(404, after: .seconds(1)))
        let pending = try bench.ask(.get, "/page")
        bench.time.advance(by: .seconds(1))
        let reply = try pending.reply()
        #expect(reply.status == 404)
        #expect(reply["/meta/parts"] == #"{"recent":"requestErr","stuck":"cancelled"}"#)
        #expect(bench.transport.attempts.count == 1)
    }

    @Test("A part that reads the failed one is dependency_failed; the others are cancelled")
    func readers() throws {
        try bench.page([
            bench.part("user", "/users/{parts.recent.user}"), bench.part("recent", "/recent"),
            bench.part("total", "/total"),
        ])
        bench.upstream("/recent", .response(404, after: .seconds(1)))
        bench.upstream("/total", .data("1", after: .seconds(3)))
        let pending = try bench.ask(.get, "/page")
        bench.time.advance(by: .seconds(1))
        let reply = try pending.reply()
        #expect(reply["/errors/0/reason"] == #""dependency_failed""#)
        #expect(reply["/errors/1/part"] == #""recent""#)
        #expect(reply["/errors/2"] == nil)
        #expect(
            reply["/meta/parts"] == #"{"user":"requestErr","recent":"requestErr","total":"cancelled"}"#)
    }

    @Test(
        "A required group ends the answer once atLeast cannot be reached any more",
        arguments: [(2, "cancelled", 404), (1, "success", 200)])
    func group(atLeast: Int, last: String, status: Int) throws {
        try bench.page([
            PlannedPart(
                "g",
                .group(
                    PlannedGroup(
                        [bench.part("a", "/a"), bench.part("b", "/b"), bench.part("c", "/c")],
                        atLeast: atLeast)))
        ])
        bench.upstream("/a", .response(404, after: .seconds(1)))
        bench.upstream("/b", .response(404, after: .seconds(2)))
        bench.upstream("/c", .data("1", after: .seconds(3)))
        let pending = try bench.ask(.get, "/page")
        bench.time.advance(by: .milliseconds(1_999))
        #expect(pending.count == 0)
        bench.time.advance(by: .milliseconds(1))
        #expect(pending.count == (status == 404 ? 1 : 0))
        bench.time.advance(by: .seconds(1))
        let reply = try pending.reply()
        #expect(reply.status == status)
        #expect(
            reply["/meta/parts"] == "{\"g.a\":\"requestErr\",\"g.b\":\"requestErr\",\"g.c\":\"\(last)\"}")
    }

    @Test(
        "A group with a policy that fails cancels its other members, and the answer goes on",
        arguments: [1, 2])
    func optionalGroup(atLeast: Int) throws {
        let members = [bench.part("a", "/a"), bench.part("b", "/b"), bench.part("c", "/c")]
        try bench.page([
            PlannedPart("g", .group(PlannedGroup(members, atLeast: atLeast == 1 ? nil : 3)), .optional),
            bench.part("last", "/last"),
        ])
        bench.upstream("/a", .response(404, after: .seconds(1)))
        bench.upstream("/b", .data("2"))
        bench.upstream("/c", .data("3", after: .seconds(4)))
        bench.upstream("/last", .data("4", after: .seconds(2)))
        let pending = try bench.ask(.get, "/page")
        bench.time.advance(by: .seconds(1))
        #expect(pending.count == 0)
        #expect(bench.transport.inFlight == 1)
        bench.time.advance(by: .seconds(1))
        let reply = try pending.reply()
        #expect(reply.status == 200)
        #expect(reply["/data"] == #"{"g":null,"last":4}"#)
        #expect(reply["/errors/1"] == nil)
        #expect(
            reply["/meta/parts"]
                == #"{"g.a":"requestErr","g.b":"success","g.c":"cancelled","last":"success"}"#)
        #expect(bench.time.pending == 0)
    }

    @Test("A member of a failed group that a part outside reads is not cancelled")
    func readMember() throws {
        try bench.page([
            PlannedPart(
                "g",
                .group(
                    PlannedGroup([
                        bench.part("a", "/a"), bench.part("b", "/b"), bench.part("c", "/c/{parts.g.b.id}"),
                    ])), .optional),
            bench.part("reader", "/reader/{parts.g.b.id}"),
        ])
        bench.upstream("/a", .response(404, after: .seconds(1)))
        bench.upstream("/b", .data(#"{"id":7}"#, after: .seconds(2)))
        bench.upstream("/reader/7", .data("4"))
        let pending = try bench.ask(.get, "/page")
        bench.time.advance(by: .seconds(2))
        let reply = try pending.reply()
        #expect(reply["/data"] == #"{"g":null,"reader":4}"#)
        #expect(
            reply["/meta/parts"]
                == #"{"g.a":"requestErr","g.b":"success","g.c":"cancelled","reader":"success"}"#)
    }

    @Test("A member of a failed group that is read by one that a part outside reads is not cancelled either")
    func readByMember() throws {
        let members = [
            bench.part("a", "/a"), bench.part("b", "/b"), bench.part("c", "/c/{parts.g.b.id}"),
            bench.part("d", "/d/{parts.g.b.id}"),
        ]
        try bench.page([
            PlannedPart("g", .group(PlannedGroup(members)), .optional),
            bench.part("reader", "/reader/{parts.g.c.id}"),
        ])
        bench.upstream("/a", .response(404, after: .seconds(1)))
        bench.upstream("/b", .data(#"{"id":7}"#, after: .seconds(2)))
        bench.upstream("/c/7", .data(#"{"id":8}"#, after: .seconds(1)))
        bench.upstream("/reader/8", .data("4"))
        let pending = try bench.ask(.get, "/page")
        bench.time.advance(by: .seconds(3))
        #expect(
            try pending.reply()["/meta/parts"]
                == #"{"g.a":"requestErr","g.b":"success","g.c":"success","g.d":"cancelled","reader":"success"}"#
        )
    }

    @Test("With onFailure wait, a failed group waits for its members")
    func waitingGroup() throws {
        bench.gateway.defaults(.onFailure(.wait))
        try bench.page([
            PlannedPart(
                "g", .group(PlannedGroup([bench.part("a", "/a"), bench.part("b", "/b")])), .optional)
        ])
        bench.upstream("/a", .response(404))
        bench.upstream("/b", .data("2", after: .seconds(3)))
        let pending = try bench.ask(.get, "/page")
        #expect(pending.count == 0)
        bench.time.advance(by: .seconds(3))
        #expect(try pending.reply()["/meta/parts"] == #"{"g.a":"requestErr","g.b":"success"}"#)
    }

    @Test("A group that fails while its members are started keeps no other part from being sent")
    func earlyGroup() throws {
        try bench.page([
            PlannedPart(
                "g", .group(PlannedGroup([bench.part("a", "/a"), bench.part("b", "/b")])), .optional),
            bench.part("last", "/last"),
        ])
        bench.upstream("/a", .response(404))
        bench.upstream("/b", .data("2"))
        bench.upstream("/last", .data("4"))
        let reply = try bench.answer(.get, "/page")
        #expect(reply["/data"] == #"{"g":null,"last":4}"#)
        #expect(
            reply["/meta/parts"] == #"{"g.a":"requestErr","g.b":"cancelled","last":"success"}"#)
        #expect(bench.transport.attempts.count == 2)
    }

    @Test("A pipeline ends with the first required part that fails; those that have not ended are cancelled")
    func pipeline() throws {
        bench.gateway.get("/page") { [diary = bench.diary] _ in
            Single.zip(
                diary.rx.request(.recent).fragment().part("recent"),
                diary.rx.request(.today).fragment().part("today", .optional),
                diary.rx.request(.total).fragment().part("total")
            ) { .parts($0, $1, $2) }
        }
        bench.upstream("/recent", .data("1", after: .seconds(3)))
        bench.upstream("/today", .response(500, after: .milliseconds(500)))
        bench.upstream("/total", .response(404, after: .seconds(1)))
        let pending = try bench.ask(.get, "/page")
        bench.time.advance(by: .milliseconds(999))
        #expect(pending.count == 0)
        bench.time.advance(by: .milliseconds(1))
        let reply = try pending.reply()
        #expect(reply.status == 404)
        #expect(
            reply["/meta/parts"] == #"{"recent":"cancelled","today":"serverErr","total":"requestErr"}"#)
        #expect(reply["/errors/2"] == nil)
        #expect(bench.time.pending == 0)
    }

    @Test("A pipeline that answers in the wake of a failure decides itself, and so does one that waits")
    func ownAnswer() throws {
        bench.gateway.get("/value") { [diary = bench.diary] _ in
            diary.rx.request(.recent).fragment().part("recent").map { recent in
                if recent.failure != nil { .json(["none": true]) } else { .parts(recent) }
            }
        }
        bench.gateway.get("/wait", .onFailure(.wait)) { [diary = bench.diary] _ in
            Single.zip(
                diary.rx.request(.recent).fragment().part("recent"),
                diary.rx.request(.total).fragment().part("total")
            ) { .parts($0, $1) }
        }
        bench.upstream("/recent", .response(404))
        bench.upstream("/total", .data("2", after: .seconds(3)))
        #expect(try bench.answer(.get, "/value")["/data"] == #"{"none":true}"#)
        let pending = try bench.ask(.get, "/wait")
        bench.time.advance(by: .seconds(3))
        #expect(try pending.reply()["/meta/parts"] == #"{"recent":"requestErr","total":"success"}"#)
    }

    @Test("The answer does not wait for a write that has not ended")
    func writes() throws {
        try bench.page([
            bench.part("recent", "/recent"),
            bench.part("saved", "/total") { $0.method = .post },
        ])
        bench.upstream("/recent", .response(404, after: .seconds(1)))
        bench.upstream("/total", .data("1", after: .seconds(2)))
        let pending = try bench.ask(.get, "/page")
        bench.time.advance(by: .seconds(1))
        #expect(try pending.reply()["/meta/parts"] == #"{"recent":"requestErr","saved":"cancelled"}"#)
    }
}
