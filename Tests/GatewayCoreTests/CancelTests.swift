import GatewayCore
import HTTPModel
import Networking
import Rx
import RxTesting
import Testing

@Suite("A request that is cancelled", .noLeaks)
struct CancelTests {
    private let bench = Bench()

    private func start(_ target: String) throws -> any OngoingRequest {
        let target = try #require(RequestTarget(target))
        let head = HTTPRequestHead(method: .get, target: target, fields: [.xRequestID: "r"])
        let ongoing = try bench.gateway.responder().respond(to: ReceivedRequest(head: head)) { _ in
            Issue.record("a cancelled request is not answered")
        }
        return try #require(ongoing)
    }

    private func milliseconds(_ duration: Duration) -> Double {
        (duration / .milliseconds(1)).rounded()
    }

    @Test("It tells its id, its route and its parts: how they ended, and those that had not as cancelled")
    func parts() throws {
        bench.gateway.get("/page/{id}") { [diary = bench.diary] _ in
            .parts(
                recent: diary.rx.request(.recent).fragment(), total: diary.rx.request(.total).fragment(),
                stuck: Single<Int>.never())
        }
        bench.upstream("/recent", .data("1", after: .milliseconds(20)))
        bench.upstream("/total", .response(404))
        let ongoing = try start("/page/7")
        bench.time.advance(by: .milliseconds(50))
        let summary = ongoing.cancel()
        #expect(summary.requestID == "r")
        #expect(summary.route == "/page/{id}")
        #expect(summary.status == 499)
        #expect(summary.code == "CANCELLED")
        #expect(milliseconds(summary.elapsed) == 50)
        #expect(summary.parts.map(\.name) == ["recent", "total", "stuck"])
        #expect(summary.parts.map(\.kind) == ["success", "requestErr", "cancelled"])
        #expect(summary.parts.map { milliseconds($0.elapsed) } == [20, 0, 50])
        #expect(bench.time.pending == 0)
        #expect(bench.transport.inFlight == 0)
        // Ended is ended; who it was can still be asked.
        let again = ongoing.cancel()
        #expect(again.requestID == "r")
        #expect(again.route == "/page/{id}")
        #expect(again.parts.isEmpty)
    }

    @Test("Steps that were done are told, and a call that a handler makes itself is no part")
    func steps() throws {
        bench.gateway.get("/steps") { [diary = bench.diary] _ in
            .first(first: diary.rx.request(.recent).fragment())
                .then { .parts(total: diary.rx.request(.total).fragment()) }
        }
        bench.gateway.get("/single") { _ in Single<Answer>.never() }
        bench.upstream("/recent", .data("1"))
        bench.upstream("/total", .data("2", after: .seconds(4)))
        let steps = try start("/steps").cancel()
        #expect(steps.parts.map(\.name) == ["first", "total"])
        #expect(steps.parts.map(\.kind) == ["success", "cancelled"])
        let single = try start("/single").cancel()
        #expect(single.route == "/single")
        #expect(single.parts.isEmpty)
        #expect(bench.time.pending == 0)
        #expect(bench.transport.inFlight == 0)
    }
}
