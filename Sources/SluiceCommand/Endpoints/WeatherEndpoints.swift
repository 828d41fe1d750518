import GatewayCore
import HTTPModel
import JSONBytes
import Networking
import Rx
import SampleUpstreams

/// The weather at a point: one answer from two calls.
struct WeatherEndpoints {
    private let weather: Provider<WeatherAPI>

    static func declare(on gateway: Gateway) {
        WeatherEndpoints(weather: gateway.provider(WeatherAPI.self, upstream: "weather")).declare(on: gateway)
    }

    private func declare(on gateway: Gateway) {
        gateway.get("/api/weather") { request in
            let point = GridPoint(
                nx: try request.query("nx", in: GridPoint.columns),
                ny: try request.query("ny", in: GridPoint.rows))
            let convenience = try request.query("convenience", default: false)
            let page = try request.query("page", in: 1...1000, default: 1)
            return .parts(
                now: weather.rx.request(.nowCast(point)).fragment(),
                forecast: weather.rx.request(.forecast(point, convenience: convenience, page: page))
                    .fragment())
        }
    }
}
