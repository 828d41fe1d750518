import FoundationEssentials
import GatewayCore
import HTTPModel
import JSONBytes
import Networking
import Rx
import SampleUpstreams

/// The home screen: the weights, which are required, and the weather, the tags and the user, which are
/// optional.
struct HomeEndpoint {
    private let diary: Provider<DiaryAPI>
    private let weather: Provider<WeatherAPI>
    private let tags: Provider<TagsAPI>
    private let users: Provider<UsersAPI>

    static func declare(on gateway: Gateway) {
        // Short limits: optional parts must not delay the screen.
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
                tags: Part(allTags()).optional(),
                user: Part(profile(of: name)).optional())
        }
    }

    /// `{"recent":...,"today":...}` as one part, which fails if either call fails.
    private func weights(of date: CalendarDate) -> Single<[String: JSONFragment]> {
        Single.zip(
            diary.rx.request(.weights(date, .recent)).fragment(), diary.rx.request(.day(date)).fragment()
        ) { ["recent": $0, "today": $1] }
    }

    /// `{"forecast":...,"now":...}` with the forecast for the next hours.
    private func weather(at point: GridPoint) -> Single<[String: JSONFragment]> {
        Single.zip(
            weather.rx.request(.nowCast(point)).fragment(),
            weather.rx.request(.forecast(point, convenience: true, page: 1)).fragment()
        ) { ["now": $0, "forecast": $1] }
    }

    private func allTags() -> Single<JSONFragment> {
        tags.rx.request(.all).fragment(at: .root, as: .array)
    }

    private func profile(of name: UserName) -> Single<JSONFragment> {
        users.rx.request(.user(name)).fragment(at: UsersAPI.profile, as: .object)
    }
}

extension CalendarDate {
    /// The sample upstreams use the same day.
    fileprivate static func todayInUTC() throws(GatewayError) -> CalendarDate {
        let days = Int((Date().timeIntervalSince1970 / 86_400).rounded(.down))
        guard let today = CalendarDate(daysSince1970: days) else {
            throw GatewayError(.internal, "The system clock is after the year 9999")
        }
        return today
    }
}
