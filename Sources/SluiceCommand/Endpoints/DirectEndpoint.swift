import GatewayCore
import JSONBytes
import Networking
import Rx

/// Calls of the home screen as a page would make them without a gateway: one upstream call for each request, without retries,
/// and with the upstream's own body. A browser cannot call the sample upstreams itself, because they have another origin.
struct DirectEndpoint {
    private let diary: Provider<DiaryAPI>
    private let weather: Provider<WeatherAPI>
    private let tags: Provider<TagsAPI>
    private let users: Provider<UsersAPI>

    /// The calls of `HomeEndpoint`.
    private enum Call: String, CaseIterable, RequestValue { case recent, today, now, forecast, tags, user }

    static func declare(on gateway: Gateway) {
        // Without the gateway, too, the upstreams know the visitor.
        let gateway = AppGateway(gateway, hasVisitors: true)
        var once = CallPolicy()
        once.retry.maxAttempts = 1
        // A page would wait longer than the screens do.
        once.totalTimeout = .seconds(14)
        DirectEndpoint(
            diary: gateway.provider(DiaryAPI.self, upstream: "diary", policy: once),
            weather: gateway.provider(WeatherAPI.self, upstream: "weather", policy: once),
            tags: gateway.provider(TagsAPI.self, upstream: "tags", policy: once),
            users: gateway.provider(UsersAPI.self, upstream: "users", policy: once)
        ).declare(on: gateway)
    }

    /// `data.response` is what the upstream answered: `{"status":200,"body":"{...}"}`. Without a complete response it is null.
    private func declare(on gateway: AppGateway) {
        gateway.get("/demo/direct/{call}") { request in
            let date = try request.query("date", as: CalendarDate.self)
            let response = response(to: try request.path("call", as: Call.self), date)
            return .parts(
                response: Part(response.map { try JSONFragment(encoding: Received($0)) }).optional())
        }
    }

    private func response(to call: Call, _ date: CalendarDate) -> Single<Response> {
        switch call {
        case .recent: diary.rx.request(.weights(date, .recent))
        case .today: diary.rx.request(.day(date))
        case .now: weather.rx.request(.nowCast(.seoul))
        case .forecast: weather.rx.request(.forecast(.seoul, convenience: true, page: 1))
        case .tags: tags.rx.request(.all)
        case .user: users.rx.request(.user(.green))
        }
    }

    private struct Received: Encodable {
        let status: Int
        /// Invalid UTF-8 is replaced.
        let body: String

        init(_ response: Response) {
            status = response.statusCode
            body = String(decoding: response.data, as: UTF8.self)
        }
    }
}
