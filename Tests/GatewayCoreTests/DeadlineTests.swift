import GatewayCore
import HTTPModel
import JSONBytes
import Networking
import NetworkingTesting
import Rx
import RxTesting
import TestWaiting
import Testing

@Suite("The endpoint's deadline", .noLeaks)
struct DeadlineTests {
    private let bench = Bench()

    @Test(
        "After 15 s an unfinished part fails with deadline_exceeded; a finished part keeps its outcome"
    )
    func required() throws {
        bench.gateway.get("/page", .onFailure(.wait)) { [diary = bench.diary] _ in
            .parts(
                recent: diary.rx.request(.recent).fragment(), stuck: Single<Int>.never(),
                total: diary.rx.request(.total).fragment())
        }
        bench.upstream("/recent", .data("1"))
        bench.upstream("/total", .response(404))
        let pending = try bench.ask(.get, "/page", fields: [.xRequestID: "r"])
        bench.time.advance(by: .milliseconds(14_999))
        #expect(pending.count == 0)
        bench.time.advance(by: .milliseconds(1))
        let reply = try pending.reply()
        #expect(reply.status == 504)
        #expect(
            reply.body
                == #"{"code":"UPSTREAM_TIMEOUT","message":"stuck did not answer in time","status":504,"#
                + #""data":null,"errors":[{"part":"stuck","kind":"networkFail","reason":"deadline_exceeded","#
                + #""status":null,"message":"not completed by the request's deadline","attempts":0,"elapsedMs":15000,"#
                + #""retryable":true},{"part":"total","kind":"requestErr","reason":"upstream_status","status":404,"#
                + #""message":"the upstream answered with status 404","attempts":1,"elapsedMs":0,"retryable":false}],"#
                + #""meta":{"requestId":"r","complete":false,"elapsedMs":15000.0,"#
                + #""parts":{"recent":"success","stuck":"networkFail","total":"requestErr"}}}"#)
        #expect(bench.time.pending == 0)
        #expect(bench.transport.inFlight == 0)
    }

    @Test(
        "A deadline beyond 292 years never fires; a zero or negative deadline fires at once",
        arguments: [
            (.seconds(9_223_372_036) + .milliseconds(900), 200), (.seconds(Int64.max), 200),
            (.seconds(Int64.min), 504), (.seconds(-9_223_372_036) - .milliseconds(900), 504), (.zero, 504),
        ] as [(Duration, Int)])
    func extremes(_ deadline: Duration, _ status: Int) throws {
        bench.gateway.get("/page", .deadline(deadline)) { [diary = bench.diary] _ in
            .parts(recent: diary.rx.request(.recent).fragment())
        }
        bench.upstream("/recent", .data("1", after: .seconds(4)))
        let pending = try bench.ask(.get, "/page")
        bench.time.advance(by: .seconds(5))
        #expect(try pending.reply().status == status)
    }

    @Test("A late optional part makes the answer partial at the deadline")
    func optional() throws {
        bench.gateway.get("/page", .deadline(.seconds(3))) { [diary = bench.diary] _ in
            .parts(
                recent: diary.rx.request(.recent).fragment(),
                total: diary.rx.request(.total).fragment().fallback("late"))
        }
        bench.upstream("/recent", .data("1"))
        bench.upstream("/total", .data("2", after: .seconds(4)))
        let pending = try bench.ask(.get, "/page")
        bench.time.advance(by: .seconds(3))
        let reply = try pending.reply()
        #expect(reply.status == 200)
        #expect(reply["/code"] == #""PARTIAL""#)
        #expect(reply["/data"] == #"{"recent":1,"total":"late"}"#)
        #expect(reply["/errors/0/reason"] == #""deadline_exceeded""#)
        #expect(reply.fields[.proxyStatus] == #"sluice; error=http_response_timeout; details="total""#)
        #expect(bench.transport.inFlight == 0)
        bench.time.advance(by: .seconds(60))
        #expect(pending.count == 1)
    }

    @Test(
        "If a handler never answers, the answer is 504 at the deadline",
        arguments: ["/async", "/single"])
    func handlers(_ path: String) throws {
        bench.gateway.get("/async") { _ in
            for await _ in AsyncStream<Void>.makeStream().stream {}
            return .json(1)
        }
        bench.gateway.get("/single") { _ in Single<Answer>.never() }
        let pending = try bench.ask(.get, path)
        bench.time.advance(by: .seconds(15))
        let reply = try pending.reply()
        #expect(reply.status == 504)
        #expect(reply["/code"] == #""UPSTREAM_TIMEOUT""#)
        #expect(reply["/message"] == #""The answer was not ready within 15000 ms""#)
        #expect(reply["/errors"] == nil)
        #expect(bench.incidents.isEmpty)
    }

    @Test("A handler that returns after the deadline starts no calls")
    func lateHandler() async throws {
        let (gate, opener) = AsyncStream<Void>.makeStream()
        let left = Signal()
        let asked = Flag()
        bench.gateway.get("/late") { _ in
            // This handler ignores its cancellation.
            await Task.detached { for await _ in gate { break } }.value
            let answer = Canary(left)
            let source = Single<Int>.create { observer in
                asked.set()
                observer(.success(answer.value))
                return Disposables.create()
            }
            return .parts(a: source)
        }
        let pending = try bench.ask(.get, "/late")
        bench.time.advance(by: .seconds(15))
        opener.yield()
        try await left.wait()
        #expect(try pending.reply().status == 504)
        #expect(!asked.isSet)
    }

    @Test("The deadline covers steps and parts together")
    func steps() throws {
        bench.gateway.get("/page", .deadline(.seconds(3))) { [diary = bench.diary] _ in
            .first(write: diary.rx.request(.recent).fragment())
                .then { .parts(total: diary.rx.request(.total).fragment()) }
        }
        bench.upstream("/recent", .data("1", after: .seconds(2)))
        bench.upstream("/total", .data("2", after: .seconds(2)))
        let pending = try bench.ask(.get, "/page")
        bench.time.advance(by: .seconds(3))
        let reply = try pending.reply()
        #expect(reply.status == 504)
        #expect(reply["/errors/0/part"] == #""total""#)
        #expect(reply["/errors/0/elapsedMs"] == "1000")
        bench.upstream("/recent", .data("1", after: .seconds(4)))
        let late = try bench.ask(.get, "/page")
        bench.time.advance(by: .seconds(3))
        #expect(try late.reply()["/errors/0/part"] == #""write""#)
        #expect(bench.transport.inFlight == 0)
        #expect(bench.time.pending == 0)
    }

    @Test(
        "A part cut off by the deadline has its attempts and its own time, in the errors, the log and the timeline",
        arguments: [false, true])
    func attemptsAndTime(isTimed: Bool) throws {
        var limits = GatewayLimits()
        limits.allowsTimeline = true
        var retry = CallRetryPolicy()
        retry.backoff = .none
        let bench = Bench(limits: limits, retry: retry)
        bench.gateway.get("/page", .deadline(.seconds(5))) { [diary = bench.diary] _ in
            .first(write: diary.rx.request(.recent).fragment())
                .then {
                    .parts(
                        call: diary.rx.request(.total).fragment(),
                        chain: diary.rx.request(.recent).fragment()
                            .flatMap { _ in diary.rx.request(.total).fragment() },
                        quick: diary.rx.request(.recent).fragment(), idle: Single<Int>.never())
                }
        }
        bench.upstream("/recent", .data("1", after: .seconds(2)))
        bench.transport.answer("/food-diary/total", .response(503, after: .milliseconds(500)), .silence)
        let pending = try bench.ask(.get, "/page", fields: isTimed ? [.prefer: "timeline"] : [:])
        bench.time.advance(by: .seconds(5))
        let reply = try pending.reply()
        #expect(reply.status == 504)
        let errors = try #require(try reply.json()[member: "errors"]).elements
        #expect(errors.map { $0[member: "part"]?.stringValue } == ["call", "chain", "idle"])
        #expect(errors.map { $0[member: "elapsedMs"]?.intValue } == [3000, 3000, 3000])
        #expect(errors.map { $0[member: "attempts"]?.intValue } == [2, 2, 0])
        #expect(errors.map { $0[member: "notRetried"]?.stringValue } == ["deadline", "deadline", nil])
        let parts = reply.summary.loggedParts
        #expect(parts.map(\.name) == ["write", "call", "chain", "quick", "idle"])
        #expect(parts.map(\.milliseconds) == [2000, 3000, 3000, 2000, 3000])
        #expect(parts.map(\.attempts) == [nil, 2, 2, nil, 0])
        let timing = reply.fields[.serverTiming]
        #expect((timing?.contains("call;dur=3000.000") ?? false) == isTimed, "\(timing ?? "")")
    }

    @Test("A part that fails after steps has the time since it began")
    func failureAfterSteps() throws {
        bench.gateway.get("/page") { [diary = bench.diary] _ in
            .first(write: diary.rx.request(.recent).fragment())
                .then {
                    .parts(
                        broken: diary.rx.request(.recent).fragment()
                            .flatMap { _ in Single<Int>.error(GatewayError.conflict("taken")) })
                }
        }
        bench.upstream("/recent", .data("1", after: .seconds(2)))
        let pending = try bench.ask(.get, "/page")
        bench.time.advance(by: .seconds(4))
        let reply = try pending.reply()
        #expect(reply.status == 409)
        #expect(reply["/errors/0/elapsedMs"] == "2000")
        #expect(reply.summary.loggedParts.map(\.milliseconds) == [2000, 2000])
    }

    @Test("A call with a longer timeout ends at the request's deadline with deadline_exceeded")
    func calls() throws {
        var policy = CallPolicy()
        policy.retry = .never
        policy.totalTimeout = .seconds(60)
        policy.attemptLimits.firstByte = .seconds(60)
        let slow = bench.gateway.provider(DiaryAPI.self, upstream: "diary", policy: policy)
        bench.gateway.get("/page", .deadline(.seconds(20))) { _ in
            .parts(a: slow.rx.request(.recent).fragment())
        }
        bench.upstream("/recent", .silence)
        let pending = try bench.ask(.get, "/page")
        bench.time.advance(by: .seconds(20))
        let reply = try pending.reply()
        #expect(reply.status == 504)
        #expect(reply["/errors/0/reason"] == #""deadline_exceeded""#)
        #expect(bench.transport.attempts.first?.isCancelled == true)
        #expect(bench.time.pending == 0)
    }
}

/// Signals its deallocation.
private final class Canary: Sendable {
    private let gone: Signal

    init(_ gone: Signal) {
        self.gone = gone
    }

    deinit { gone.fire() }

    var value: Int { 1 }
}
