import Dispatch
import GatewayCore
import HTTPModel
import Networking
import NetworkingTesting
import Rx
import RxTesting
import Testing

@Suite("Requests for a timeline", .noLeaks)
struct TimelineRequestTests {
    private func declare(on bench: Bench) {
        bench.gateway.get("/page") { [diary = bench.diary] _ in
            .parts(
                recent: diary.rx.request(.recent).fragment(),
                total: diary.rx.request(.total).fragment().optional())
        }
        bench.upstream("/recent", .data("1"))
        bench.upstream("/total", .response(404))
    }

    private static let fields: HTTPFields = [.xRequestID: "r", .prefer: "timeline"]

    private func text(_ reply: Reply) -> String {
        reply.fields.map { "\($0.name): \($0.value)\n" }.joined() + reply.body
    }

    @Test("If the gateway does not allow timelines, a request for one changes no byte of the answer")
    func off() throws {
        let bench = Bench()
        declare(on: bench)
        let asked = try bench.answer(.get, "/page", fields: Self.fields)
        #expect(text(asked) == text(try bench.answer(.get, "/page", fields: [.xRequestID: "r"])))
        #expect(asked.timeline == nil)
        #expect(
            text(asked)
                == "Content-Type: application/json; charset=utf-8\nX-Content-Type-Options: nosniff\n"
                + "Cache-Control: no-store\nX-Request-Id: r\n"
                + "Proxy-Status: sluice; received-status=404; details=\"total\"\n"
                + #"{"code":"PARTIAL","message":"Some parts failed","status":200,"data":{"recent":1,"total":null},"#
                + #""errors":[{"part":"total","kind":"requestErr","reason":"upstream_status","status":404,"#
                + #""message":"the upstream answered with status 404","attempts":1,"elapsedMs":0,"retryable":false}],"#
                + #""meta":{"requestId":"r","complete":false,"elapsedMs":0.0,"#
                + #""parts":{"recent":"success","total":"requestErr"}}}"#)
    }

    @Test(
        "An answer has no timeline if the request does not prefer one",
        arguments: [
            nil, "", "respond-async", "timeline=full", "timelines", "wait=timeline",
            "return=minimal; timeline",
        ])
    func notAsked(_ prefer: String?) throws {
        let bench = Bench.timed()
        declare(on: bench)
        let plain = Bench()
        declare(on: plain)
        var fields: HTTPFields = [.xRequestID: "r"]
        if let prefer { fields.append(.prefer, prefer) }
        let reply = try bench.answer(.get, "/page", fields: fields)
        #expect(text(reply) == text(try plain.answer(.get, "/page", fields: fields)))
    }

    @Test("The timeline preference may stand among others, on any line and in any case")
    func asked() throws {
        let bench = Bench.timed()
        declare(on: bench)
        let reply = try bench.answer(
            .get, "/page",
            fields: [.prefer: "respond-async, wait=10", "prefer": "handling=lenient , TimeLine ;a=\"b\""])
        #expect(reply.timeline?.count == 4)
        #expect(reply.fields[.preferenceApplied] == "timeline")
    }

    @Test("An answer without an endpoint has no timeline")
    func withoutEndpoint() throws {
        let bench = Bench.timed()
        declare(on: bench)
        for (method, path) in [
            (HTTPMethod.get, "/nowhere"), (.put, "/page"), (.options, "/page"), (.get, "/%2e%2e"),
        ] {
            let reply = try bench.answer(method, path, fields: Self.fields)
            #expect(!reply.fields.contains(.preferenceApplied) && !reply.fields.contains(.serverTiming))
            #expect(!reply.body.contains("timeline"))
        }
    }

    @Test("The preference is not forwarded and does not change upstream requests")
    func upstreams() throws {
        let bench = Bench.timed()
        let diary = bench.diary
        bench.gateway.get("/open", .forwards(.acceptLanguage), .forwardsAuthorization(to: "diary")) { _ in
            .parts(a: diary.rx.request(.recent).fragment())
        }
        bench.upstream("/recent", .data("1"))
        let fields: HTTPFields = [
            .xRequestID: "r", .acceptLanguage: "ko", .authorization: "Bearer t",
            .traceParent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        ]
        _ = try bench.answer(.get, "/open", fields: fields)
        _ = try bench.timed("/open", fields: fields)
        let sent = bench.transport.attempts.map { attempt in
            // Each request has its own span in traceparent.
            attempt.call.allFields.filter { $0.name != "traceparent" }.map { "\($0.name): \($0.value)" }
        }
        #expect(sent.count == 2)
        #expect(sent.first == sent.last)
        #expect(sent.first?.contains("Authorization: Bearer t") == true)
    }

    @Test(
        "Other origins may read Server-Timing if the policy exposes it, and Vary lists Origin and Prefer")
    func cors() throws {
        let bench = Bench.timed(
            cors: CORSPolicy(
                origins: .list(["https://app.example"]), headers: [.prefer],
                exposedHeaders: [.xRequestID, .serverTiming]))
        declare(on: bench)
        let reply = try bench.timed("/page", fields: [.origin: "https://app.example"])
        #expect(reply.fields.values(of: .vary) == ["Origin", "Prefer"])
        #expect(reply.fields["Access-Control-Expose-Headers"] == "X-Request-Id, Server-Timing")
        #expect(reply.fields["Timing-Allow-Origin"] == nil)
    }

    @Test("A client that leaves before the answer leaves no timer and no call")
    func leaving() throws {
        let bench = Bench.timed()
        declare(on: bench)
        bench.upstream("/recent", .silence)
        let pending = try bench.ask(.get, "/page", fields: Self.fields)
        pending.dispose()
        #expect(bench.time.pending == 0)
        #expect(bench.transport.inFlight == 0)
    }
}
