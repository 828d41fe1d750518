import EndpointPlans
import GatewayCore
import HTTPModel
import JSONBytes
import Networking
import Rx

/// Measures the gateway's cost of a request, without sockets.
///
///     GatewayBench                     nanoseconds per request, for all kinds
///     GatewayBench charts --once 2000  2000 requests of one kind; subtract two counts of callgrind
@main
enum Main {
    static func main() throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        let endpoints = try Endpoints()
        if arguments.count == 3, arguments[1] == "--once", let count = Int(arguments[2]) {
            try endpoints.run(arguments[0], count: count)
            return
        }
        for kind in Endpoints.kinds {
            try endpoints.run(kind.name, count: 2_000)
            let count = 20_000
            var times: [Duration] = []
            for _ in 0..<9 {
                times.append(try ContinuousClock().measure { try endpoints.run(kind.name, count: count) })
            }
            let median = times.sorted()[4] / .nanoseconds(1) / Double(count)
            print("\(kind.name): \(Int(median)) ns per request (\(kind.meaning))")
        }
        LimitRows.run()
    }
}

/// The weight screen's charts, and the same data without upstream calls.
struct Endpoints {
    static let kinds =
        [
            (name: "charts", meaning: "two upstream calls with instant responses"),
            (name: "pipeline/charts", meaning: "the same calls, joined by combineLatest"),
            (name: "plan/charts", meaning: "the same calls, described by a plan"),
            (name: "parts", meaning: "two constant parts"),
            (name: "value", meaning: "one constant value"),
            (
                name: "checked/value",
                meaning: "the same, behind three checks: a key, a session, a field for the answer"
            ),
        ] + AccessEndpoints.kinds

    private let responder: GatewayResponder

    init() throws {
        let transport = InstantTransport(
            body: #"{"code":"OK","message":"success","status":200,"data":\#(Self.chart)}"#)
        let gateway = Gateway(GatewayEnvironment(transport: transport))
        let diary = gateway.provider(DiaryAPI.self, upstream: "diary")
        let fragment = try JSONFragment(validating: Array(Self.chart.utf8)[...])
        gateway.get("/api/weights/charts") { request in
            let date = try request.query("fddDate", as: CalendarDate.self)
            return .parts(
                recent: diary.rx.request(.weights(date, recent: true)).fragment(),
                total: diary.rx.request(.weights(date, recent: false)).fragment())
        }
        gateway.get("/api/weights/pipeline/charts") { request in
            let date = try request.query("fddDate", as: CalendarDate.self)
            return Observable.combineLatest(
                diary.rx.request(.weights(date, recent: true)).fragment().asObservable().part("recent"),
                diary.rx.request(.weights(date, recent: false)).fragment().asObservable().part("total")
            ) { recent, total in Answer.parts(recent, total) }
        }
        try Self.addPlan(to: gateway)
        gateway.get("/api/weights/parts") { request in
            _ = try request.query("fddDate", as: CalendarDate.self)
            return .parts(recent: Single.just(fragment), total: Single.just(fragment))
        }
        gateway.get("/api/weights/value") { _ in .fragment(fragment) }
        gateway.group("/api/weights/checked") { checked in
            checked.before { request in
                guard request.header("X-API-Key") == "secret" else {
                    throw GatewayError.unauthorized("No key")
                }
            }
            checked.before { request in request[Session.self] = Session(user: "kim") }
            checked.before { request in request.addAnswerField("X-Shard", "7") }
            checked.get("/value") { request in
                precondition(request[Session.self] != nil, "the session must reach the handler")
                return .fragment(fragment)
            }
        }
        AccessEndpoints.declare(on: gateway, fragment)
        responder = try gateway.responder()
    }

    private static func addPlan(to gateway: Gateway) throws {
        let diary = gateway.plannedUpstream(
            "diary", "http://127.0.0.1:9/food-diary", envelope: .genericResponse)
        let date = PlannedValue.reference(
            PlanReference(.query("fddDate"), ValuePath(), text: "{query.fddDate}"))
        var recent = PlannedCall("diary", .get, Located(PlannedText(constant: "/weights")))
        recent.query = [("fddDate", date), ("keyword", .constant(JSONFragment(string: "recent")))]
        var total = PlannedCall("diary", .get, Located(PlannedText(constant: "/weights")))
        total.query = [("fddDate", date)]
        var endpoint = PlannedEndpoint(
            .get, "/api/weights/plan/charts",
            parts: [PlannedPart("recent", .call(recent)), PlannedPart("total", .call(total))])
        endpoint.parameters = [ParameterRule(.query, "fddDate", ValueRule(.date))]
        gateway.add(try EndpointPlan(endpoint, ["diary": diary]))
    }

    private struct Session: Sendable {
        var user: String
    }

    func run(_ kind: String, count: Int) throws {
        guard let target = RequestTarget("/api/weights/\(kind)?fddDate=2026-11-20") else { return }
        var fields: HTTPFields = [
            .host: "127.0.0.1:8080", .userAgent: "bench", .accept: "*/*", "X-API-Key": "secret",
        ]
        if AccessEndpoints.kinds.contains(where: { $0.name == kind }) {
            fields.append(contentsOf: AccessEndpoints.fields)
        }
        let request = ReceivedRequest(head: HTTPRequestHead(method: .get, target: target, fields: fields))
        for _ in 0..<count {
            _ = responder.respond(to: request) { answer in
                precondition(answer.response.status == .ok, "the endpoint \(kind) must answer 200")
            }
        }
    }

    private static let chart =
        #"{"unit":"kg","points":[{"date":"2026-11-13","am":70.1,"pm":70.9},{"date":"2026-11-14","am":70.0,"pm":70.8},"#
        + #"{"date":"2026-11-15","am":69.9,"pm":70.7},{"date":"2026-11-16","am":69.9,"pm":70.6},"#
        + #"{"date":"2026-11-17","am":69.8,"pm":70.5},{"date":"2026-11-18","am":69.7,"pm":70.5},"#
        + #"{"date":"2026-11-19","am":69.6,"pm":70.4}]}"#
}

enum DiaryAPI: TargetType {
    case weights(CalendarDate, recent: Bool)

    var baseURL: String { "http://127.0.0.1:9/food-diary" }

    var path: RequestPath { "/weights" }

    var task: RequestTask {
        switch self {
        case .weights(let date, let recent):
            .parameters(["fddDate": date, "keyword": recent ? "recent" : nil], encoding: .query)
        }
    }

    var envelope: ResponseEnvelope { .genericResponse }
}
