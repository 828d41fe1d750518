import GatewayCore
import HTTPModel
import JSONBytes
import Networking
import NetworkingTesting
import Rx
import RxTesting
import Testing

@Suite("Parts that depend on others", .noLeaks)
struct DependentPartTests {
    private let bench = Bench()

    private struct Recent: Decodable {
        var user: String
    }

    /// A screen whose user depends on the recent entry, beside a total that depends on nothing.
    private func declareScreen() {
        bench.gateway.get("/page", .deadline(.seconds(5))) { [diary = bench.diary] _ in
            let recent = diary.rx.request(.recent).fragment().share()
            return .parts(
                recent: recent,
                total: diary.rx.request(.total).fragment().optional(),
                user: recent.flatMap { recent in
                    diary.rx.request(.user(try recent.decode(Recent.self).user)).fragment()
                }.optional())
        }
    }

    @Test("If the part that another one needs fails, both report its failure, and nothing else is called")
    func failure() throws {
        declareScreen()
        bench.upstream("/recent", .response(404, after: .milliseconds(1)))
        bench.upstream("/total", .data("2"))
        let pending = try bench.ask(.get, "/page")
        bench.time.advance(by: .milliseconds(1))
        let reply = try pending.reply()
        #expect(reply.status == 404)
        #expect(reply.message == "recent was not found")
        #expect(reply["/meta/parts"] == #"{"recent":"requestErr","total":"success","user":"requestErr"}"#)
        #expect(bench.transport.attempts.count == 2)
    }

    @Test(
        "A value without what another part needs fails that part only",
        arguments: [("{}", "decode_error"), (#"{"user":7}"#, "decode_error")])
    func shape(recent: String, reason: String) throws {
        declareScreen()
        bench.upstream("/recent", .data(recent))
        bench.upstream("/total", .data("2"))
        let reply = try bench.answer(.get, "/page")
        #expect(reply["/code"] == #""PARTIAL""#)
        #expect(reply["/errors/0/part"] == #""user""#)
        #expect(reply["/errors/0/reason"] == "\"\(reason)\"")
    }

    @Test(
        "A dependent part begins as soon as the other has ended, beside the rest, and the other is called once"
    )
    func beside() throws {
        declareScreen()
        bench.upstream("/recent", .data(#"{"user":"kim"}"#, after: .seconds(1)))
        bench.upstream("/total", .data("2", after: .seconds(3)))
        bench.upstream("/users/kim", .data(#"{"age":7}"#, after: .seconds(1)))
        let pending = try bench.ask(.get, "/page")
        bench.time.advance(by: .seconds(1))
        #expect(
            bench.transport.attempts.map(\.call.path) == [
                "/food-diary/recent", "/food-diary/total", "/food-diary/users/kim",
            ])
        bench.time.advance(by: .seconds(2))
        let reply = try pending.reply()
        #expect(reply["/data"] == #"{"recent":{"user":"kim"},"total":2,"user":{"age":7}}"#)
        let parts = reply.summary.parts
        #expect(parts.map(\.elapsed) == [.seconds(1), .seconds(3), .seconds(2)])
        #expect(parts.map(\.calls.count) == [1, 1, 1])
    }

    @Test("At the deadline a dependent part that has not begun fails with it")
    func deadline() throws {
        declareScreen()
        bench.upstream("/recent", .silence)
        bench.upstream("/total", .data("2"))
        let pending = try bench.ask(.get, "/page")
        bench.time.advance(by: .seconds(5))
        let reply = try pending.reply()
        #expect(reply.status == 504)
        #expect(reply["/errors/1/reason"] == #""deadline_exceeded""#)
        #expect(bench.transport.inFlight == 0)
    }

    @Test("Steps are read by name, and a name that no step has is an incident")
    func steps() throws {
        for (path, isWrong) in [("/page", false), ("/wrong", true)] {
            bench.gateway.get(path) { [diary = bench.diary] _ in
                .first(recent: diary.rx.request(.recent).fragment()).then { first in
                    let recent = isWrong ? try first.resent : try first.recent
                    let user = try recent.decode(String.self, at: "/user")
                    return .parts(recent: recent, user: diary.rx.request(.user(user)).fragment())
                }
            }
        }
        bench.upstream("/recent", .data(#"{"user":"kim"}"#))
        bench.upstream("/users/kim", .data("7"))
        #expect(try bench.answer(.get, "/page")["/data"] == #"{"recent":{"user":"kim"},"user":7}"#)
        #expect(try bench.answer(.get, "/wrong").status == 500)
        #expect(
            bench.incidents.map { "\($0.error)" }
                == [#"there is no step named resent; did you mean "recent"?"#])
        bench.upstream("/recent", .data("{}"))
        let missing = try bench.answer(.get, "/page")
        #expect(missing.status == 502)
        #expect(missing["/errors/0/reason"] == #""missing_data""#)
    }
}
