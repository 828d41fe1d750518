import EndpointPlans
import GatewayCore
import HTTPModel
import JSONBytes
import Networking
import Rx

/// The demo's diary, once in Swift as `sluice serve` has it, and once as plans.
enum PlanDiary {
    private static let agency = ResponseEnvelope.declared(
        status: "/response/header/resultCode", data: "/response/body", success: ["00"])

    /// Each GET of the home screen: its path, and a good answer.
    static let calls: [(path: String, answer: String)] = [
        ("/food-diary/weights", #"{"status":200,"data":{"unit":"kg","points":[ {"am":70.10} ]}}"#),
        ("/food-diary/weights/2026-11-20", #"{"status":200,"data":{"am":70.1,"pm":null}}"#),
        ("/weather/getUltraSrtFcst", #"{"response":{"header":{"resultCode":"00"},"body":{"items":[1,2]}}}"#),
        ("/weather/getUltraSrtNcst", #"{"response":{"header":{"resultCode":"00"},"body":{"t":"3.5"}}}"#),
        ("/tags", #"{"status":200,"data":[{"id":1,"name":"a\u0062c"}]}"#),
        ("/users/GREEN", #"{"user":{"name":"GREEN"},"other":1}"#),
    ]

    // MARK: - In Swift

    private struct Call: TargetType {
        var method = HTTPMethod.get
        var path: RequestPath
        var query: Parameters = [:]
        var body: JSONFragment?
        var envelope: ResponseEnvelope
        var baseURL: String { "http://diary.test" }
        var task: RequestTask {
            body.map { .data($0.bytes, contentType: "application/json") }
                ?? .parameters(query, encoding: .query)
        }
    }

    private struct Weights {
        let provider: Provider<Call>

        func list(_ date: CalendarDate, _ keyword: String?) -> Single<JSONFragment> {
            provider.rx.request(
                Call(
                    path: "/food-diary/weights", query: ["fddDate": date, "keyword": keyword],
                    envelope: .genericResponse)
            ).fragment()
        }

        func day(_ date: CalendarDate) -> Single<JSONFragment> {
            provider.rx.request(Call(path: "/food-diary/weights/\(date)", envelope: .genericResponse))
                .fragment()
        }
    }

    static func declareSwift(on gateway: Gateway) {
        var brief = CallPolicy()
        brief.totalTimeout = .seconds(3)
        let diary = Weights(provider: gateway.provider(Call.self, upstream: "diary"))
        let weather = gateway.provider(Call.self, upstream: "weather", policy: brief)
        let tags = gateway.provider(Call.self, upstream: "tags", policy: brief)
        let users = gateway.provider(Call.self, upstream: "users", policy: brief)
        gateway.get("/swift/charts") { request in
            let date = try request.query("fddDate", as: CalendarDate.self)
            return .parts(recent: diary.list(date, "recent"), total: diary.list(date, nil))
        }
        gateway.get("/swift/home") { request in
            let date = try request.query("date", as: CalendarDate.self)
            let point: Parameters = [
                "dataType": "JSON", "nx": try request.query("nx", in: 1...149, default: 60),
                "ny": try request.query("ny", in: 1...253, default: 127),
            ]
            var forecast = point
            forecast.append("pageNo", 1)
            forecast.append("numOfRows", 60)
            let name = try request.query("user", default: "GREEN")
            let zipped = Single.zip(
                weather.rx.request(Call(path: "/weather/getUltraSrtNcst", query: point, envelope: agency))
                    .fragment(),
                weather.rx.request(Call(path: "/weather/getUltraSrtFcst", query: forecast, envelope: agency))
                    .fragment()
            ) { ["now": $0, "forecast": $1] }
            return .parts(
                weights: Single.zip(diary.list(date, "recent"), diary.day(date)) {
                    ["recent": $0, "today": $1]
                },
                weather: Part(zipped).optional(),
                tags: Part(
                    tags.rx.request(Call(path: "/tags", envelope: .genericResponse)).fragment(
                        at: .root, as: .array)
                ).optional(),
                user: Part(
                    users.rx.request(Call(path: "/users/\(name)", envelope: .none)).fragment(
                        at: "/user", as: .object)
                ).optional())
        }
        gateway.put("/swift/weights/{date}/{half}") { request in
            let date = try request.path("date", as: CalendarDate.self)
            let half = try request.path("half", as: String.self)
            let save = Call(
                method: .put, path: "/food-diary/weights/\(date)/\(half)", body: try request.json(),
                envelope: .genericResponse)
            return .first(save: diary.provider.rx.request(save).fragment())
                .then { .parts(today: diary.day(date).optional()) }
        }
    }

    // MARK: - As plans

    static func declarePlans(on gateway: Gateway) throws {
        var brief = CallPolicy()
        brief.totalTimeout = .seconds(3)
        let diary = gateway.plannedUpstream("diary", "http://diary.test", envelope: .genericResponse)
        let users = gateway.plannedUpstream("users", "http://diary.test/users", policy: brief)
        let weather = gateway.plannedUpstream(
            "weather", "http://diary.test/weather", policy: brief, envelope: agency)
        let upstreams = ["diary": diary, "users": users, "weather": weather]
        func weights(_ name: String, _ date: String, recent: Bool) -> PlannedPart {
            var call = PlannedCall("diary", .get, Located(text("/food-diary/weights")))
            call.query = [("fddDate", value(date))] + (recent ? [("keyword", value("recent"))] : [])
            return PlannedPart(name, .call(call))
        }
        func day(_ date: String, _ policy: PlannedPart.Policy = .required) -> PlannedPart {
            PlannedPart(
                "today", .call(PlannedCall("diary", .get, Located(text("/food-diary/weights/\(date)")))),
                policy)
        }
        let date = ValueRule(.date)

        var charts = PlannedEndpoint(.get, "/plan/charts")
        charts.parameters = [ParameterRule(.query, "fddDate", date)]
        charts.parts = .named([
            weights("recent", "{query.fddDate}", recent: true),
            weights("total", "{query.fddDate}", recent: false),
        ])
        gateway.add(try EndpointPlan(charts, upstreams))

        var home = PlannedEndpoint(.get, "/plan/home")
        home.parameters = [
            ParameterRule(.query, "date", date, default: .today),
            ParameterRule(.query, "nx", rule(.integer, #""minimum":1,"maximum":149"#), default: .text("60")),
            ParameterRule(.query, "ny", rule(.integer, #""minimum":1,"maximum":253"#), default: .text("127")),
            ParameterRule(.query, "user", default: .text("GREEN")),
        ]
        let point = [("dataType", value("JSON")), ("nx", value("{query.nx}")), ("ny", value("{query.ny}"))]
        var forecast = PlannedCall("weather", .get, Located(text("/getUltraSrtFcst")))
        forecast.query = point + [("pageNo", .constant(JSONLiteral(1).fragment)), ("numOfRows", value("60"))]
        var now = PlannedCall("weather", .get, Located(text("/getUltraSrtNcst")))
        now.query = point
        var tags = PlannedCall("diary", .get, Located(text("/tags")))
        tags.timeout = 3_000_000_000
        tags.expected = .array
        var user = PlannedCall("users", .get, Located(text("/{query.user}")))
        user.pick = "/user"
        user.expected = .object
        home.parts = .named([
            PlannedPart(
                "weights",
                .group(PlannedGroup([weights("recent", "{query.date}", recent: true), day("{query.date}")]))),
            PlannedPart(
                "weather",
                .group(
                    PlannedGroup([PlannedPart("forecast", .call(forecast)), PlannedPart("now", .call(now))])),
                .optional),
            PlannedPart("tags", .call(tags), .optional), PlannedPart("user", .call(user), .optional),
        ])
        gateway.add(try EndpointPlan(home, upstreams))

        var put = PlannedEndpoint(.put, "/plan/weights/{date}/{half}")
        put.parameters = [
            ParameterRule(.path, "date", date),
            ParameterRule(.path, "half", rule(.string, #""enum":["am","pm"]"#)),
        ]
        put.body = Schema(
            #"{"type":"object","required":["weight"],"properties":{"weight":{"type":"number"}}}"#)
        var save = PlannedCall("diary", .put, Located(text("/food-diary/weights/{path.date}/{path.half}")))
        save.body = value("{body}")
        put.first = [PlannedPart("save", .call(save))]
        put.parts = .named([day("{path.date}", .optional)])
        gateway.add(try EndpointPlan(put, upstreams))
    }
}
