import Dispatch
import GatewayCore
import HTTPModel
import JSONBytes
import Locking
import Networking
import NetworkingTesting
import Rx
import RxTesting
import Testing

@Suite("The calls of a timeline", .noLeaks)
struct TimelineCallsTests {
    private let bench = Bench.timed()

    private func page(_ provider: Provider<DiaryAPI>) {
        bench.gateway.get("/page") { _ in
            .parts(recent: provider.rx.request(.recent).fragment(), done: Part.value(true))
        }
    }

    /// Fetches a token before each request and retries a failed request after 4 ms.
    private struct Tokens: RequestInterceptor {
        let diary: Provider<DiaryAPI>

        func adapt(_ request: HTTPRequest) -> Single<HTTPRequest> {
            diary.rx.request(.user("token")).map { _ in request }
        }

        func retry(
            _ request: HTTPRequest, dueTo error: NetworkError, retryCount: Int
        ) -> Single<RetryResult> { .just(.retryWithDelay(.milliseconds(4))) }
    }

    @Test(
        "An interceptor's retry is a separate call, and so is each call that the interceptor makes"
    )
    func interceptors() throws {
        let interceptor = Tokens(diary: bench.diary)
        page(bench.gateway.provider(DiaryAPI.self, upstream: "guarded", interceptor: interceptor))
        bench.upstream("/users/token", .data("0", after: .milliseconds(1)))
        bench.transport.answer(
            "/food-diary/recent", .response(401, after: .milliseconds(2)), .data("1", after: .milliseconds(3))
        )
        let reply = try bench.timed("/page", after: .milliseconds(11))
        #expect(reply.status == 200)
        #expect(
            reply.timeline == [
                "recent 0-11", "  diary GET: 0 new 0 1 1 200 -",
                "  guarded GET: 1 new 1 3 3 401 upstream_status",
                "  diary GET: 7 new 7 8 8 200 -", "  guarded GET: 8 new 8 11 11 200 -", "done 0-0",
            ])
    }

    @Test("A redirect is another call with the same upstream name, even if it leads to another host")
    func redirects() throws {
        var policy = CallPolicy()
        policy.redirects = .follow(hosts: ["other.test"])
        page(bench.gateway.provider(DiaryAPI.self, upstream: "moving", policy: policy))
        bench.upstream(
            "/recent",
            .response(307, fields: [.location: "http://other.test/there"], after: .milliseconds(2)))
        bench.transport.answer("/there", .data("1", after: .milliseconds(3)))
        let reply = try bench.timed("/page", after: .milliseconds(5))
        #expect(reply.status == 200)
        #expect(
            reply.timeline == [
                "recent 0-5", "  moving GET: 0 new 0 2 2 307 -", "  moving GET: 2 new 2 5 5 200 -",
                "done 0-0",
            ])
        #expect(!reply.body.contains("other.test"))
    }

    @Test("Each resubscription is another call; a shared call belongs to the first part that subscribes")
    func subscriptions() throws {
        let diary = bench.diary
        bench.gateway.get("/page") { _ in
            let shared = diary.rx.request(.total).fragment().asObservable().share(replay: 1, scope: .forever)
            return .parts(
                again: diary.rx.request(.recent).fragment().retry(2), one: shared.asSingle(),
                other: shared.asSingle())
        }
        bench.transport.answer(
            "/food-diary/recent", .response(404, after: .milliseconds(1)), .data("1", after: .milliseconds(2))
        )
        bench.upstream("/total", .data("2", after: .milliseconds(4)))
        #expect(
            try bench.timed("/page", after: .milliseconds(4)).timeline == [
                "again 0-3", "  diary GET: 0 new 0 1 1 404 upstream_status", "  diary GET: 1 new 1 3 3 200 -",
                "one 0-4", "  diary GET: 0 new 0 4 4 200 -", "other 0-4",
            ])
    }

    @Test("An idempotent write is listed with its method and each of its attempts")
    func methods() throws {
        let diary = bench.diary
        let date = try #require(CalendarDate("2026-11-20"))
        bench.gateway.put("/page") { _ in
            .first(write: diary.rx.request(.put(date, 70)).fragment()).then { .json(1) }
        }
        bench.transport.answer(
            "/food-diary/weights/2026-11-20", .failure(.connectionTerminated), .response(204))
        #expect(
            try bench.timed("/page", by: .put, after: .milliseconds(5)).timeline == [
                "write 0-5", "  diary PUT: 0 new 0 - 0 - connection_terminated | 5 new 5 5 5 204 -",
            ])
    }

    @Test("A retry that the open circuit refuses is an attempt neither in the timeline nor in the log")
    func refusedRetry() throws {
        page(bench.diary)
        bench.transport.answer(
            "/food-diary/recent", .failure(.connectionTerminated, after: .milliseconds(1)),
            .response(503, after: .milliseconds(2)), .failure(.circuitOpen))
        let reply = try bench.timed("/page", after: .milliseconds(20))
        #expect(reply.status == 503)
        #expect(
            reply.timeline == [
                "recent 0-13",
                "  diary GET: 0 new 0 - 1 - connection_terminated | 6 new 6 8 8 503 upstream_status",
                "done 0-0",
            ])
        let tries = try #require(reply.summary.parts.first?.calls.first?.tries)
        #expect(tries.map(\.reason) == [.connectionTerminated, .upstreamStatus])
        #expect(tries.map(\.start) == [.zero, .milliseconds(6)])
        #expect(tries.map(\.elapsed) == [.milliseconds(1), .milliseconds(2)])
    }

    @Test("The first 64 attempts of a call are in the timeline and in the log, and further ones are counted")
    func manyAttempts() throws {
        var policy = CallPolicy()
        policy.retry.maxAttempts = 70
        policy.retry.backoff = .constant(.milliseconds(1))
        page(bench.gateway.provider(DiaryAPI.self, upstream: "failing", policy: policy))
        bench.transport.answer(.failure(.connectionTerminated))
        let reply = try bench.timed("/page", after: .milliseconds(69))
        let timeline = try #require(reply.timeline)
        #expect(timeline[0] == "recent 0-69 +6")
        #expect(timeline[1].split(separator: " | ").count == 64)
        #expect(timeline[1].hasSuffix(" | 63 new 63 - 63 - connection_terminated"))
        let call = try #require(reply.summary.parts.first?.calls.first)
        #expect(call.attempts == 70)
        #expect(call.tries.count == 64)
        #expect(call.tries.last?.start == .milliseconds(63))
    }

    @Test("Each of two concurrent requests lists only its own calls")
    func requests() throws {
        page(bench.diary)
        bench.transport.answer(
            "/food-diary/recent", .data("1", after: .milliseconds(9)), .response(404, after: .milliseconds(1))
        )
        let first = try bench.ask(.get, "/page", fields: [.prefer: "timeline"])
        bench.time.advance(by: .milliseconds(3))
        let second = try bench.ask(.get, "/page", fields: [.prefer: "timeline"])
        bench.time.advance(by: .milliseconds(6))
        #expect(try first.reply().timeline == ["recent 0-9", "  diary GET: 0 new 0 9 9 200 -", "done 0-0"])
        #expect(
            try second.reply().timeline == [
                "recent 0-1", "  diary GET: 0 new 0 1 1 404 upstream_status", "done 0-0",
            ])
    }
}
