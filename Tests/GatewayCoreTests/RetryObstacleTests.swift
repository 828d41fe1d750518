import Dispatch
import GatewayCore
import HTTPModel
import Networking
import NetworkingTesting
import Rx
import RxTesting
import Testing

@Suite("Why a part was not retried", .noLeaks)
struct RetryObstacleTests {
    private let bench = Bench(retry: CallRetryPolicy())

    init() {
        bench.gateway.get("/page", .deadline(.seconds(5))) { [diary = bench.diary] _ in
            .parts(recent: diary.rx.request(.recent).fragment())
        }
    }

    private func errors(_ answer: StubTransport.Answer, fields: HTTPFields = HTTPFields()) throws -> String? {
        bench.upstream("/recent", answer)
        let pending = try bench.ask(.get, "/page", fields: fields)
        bench.time.advance(by: .seconds(6))
        return try pending.reply()["/errors"]
    }

    @Test("The obstacle follows the attempts in the part's error, byte for byte")
    func envelope() throws {
        #expect(
            try errors(.response(503, fields: [.retryAfter: "60"]))
                == #"[{"part":"recent","kind":"serverErr","reason":"upstream_status","status":503,"#
                + #""message":"the upstream answered with status 503","attempts":1,"notRetried":"deadline","#
                + #""elapsedMs":0,"retryable":true}]"#)
    }

    @Test("A problem document has the obstacle in its errors too")
    func problem() throws {
        let errors = try errors(
            .failure(.connectionWriteTimeout), fields: [.accept: "application/problem+json"])
        #expect(errors?.contains(#""attempts":1,"notRetried":"reason","elapsedMs":0,"#) == true)
    }

    @Test("An error of a call that was retried as often as its policy allows has no obstacle")
    func absent() throws {
        let errors = try errors(.failure(.connectionTerminated))
        #expect(errors?.contains(#""attempts":3,"elapsedMs":"#) == true, "\(errors ?? "")")
    }

    @Test("A part that failed without a call has no obstacle")
    func noCall() throws {
        bench.gateway.get("/busy", .onFailure(.wait)) { _ in
            .parts(
                own: Single<Int>.error(GatewayError(.upstreamUnavailable, "closed")),
                late: Single<Int>.never())
        }
        let pending = try bench.ask(.get, "/busy")
        bench.time.advance(by: .seconds(20))
        let errors = try #require(try pending.reply()["/errors"])
        #expect(errors.contains(#""part":"own""#) && errors.contains(#""part":"late""#), "\(errors)")
        #expect(!errors.contains("notRetried"), "\(errors)")
    }

    @Test("A part that the request's deadline cuts off during its last attempt has no obstacle")
    func lastAttempt() throws {
        bench.transport.answer(
            "/food-diary/recent", .failure(.connectionTerminated), .failure(.connectionTerminated),
            .data("1", after: .seconds(30)))
        let bench = bench
        bench.gateway.get("/patient", .deadline(.seconds(4))) { [diary = bench.diary] _ in
            .parts(recent: diary.rx.request(.recent).fragment())
        }
        let pending = try bench.ask(.get, "/patient")
        bench.time.advance(by: .seconds(4))
        let reply = try pending.reply()
        #expect(reply["/errors/0/reason"] == #""deadline_exceeded""#)
        #expect(reply["/errors/0/attempts"] == "3")
        #expect(reply["/errors/0/notRetried"] == nil)
    }
}
