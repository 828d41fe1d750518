import GatewayCore
import HTTPModel
import Networking
import NetworkingTesting
import Rx
import RxTesting
import Testing

@Suite("A cancelled request", .noLeaks)
struct CancelTests {
    private let bench = Bench()

    private func start(_ target: String) throws -> any OngoingRequest {
        let target = try #require(RequestTarget(target))
        let head = HTTPRequestHead(method: .get, target: target, fields: [.xRequestID: "r"])
        let ongoing = try bench.gateway.responder().respond(to: ReceivedRequest(head: head)) { _ in
            Issue.record("a cancelled request was answered")
        }
        return try #require(ongoing)
    }

    @Test("The summary of a cancelled request has its id, route and parts; an unfinished part has no outcome")
    func parts() throws {
        bench.gateway.get("/page/{id}") { [diary = bench.diary] _ in
            .parts(
                recent: diary.rx.request(.recent).fragment(),
                total: diary.rx.request(.total).fragment().optional(),
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
        #expect(summary.milliseconds == 50)
        let parts = summary.loggedParts
        #expect(parts.map(\.name) == ["recent", "total", "stuck"])
        #expect(parts.map(\.kind) == [.success, .requestErr, nil])
        #expect(parts.map(\.milliseconds) == [20, 0, 50])
        #expect(bench.time.pending == 0)
        #expect(bench.transport.inFlight == 0)
        // A second cancel still identifies the request.
        let again = ongoing.cancel()
        #expect(again.requestID == "r")
        #expect(again.route == "/page/{id}")
        #expect(again.loggedParts.isEmpty)
    }

    @Test("The summary of a cancelled request lists its steps and parts, but not the pipeline of a handler")
    func steps() throws {
        bench.gateway.get("/steps") { [diary = bench.diary] _ in
            .first(first: diary.rx.request(.recent).fragment())
                .then { .parts(total: diary.rx.request(.total).fragment()) }
        }
        bench.gateway.get("/single") { _ in Single<Answer>.never() }
        bench.upstream("/recent", .data("1"))
        bench.upstream("/total", .data("2", after: .seconds(4)))
        let steps = try start("/steps").cancel().loggedParts
        #expect(steps.map(\.name) == ["first", "total"])
        #expect(steps.map(\.stage) == [0, nil])
        #expect(steps.map(\.kind) == [.success, nil])
        bench.upstream("/recent", .data("1", after: .milliseconds(20)))
        let ongoing = try start("/steps")
        bench.time.advance(by: .milliseconds(50))
        let summary = ongoing.cancel()
        #expect(summary.milliseconds == 50)
        #expect(summary.loggedParts.map(\.milliseconds) == [20, 30])
        let single = try start("/single").cancel()
        #expect(single.route == "/single")
        #expect(single.loggedParts.isEmpty)
        #expect(bench.time.pending == 0)
        #expect(bench.transport.inFlight == 0)
    }
}
