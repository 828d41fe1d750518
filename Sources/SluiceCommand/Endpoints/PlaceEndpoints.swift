import GatewayCore
import HTTPModel
import JSONBytes
import Networking
import Rx

/// The summary screen: a day's path is posted, and what its time went to is drawn as a pie.
struct PlaceEndpoints {
    private let places: Provider<PlacesAPI>

    static func declare(on gateway: Gateway) {
        PlaceEndpoints(places: gateway.provider(PlacesAPI.self, upstream: "places")).declare(on: gateway)
    }

    private func declare(on gateway: Gateway) {
        // The most points there may be, and room for blanks.
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
