import Gateway
import Networking
import Rx

/// The weight screen of a food diary: two charts and the weights of a day, from one upstream.
func declareWeightEndpoints(on gateway: Gateway) throws {
    let diary = try gateway.provider(DiaryAPI.self, upstream: "diary")

    func part(_ target: DiaryAPI) -> Single<JSONFragment> {
        diary.rx.request(target).fragment()
    }

    func screen(_ date: CalendarDate) -> Answer {
        .parts(
            recent: part(.weights(date, .recent)),
            total: part(.weights(date, .total)),
            today: part(.day(date)))
    }

    gateway.get("/api/weights/charts") { request in
        let date = try request.query("fddDate", as: CalendarDate.self)
        return .parts(
            recent: part(.weights(date, .recent)),
            total: part(.weights(date, .total)))
    }

    gateway.get("/api/weights/today") { request in
        let date = try request.query("fddDate", as: CalendarDate.self)
        return .parts(today: part(.day(date)))
    }

    gateway.get("/api/weights/screen") { request in
        screen(try request.query("fddDate", as: CalendarDate.self))
    }
}
