import Dispatch
import GatewayCore
import HTTPModel
import JSONBytes
import Networking
import NetworkingTesting
import Rx
import RxTesting
import Testing

@Suite("The timeline of a request", .noLeaks)
struct TimelineTests {
    private let bench = Bench.timed()

    private func page(_ parts: @escaping @Sendable (Provider<DiaryAPI>) -> Answer) {
        bench.gateway.get("/page") { [diary = bench.diary] _ in parts(diary) }
    }

    @Test(
        "A failed call lists each attempt with its times, connection and reason"
    )
    func failure() throws {
        page { .parts(recent: $0.rx.request(.recent).fragment(), total: $0.rx.request(.total).fragment()) }
        bench.transport.answer(
            "/food-diary/recent", .failure(.connectionTerminated, after: .milliseconds(2)),
            .failure(.connectionRefused), .response(503, after: .milliseconds(1)))
        bench.upstream("/total", .data("2", after: .milliseconds(7)))
        let reply = try bench.timed("/page", fields: [.xRequestID: "r"], after: .milliseconds(13))
        #expect(reply.status == 503)
        #expect(
            reply.timeline == [
                "recent 0-13",
                "  diary GET: 0 new 0 - 2 - connection_terminated | 7 - - - 7 - connection_refused"
                    + " | 12 new 12 13 13 503 upstream_status",
                "total 0-7", "  diary GET: 0 new 0 7 7 200 -",
            ])
        #expect(
            reply.fields.map { "\($0.name): \($0.value)" } == [
                "Content-Type: application/json; charset=utf-8", "X-Content-Type-Options: nosniff",
                "Cache-Control: no-store", "X-Request-Id: r",
                "Proxy-Status: sluice; received-status=503; details=\"recent\"",
                "Preference-Applied: timeline", "Vary: Prefer",
                "Server-Timing: sluice;dur=13.000, recent;dur=13.000;desc=\"serverErr\", total;dur=7.000",
            ])
    }

    @Test("The timeline is the last member of meta and names an upstream without its address")
    func bytes() throws {
        page { .parts(recent: $0.rx.request(.recent).fragment(), kg: Part.value(1)) }
        bench.transport.answer(
            .failure(.connectionTerminated, after: .microseconds(1_500)),
            .data("1", after: .microseconds(4_042)))
        let reply = try bench.timed("/page", fields: [.xRequestID: "r"], after: .microseconds(10_542))
        #expect(
            reply.body
                == #"{"code":"OK","message":"success","status":200,"data":{"recent":1,"kg":1},"#
                + #""meta":{"requestId":"r","complete":true,"elapsedMs":10.5,"#
                + #""parts":{"recent":"success","kg":"success"},"#
                + #""timeline":[{"part":"recent","beganMs":0.000,"endMs":10.542,"calls":[{"upstream":"diary","#
                + #""method":"GET","attempts":[{"beganMs":0.000,"connection":"new","sentMs":0.000,"#
                + #""firstByteMs":null,"endMs":1.500,"status":null,"reason":"connection_terminated"},"#
                + #"{"beganMs":6.500,"connection":"new","sentMs":6.500,"firstByteMs":10.542,"endMs":10.542,"#
                + #""status":200,"reason":null}]}]},{"part":"kg","beganMs":0.000,"endMs":0.000,"calls":[]}]}}"#
        )
    }

    @Test("The timeline is the last member of a problem document")
    func problem() throws {
        page { .parts(recent: $0.rx.request(.recent).fragment()) }
        bench.upstream("/recent", .response(404, after: .milliseconds(3)))
        let reply = try bench.timed(
            "/page", fields: [.accept: "application/problem+json"], after: .milliseconds(3))
        #expect(reply.status == 404)
        #expect(reply.fields[.contentType] == "application/problem+json")
        #expect(reply.timeline == ["recent 0-3", "  diary GET: 0 new 0 3 3 404 upstream_status"])
        #expect(reply.body.hasSuffix(#""reason":"upstream_status"}]}]}]}"#))
        #expect(reply.fields[.preferenceApplied] == "timeline")
    }

    @Test("A part with a fallback and an abandoned optional part are listed with their calls")
    func partial() throws {
        page { [time = bench.time] diary in
            .parts(
                recent: diary.rx.request(.recent).fragment().fallback("none"),
                total: diary.rx.request(.total).fragment().timeout(.milliseconds(20), scheduler: time)
                    .catch { _ in .error(GatewayError.upstreamTimeout("late")) }.optional(),
                today: diary.rx.request(.today).fragment())
        }
        bench.upstream("/recent", .response(404))
        bench.upstream("/total", .silence)
        bench.upstream("/today", .data("3", after: .milliseconds(25)))
        let reply = try bench.timed("/page", after: .milliseconds(25))
        #expect(reply["/code"] == #""PARTIAL""#)
        #expect(reply["/data"] == #"{"recent":"none","total":null,"today":3}"#)
        #expect(
            reply.timeline == [
                "recent 0-0", "  diary GET: 0 new 0 0 0 404 upstream_status",
                "total 0-20", "  diary GET: 0 new 0 - 20 - -",
                "today 0-25", "  diary GET: 0 new 0 25 25 200 -",
            ])
        #expect(
            reply.fields[.serverTiming]
                == "sluice;dur=25.000, recent;dur=0.000;desc=\"requestErr\", "
                + "total;dur=20.000;desc=\"serverErr\", today;dur=25.000")
    }

    @Test("At the deadline an unfinished part and its call have no end")
    func deadline() throws {
        bench.gateway.get("/late", .deadline(.milliseconds(30))) { [diary = bench.diary] _ in
            .parts(
                recent: diary.rx.request(.recent).fragment().optional(),
                stuck: Single<Int>.never().optional(), total: diary.rx.request(.total).fragment())
        }
        bench.upstream("/recent", .blackHole)
        bench.upstream("/total", .data("1", after: .milliseconds(2)))
        let reply = try bench.timed("/late", after: .milliseconds(30))
        #expect(reply.status == 200)
        #expect(
            reply.timeline == [
                "recent 0--", "  diary GET: 0 - - - - - -", "stuck 0--",
                "total 0-2", "  diary GET: 0 new 0 2 2 200 -",
            ])
        #expect(
            reply.fields[.serverTiming]
                == "sluice;dur=30.000, recent;dur=30.000;desc=\"networkFail\", "
                + "stuck;dur=30.000;desc=\"networkFail\", total;dur=2.000")
    }

    @Test("Steps come before the parts, each with its own calls")
    func steps() throws {
        page { diary in
            .first(write: diary.rx.request(.recent).fragment(), b: 2).then { values in
                .first(check: diary.rx.request(.total).fragment()).then {
                    .parts(today: diary.rx.request(.today).fragment(), write: values["write"])
                }
            }
        }
        bench.upstream("/recent", .data("1", after: .milliseconds(3)))
        bench.upstream("/total", .data("2", after: .milliseconds(4)))
        bench.upstream("/today", .data("3", after: .milliseconds(5)))
        let reply = try bench.timed("/page", after: .milliseconds(12))
        #expect(
            reply.timeline == [
                "write 0-3", "  diary GET: 0 new 0 3 3 200 -", "b 0-0",
                "check 3-7", "  diary GET: 3 new 3 7 7 200 -",
                "today 7-12", "  diary GET: 7 new 7 12 12 200 -", "write 7-7",
            ])
        bench.upstream("/total", .response(404))
        let failed = try bench.timed("/page", after: .milliseconds(3))
        #expect(failed.status == 404)
        #expect(
            failed.timeline == [
                "write 0-3", "  diary GET: 0 new 0 3 3 200 -", "b 0-0",
                "check 3-3", "  diary GET: 3 new 3 3 3 404 upstream_status",
            ])
    }

    @Test("Calls that operators chain belong to their part; a call that a timer starts belongs to none")
    func chains() throws {
        page { [time = bench.time] diary in
            let later = diary.rx.request(.today).fragment()
            return .parts(
                chain: diary.rx.request(.recent).map(Int.self).flatMap { _ in
                    diary.rx.request(.total).fragment().flatMap { _ in later }
                },
                pair: Single.zip(
                    diary.rx.request(.total).fragment(), diary.rx.request(.user("kim")).fragment()
                ) { [$0, $1] },
                delayed: diary.rx.request(.user("lee")).delaySubscription(
                    .milliseconds(1), scheduler: time
                ).map { _ in 1 })
        }
        bench.upstream("/recent", .data("1", after: .milliseconds(1)))
        bench.upstream("/total", .data("2", after: .milliseconds(2)))
        bench.upstream("/today", .data("3", after: .milliseconds(3)))
        bench.upstream("/users/kim", .response(502))
        bench.upstream("/users/lee", .data("4"))
        let reply = try bench.timed("/page", after: .milliseconds(20))
        #expect(reply.status == 502)
        #expect(
            reply.timeline == [
                // The call of `delayed`: a timer subscribes to it outside its part.
                "- 1-1", "  diary GET: 1 new 1 1 1 200 -",
                "chain 0-6", "  diary GET: 0 new 0 1 1 200 -", "  diary GET: 1 new 1 3 3 200 -",
                "  diary GET: 3 new 3 6 6 200 -",
                "pair 0-10", "  diary GET: 0 new 0 2 2 200 -",
                "  diary GET: 0 new 0 0 0 502 upstream_status | 5 new 5 5 5 502 upstream_status"
                    + " | 10 new 10 10 10 502 upstream_status",
                "delayed 0-1",
            ])
    }

    @Test("A call cancelled by its part's failure ends at that time, even if the answer comes later")
    func cancelled() throws {
        page { diary in
            .parts(
                both: Single.zip(
                    diary.rx.request(.recent).fragment(), diary.rx.request(.total).fragment()
                ) { [$0, $1] }.asPart().optional(),
                today: diary.rx.request(.today).fragment())
        }
        bench.upstream("/recent", .response(404, after: .milliseconds(4)))
        bench.upstream("/total", .silence)
        bench.upstream("/today", .data("3", after: .milliseconds(9)))
        let early = ["both 0-4", "  diary GET: 0 new 0 4 4 404 upstream_status"]
        let today = ["today 0-9", "  diary GET: 0 new 0 9 9 200 -"]
        let running = try bench.timed("/page", after: .milliseconds(9))
        #expect(running.timeline == early + ["  diary GET: 0 new 0 - 4 - -"] + today)
        bench.upstream("/total", .failure(.connectionTerminated))
        let waiting = try bench.timed("/page", after: .milliseconds(9))
        #expect(waiting.timeline == early + ["  diary GET: 0 new 0 - 0 - connection_terminated"] + today)
        bench.upstream("/total", .silence)
        bench.upstream("/today", .data("3"))
        let last = try bench.timed("/page", after: .milliseconds(4))
        #expect(
            last.timeline
                == early + ["  diary GET: 0 new 0 - - - -", "today 0-0", "  diary GET: 0 new 0 0 0 200 -"])
    }

    @Test(
        "Parts that a failed required part has cancelled have no end, and Server-Timing calls them cancelled")
    func stopped() throws {
        page { diary in
            .parts(
                recent: diary.rx.request(.recent).fragment(), total: diary.rx.request(.total).fragment(),
                today: diary.rx.request(.today).fragment())
        }
        bench.upstream("/recent", .data("1", after: .milliseconds(2)))
        bench.upstream("/total", .response(404, after: .milliseconds(4)))
        bench.upstream("/today", .silence)
        let reply = try bench.timed("/page", after: .milliseconds(4))
        #expect(
            reply.timeline
                == [
                    "recent 0-2", "  diary GET: 0 new 0 2 2 200 -", "total 0-4",
                    "  diary GET: 0 new 0 4 4 404 upstream_status", "today 0--",
                    "  diary GET: 0 new 0 - - - -",
                ])
        #expect(
            reply.fields["Server-Timing"]
                == "sluice;dur=4.000, recent;dur=2.000, total;dur=4.000;desc=\"requestErr\", "
                + "today;dur=4.000;desc=\"cancelled\"")
    }

    @Test("A handler's own call belongs to no part and comes first")
    func handlers() throws {
        bench.gateway.get("/pipeline") { [diary = bench.diary] _ in
            diary.rx.request(.recent).fragment().map { _ in
                .parts(total: diary.rx.request(.total).fragment())
            }
        }
        bench.upstream("/recent", .data("1", after: .milliseconds(2)))
        bench.upstream("/total", .data("2", after: .milliseconds(3)))
        #expect(
            try bench.timed("/pipeline", after: .milliseconds(5)).timeline == [
                "- 0-2", "  diary GET: 0 new 0 2 2 200 -", "total 2-5", "  diary GET: 2 new 2 5 5 200 -",
            ])
        bench.upstream("/recent", .response(404))
        let failed = try bench.timed("/pipeline")
        #expect(failed.status == 404)
        #expect(failed.timeline == ["- 0-0", "  diary GET: 0 new 0 0 0 404 upstream_status"])
        #expect(failed.fields[.serverTiming] == "sluice;dur=0.000")
    }

    @Test("A call that exceeds its total timeout is listed with http_response_timeout")
    func limits() throws {
        var policy = CallPolicy()
        policy.totalTimeout = .milliseconds(8)
        let brief = bench.gateway.provider(DiaryAPI.self, upstream: "brief", policy: policy)
        bench.gateway.get("/brief") { _ in .parts(recent: brief.rx.request(.recent).fragment()) }
        bench.upstream("/recent", .data("1", after: .seconds(1)))
        #expect(
            try bench.timed("/brief", after: .milliseconds(8)).timeline == [
                "recent 0-8", "  brief GET: 0 new 0 - 8 - http_response_timeout",
            ])
    }

    @Test("An answer without a body has Server-Timing; an answer without parts has an empty timeline")
    func bare() throws {
        bench.gateway.delete("/page") { _ in .status(.noContent) }
        let reply = try bench.timed("/page", by: .delete)
        #expect(reply.status == 204)
        #expect(reply.body.isEmpty)
        #expect(reply.fields[.serverTiming] == "sluice;dur=0.000")
        bench.gateway.get("/value") { _ in .json(1) }
        #expect(try bench.timed("/value").timeline == [])
        bench.gateway.get("/refused") { _ in throw GatewayError.conflict("no") }
        let refused = try bench.timed("/refused")
        #expect(refused.status == 409)
        #expect(refused.timeline == [])
    }

    @Test("The first 256 attempts are listed, and each part counts its omitted attempts")
    func bound() throws {
        page { diary in
            .parts(
                few: diary.rx.request(.recent).fragment(),
                many: Single.zip((0..<300).map { _ in diary.rx.request(.total).fragment() }) { $0.count },
                more: diary.rx.request(.today).fragment())
        }
        bench.transport.answer(.data("1"))
        let reply = try bench.timed("/page")
        let timeline = try #require(reply.timeline)
        #expect(reply.status == 200)
        #expect(timeline.filter { !$0.hasPrefix(" ") } == ["few 0-0", "many 0-0 +45", "more 0-0 +1"])
        #expect(timeline.count { $0 == "  diary GET: 0 new 0 0 0 200 -" } == 256)
    }

    @Test("A part name that is not a token is adapted in Server-Timing and unchanged in meta")
    func names() throws {
        page { _ in .parts(체중: 1, `a b;c="`: 2) }
        let reply = try bench.timed("/page")
        #expect(reply.timeline == ["체중 0-0", "a b;c=\" 0-0"])
        #expect(reply.fields[.serverTiming] == "sluice;dur=0.000, __;dur=0.000, a_b_c__;dur=0.000")
    }
}
