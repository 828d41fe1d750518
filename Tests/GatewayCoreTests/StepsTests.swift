import GatewayCore
import HTTPModel
import JSONBytes
import Networking
import NetworkingTesting
import Rx
import RxTesting
import Testing

private enum Half: String, CaseIterable, RequestValue { case am, pm }

/// A failed write fails the answer; a failed part of the screen makes it partial.
@Suite("A write followed by the redrawn screen", .noLeaks)
struct StepsTests {
    private struct Input: Decodable { var weight: Double }

    private let bench = Bench()

    init() {
        let diary = bench.diary
        @Sendable func screen() -> Answer {
            .parts(
                recent: diary.rx.request(.recent).fragment(), total: diary.rx.request(.total).fragment(),
                today: diary.rx.request(.today).fragment())
        }
        bench.gateway.get("/screen") { _ in screen() }
        bench.gateway.put("/weights/{date}/{half}") { request in
            let date = try request.path("date", as: CalendarDate.self)
            _ = try request.path("half", as: Half.self)
            let input = try request.json(as: Input.self)
            return .first(register: diary.rx.request(.put(date, input.weight)).fragment())
                .then { screen().optionalParts() }
        }
        bench.gateway.post("/pipeline/{date}") { request in
            let date = try request.path("date", as: CalendarDate.self)
            return diary.rx.request(.put(date, 1)).fragment().map { _ in screen().optionalParts() }
        }
        bench.gateway.post("/chain") { _ in
            .first(a: diary.rx.request(.recent).fragment(), b: 2)
                .then { values in
                    .first(c: diary.rx.request(.total).fragment())
                        .then { .parts(a: values["a"], b: values["b"], x: values["x"]).status(.created) }
                        .field("X-Inner", "1")
                }
                .field("X-Outer", "2")
        }
        bench.gateway.post("/replaced") { _ in
            .first(
                a: diary.rx.request(.recent).fragment().fallback("none"),
                b: diary.rx.request(.total).fragment().optional()
            )
            .then { values in .parts(a: values["a"], b: values["b"]) }
        }
        bench.gateway.post("/order") { _ in
            .first(a: diary.rx.request(.recent).fragment(), b: diary.rx.request(.total).fragment())
                .then { .first(c: diary.rx.request(.today).fragment()).then { .parts(d: 4) } }
        }
        bench.upstream("/recent", .data("1"))
        bench.upstream("/total", .data("2"))
        bench.upstream("/today", .data("3"))
    }

    private func put(_ target: String = "/weights/2026-11-20/am") throws -> Pending {
        try bench.ask(
            .put, target, fields: [.contentType: "application/json", .xRequestID: "r"],
            body: #"{"weight":71.5}"#)
    }

    @Test(
        "A failed write decides the answer as the table of outcomes says, and nothing is redrawn",
        arguments: [(422, 422), (404, 404), (409, 409), (500, 502), (503, 503), (504, 504), (400, 502)])
    func failedWrite(_ upstream: Int, _ status: Int) throws {
        bench.upstream("/weights/2026-11-20", .response(upstream))
        let reply = try put().reply()
        #expect(reply.status == status)
        #expect(reply["/data"] == "null")
        #expect(reply["/errors/0/part"] == #""register""#)
        #expect(reply["/meta/parts"]?.hasPrefix(#"{"register":"#) == true)
        #expect(bench.transport.attempts.count == 1)
    }

    @Test("A failed step with a fallback gives the fallback, and a failed optional step gives null")
    func replacedSteps() throws {
        bench.upstream("/recent", .response(500))
        bench.upstream("/total", .response(500))
        let reply = try bench.ask(.post, "/replaced").reply()
        #expect(reply.status == 200)
        #expect(reply["/data"] == #"{"a":"none","b":null}"#)
    }

    @Test("After a successful write the answer has only the parts of the screen")
    func success() throws {
        bench.upstream("/weights/2026-11-20", .response(204, after: .milliseconds(5)))
        let pending = try put()
        #expect(bench.transport.attempts.count == 1)
        bench.time.advance(by: .milliseconds(5))
        let reply = try pending.reply()
        #expect(
            reply.body == #"{"code":"OK","message":"success","status":200,"#
                + #""data":{"recent":1,"total":2,"today":3},"meta":{"requestId":"r","complete":true,"#
                + #""elapsedMs":5.0,"parts":{"recent":"success","total":"success","today":"success"}}}"#)
        let calls = bench.transport.attempts.map(\.call)
        #expect(calls.map(\.method) == [.put, .get, .get, .get])
        #expect(calls.allSatisfy { $0.contextFields[.xRequestID] == "r" })
        let parts = reply.summary.loggedParts
        #expect(parts.map(\.name) == ["register", "recent", "total", "today"])
        #expect(parts.map(\.kind) == [.noContent, .success, .success, .success])
    }

    @Test("If only a part of the redrawn screen fails, the answer is 200 PARTIAL")
    func partial() throws {
        bench.upstream("/weights/2026-11-20", .data("{}"))
        bench.upstream("/total", .failure(.connectionRefused))
        let reply = try put().reply()
        #expect(reply.status == 200)
        #expect(reply["/code"] == #""PARTIAL""#)
        #expect(reply["/data"] == #"{"recent":1,"total":null,"today":3}"#)
        // Requested alone, the same screen fails.
        #expect(try bench.answer(.get, "/screen").status == 502)
    }

    @Test("An invalid request is refused before anything is written")
    func invalid() throws {
        #expect(try put("/weights/2026-02-30/am").reply().status == 400)
        #expect(try put("/weights/2026-11-20/noon").reply().status == 400)
        #expect(try bench.answer(.put, "/weights/2026-11-20/am", body: "{}").status == 415)
        #expect(bench.transport.attempts.isEmpty)
    }

    @Test("A client that leaves during the write cancels it, and nothing is redrawn")
    func disposal() throws {
        bench.upstream("/weights/2026-11-20", .response(204, after: .seconds(1)))
        let pending = try put()
        pending.dispose()
        bench.time.advance(by: .seconds(20))
        #expect(bench.transport.attempts.count == 1)
        #expect(bench.transport.attempts.first?.isCancelled == true)
        #expect(bench.time.pending == 0)
    }

    @Test("A write that fails in a pipeline fails the answer too, and the error names no part")
    func pipeline() throws {
        bench.upstream("/weights/2026-11-20", .response(422))
        let failed = try bench.answer(.post, "/pipeline/2026-11-20")
        #expect(failed.status == 422)
        #expect(failed["/errors/0/part"] == "null")
        bench.upstream("/weights/2026-11-20", .response(204))
        bench.upstream("/today", .response(500))
        let reply = try bench.answer(.post, "/pipeline/2026-11-20")
        #expect(reply["/code"] == #""PARTIAL""#)
        #expect(reply["/data"] == #"{"recent":1,"total":2,"today":null}"#)
    }

    @Test(
        "Steps of one first start together, and all are sent though one fails; steps of the next one are not",
        arguments: [("/recent", "a"), ("/total", "b"), ("", "")])
    func order(failing: String, name: String) throws {
        bench.upstream("/recent", .data("1", after: .seconds(1)))
        bench.upstream("/total", .data("2", after: .seconds(2)))
        if !failing.isEmpty { bench.upstream(failing, .response(409, after: .milliseconds(1))) }
        let pending = try bench.ask(.post, "/order")
        #expect(bench.transport.attempts.count == 2)
        bench.time.advance(by: .seconds(2))
        let reply = try pending.reply()
        #expect(reply.status == (failing.isEmpty ? 200 : 409))
        #expect(bench.transport.attempts.count == (failing.isEmpty ? 3 : 2))
        #expect(reply["/errors/0/part"] == (failing.isEmpty ? nil : "\"\(name)\""))
        if failing.isEmpty { #expect(bench.transport.attempts.last?.sentAt == .seconds(2)) }
    }

    @Test("Steps may follow steps and use their values; the answer combines the status and fields of all")
    func chain() throws {
        let reply = try bench.answer(.post, "/chain")
        #expect(reply.status == 201)
        #expect(reply["/data"] == #"{"a":1,"b":2,"x":null}"#)
        #expect(reply.fields["X-Inner"] == "1")
        #expect(reply.fields["X-Outer"] == "2")
        #expect(reply.summary.loggedParts.map(\.name) == ["a", "b", "c", "a", "b", "x"])
    }
}
