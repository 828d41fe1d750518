import EndpointPlans
import GatewayCore
import HTTPModel
import JSONBytes
import Networking
import NetworkingTesting
import Rx
import RxTesting
import Testing

@Suite("The diary as plans and in Swift", .noLeaks)
struct PlanDiaryTests {
    private struct Outcome: Equatable {
        let status: Int
        let code: String?
        let data: String?
        var targets: [String]
    }

    /// The result of a request to the endpoint `/swift/...` or `/plan/...`.
    private func outcome(
        _ kind: String, _ method: HTTPMethod, _ target: String, body: String = "",
        _ script: (StubTransport) -> Void
    ) throws -> Outcome {
        let bench = Bench()
        PlanDiary.declareSwift(on: bench.gateway)
        try PlanDiary.declarePlans(on: bench.gateway)
        for call in PlanDiary.calls { bench.transport.answer(call.path, .json(call.answer)) }
        script(bench.transport)
        let fields: HTTPFields = body.isEmpty ? [:] : [.contentType: "application/json"]
        let pending = try bench.ask(method, "/\(kind)\(target)", fields: fields, body: body)
        bench.time.advance(by: .seconds(15))
        let reply = try pending.reply()
        let targets = bench.transport.attempts.map { String(decoding: $0.call.target, as: UTF8.self) }
        return Outcome(
            status: reply.status, code: reply["/code"], data: reply["/data"], targets: targets.sorted())
    }

    private func expectSame(
        _ method: HTTPMethod, _ target: String, body: String = "", _ comment: Comment,
        comparesCalls: Bool = true,
        _ script: (StubTransport) -> Void = { _ in }
    ) throws -> Outcome {
        let plan = try outcome("plan", method, target, body: body, script)
        var swift = try outcome("swift", method, target, body: body, script)
        if !comparesCalls { swift.targets = plan.targets }
        #expect(swift == plan, comment)
        return plan
    }

    private static let faults: [StubTransport.Answer] = [
        .response(500), .response(503), .response(404), .response(204), .failure(.connectionRefused),
        .silence,
        .json("{"), .json("{}"), .json(#"{"status":500,"message":"no"}"#), .json("7"),
    ]

    @Test("Under each fault of each upstream, the home screen has the same status, code and data")
    func home() throws {
        let good = try expectSame(.get, "/home?date=2026-11-20&nx=61", "no fault")
        #expect(good.code == #""OK""#)
        #expect(good.targets.count == 6)
        for call in PlanDiary.calls {
            for fault in Self.faults {
                // `Single.zip` makes no second call once the first has failed.
                _ = try expectSame(
                    .get, "/home?date=2026-11-20", "\(call.path): \(fault)", comparesCalls: false
                ) {
                    $0.answer(call.path, fault)
                }
            }
        }
    }

    @Test("In any order of arrivals the home screen has the same bytes", arguments: 0..<12)
    func order(number: Int) throws {
        let whole = try expectSame(.get, "/home?date=2026-11-20", "at once")
        let later = try expectSame(.get, "/home?date=2026-11-20", "order \(number)") { transport in
            for (index, call) in PlanDiary.calls.enumerated() {
                let delay = Duration.milliseconds(100 * ((index * 5 + number * 7) % 12))
                transport.answer(call.path, .json(call.answer, after: delay))
            }
        }
        #expect(later == whole)
    }

    @Test("The charts are the same, and so is the answer without a date")
    func charts() throws {
        let good = try expectSame(.get, "/charts?fddDate=2026-11-20", "no fault")
        #expect(good.status == 200)
        #expect(
            good.targets == [
                "/food-diary/weights?fddDate=2026-11-20",
                "/food-diary/weights?fddDate=2026-11-20&keyword=recent",
            ])
        #expect(try expectSame(.get, "/charts", "no date").status == 400)
        #expect(try expectSame(.get, "/charts?fddDate=x", "no date").status == 400)
        for fault in Self.faults {
            // The waits between attempts are random, and so is how many are made until one call has failed
            // for good.
            _ = try expectSame(.get, "/charts?fddDate=2026-11-20", "\(fault)", comparesCalls: false) {
                $0.answer("/food-diary/weights", fault)
            }
        }
    }

    @Test("Storing a weight is the same, whether saving or reading fails")
    func put() throws {
        let path = "/food-diary/weights/2026-11-20"
        let body = #"{"weight": 70.5}"#
        for step in [.json(#"{"status":200,"data":{}}"#)] + Self.faults {
            for read in [.json(PlanDiary.calls[1].answer)] + Self.faults {
                _ = try expectSame(.put, "/weights/2026-11-20/am", body: body, "\(step), then \(read)") {
                    $0.answer("\(path)/am", step)
                    $0.answer(path, read)
                }
            }
        }
    }
}
