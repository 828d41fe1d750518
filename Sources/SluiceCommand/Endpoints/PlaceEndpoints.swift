import GatewayCore
import HTTPModel
import JSONBytes
import Networking
import Rx
import SampleUpstreams

/// The summary screen: stores a day's path and returns how the day was spent.
struct PlaceEndpoints {
    private let places: Provider<PlacesAPI>

    static func declare(on gateway: Gateway) {
        PlaceEndpoints(places: gateway.provider(PlacesAPI.self, upstream: "places")).declare(on: gateway)
    }

    private func declare(on gateway: Gateway) {
        // Enough for the maximum of points with white space.
        gateway.post("/api/daily/path", .bodyLimit(256 * 1024)) { request in
            let path = try request.json(as: DailyPath.self)
            try path.check()
            return .parts(path: places.rx.request(.addPath(path)).fragment())
        }

        gateway.get("/api/piechart") { request in
            let date = try request.query("date", as: CalendarDate.self)
            return .parts(piechart: places.rx.request(.pieChart(date)).fragment())
        }
    }
}
