import FoundationEssentials
import GatewayCore
import HTTPModel
import JSONBytes
import Networking
import Rx

/// The first screen: the weights, and beside them the weather, the tags and the user, without which it can do.
struct HomeEndpoint {
    private let diary: Provider<DiaryAPI>
    private let weather: Provider<WeatherAPI>
    private let tags: Provider<TagsAPI>
    private let users: Provider<UsersAPI>

    static func declare(on gateway: Gateway) {
        // What the screen can do without does not keep it waiting for long.
        var brief = CallPolicy()
        brief.totalTimeout = .seconds(3)
        HomeEndpoint(
            diary: gateway.provider(DiaryAPI.self, upstream: "diary"),
            weather: gateway.provider(WeatherAPI.self, upstream: "weather", policy: brief),
            tags: gateway.provider(TagsAPI.self, upstream: "tags", policy: brief),
            users: gateway.provider(UsersAPI.self, upstream: "users", policy: brief)
        ).declare(on: gateway)
    }

    private func declare(on gateway: Gateway) {
        gateway.get("/api/home") { request in
            let date = try request.query("date", default: CalendarDate.todayInUTC())
            let point = GridPoint(
                nx: try request.query("nx", in: GridPoint.columns, default: GridPoint.seoul.nx),
                ny: try request.query("ny", in: GridPoint.rows, default: GridPoint.seoul.ny))
            let name = try request.query("user", default: UserName.green)
            return .parts(
                weights: weights(of: date),
                weather: Part(weather(at: point)).optional(),
                tags: Part(tags.rx.request(.all).fragment(at: .root, as: .array)).optional(),
                user: Part(users.rx.request(.user(name)).fragment(at: UsersAPI.profile, as: .object))
                    .optional())
        }
    }

    /// `{"recent":...,"today":...}`: one part, which fails with either call.
    private func weights(of date: CalendarDate) -> Single<[String: JSONFragment]> {
        Single.zip(
            diary.rx.request(.weights(date, .recent)).fragment(), diary.rx.request(.day(date)).fragment()
        ) { ["recent": $0, "today": $1] }
    }

    /// `{"forecast":...,"now":...}`, the forecast for the next hours.
    private func weather(at point: GridPoint) -> Single<[String: JSONFragment]> {
        Single.zip(
            weather.rx.request(.nowCast(point)).fragment(),
            weather.rx.request(.forecast(point, convenience: true, page: 1)).fragment()
        ) { ["now": $0, "forecast": $1] }
    }
}

extension CalendarDate {
    /// The sample upstreams' day too.
    fileprivate static func todayInUTC() throws(GatewayError) -> CalendarDate {
        let days = Int((Date().timeIntervalSince1970 / 86_400).rounded(.down))
        guard let today = CalendarDate(daysSince1970: days) else {
            throw GatewayError(.internal, "the clock is beyond the year 9999")
        }
        return today
    }
}
