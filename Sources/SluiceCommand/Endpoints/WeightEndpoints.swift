import GatewayCore
import HTTPModel
import JSONBytes
import Networking
import Rx

/// The weight screen of the food diary: two charts and the weights of a day, from one upstream.
struct WeightEndpoints {
    private let diary: Provider<DiaryAPI>

    static func declare(on gateway: Gateway) {
        WeightEndpoints(diary: gateway.provider(DiaryAPI.self, upstream: "diary")).declare(on: gateway)
    }

    private func declare(on gateway: Gateway) {
        gateway.get("/api/weights/charts") { request in
            let date = try request.query("fddDate", as: CalendarDate.self)
            return Observable.combineLatest(
                diary.rx.request(.weights(date, .recent)).fragment().asObservable().part("recent"),
                diary.rx.request(.weights(date, .total)).fragment().asObservable().part("total")
            ) { recent, total in Answer.parts(recent, total) }
        }

        gateway.get("/api/weights/today") { request in
            let date = try request.query("fddDate", as: CalendarDate.self)
            return .parts(today: diary.rx.request(.day(date)).fragment())
        }

        gateway.get("/api/weights/screen") { request in
            screen(try request.query("fddDate", as: CalendarDate.self))
        }

        // Every write answers with the new screen, or with 412 if somebody has changed the weight meanwhile
        // (`If-Match`). If only reading the screen fails, the weight is stored and the answer is partial.
        gateway.put("/api/weights/{date}/{half}") { request in
            let date = try request.path("date", as: CalendarDate.self)
            let half = try request.path("half", as: DiaryAPI.Half.self)
            let entry = try request.json(as: WeightEntry.self)
            return .first(
                register: diary.rx.request(.register(date, half, entry, request.conditions)).fragment()
            )
            .then { screen(date).optionalParts() }
        }

        gateway.delete("/api/weights/{date}/{half}") { request in
            let date = try request.path("date", as: CalendarDate.self)
            let half = try request.path("half", as: DiaryAPI.Half.self)
            return .first(delete: diary.rx.request(.delete(date, half, request.conditions)).fragment())
                .then { screen(date).optionalParts() }
        }
    }

    private func screen(_ date: CalendarDate) -> Answer {
        .parts(
            recent: diary.rx.request(.weights(date, .recent)).fragment(),
            total: diary.rx.request(.weights(date, .total)).fragment(),
            today: diary.rx.request(.day(date)).fragment())
    }
}
