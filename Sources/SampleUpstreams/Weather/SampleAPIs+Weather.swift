internal import ASCIIText
internal import Sluice

/// The Korean weather agency's API for points on its grid.
extension SampleAPIs {
    func declareWeather(on gateway: Gateway) {
        gateway.group("/weather", .envelope(.custom(AgencyEnvelope()))) { weather in
            weather.get("/getUltraSrtNcst") { request in
                try page(of: request, as: .now) { weather, point in try weather.nowCast(at: point) }
            }
            weather.get("/getUltraSrtFcst") { request in
                try page(of: request, as: .forecast) { weather, point in try weather.shortForecast(at: point)
                }
            }
            weather.get("/getVilageFcst") { request in
                try page(of: request, as: .forecast) { weather, point in try weather.longForecast(at: point) }
            }
        }
    }

    private enum DataType: String, CaseIterable, RequestValue { case json = "JSON" }

    /// Answers with a page of what the agency issues for a point.
    private func page(
        of request: GatewayRequest, as call: FaultSwitch,
        _ issue: @escaping @Sendable (Weather, GridPoint) throws -> Weather.Issue?
    ) throws -> Single<Answer> {
        let (nx, ny, page, size, _) = try request.parameters(
            .query("nx", as: Int.self).in(GridPoint.columns),
            .query("ny", as: Int.self).in(GridPoint.rows),
            .query("pageNo", as: Int.self).in(1...10_000).default(1),
            .query("numOfRows", as: Int.self).in(1...1000).default(10),
            .query("dataType", as: DataType.self).default(.json))
        let point = GridPoint(nx: nx, ny: ny)
        return answer(to: request, as: call) { data in
            guard let issue = try issue(data.weather, point),
                case let items = issue.items.dropFirst((page - 1) * size).prefix(size),
                !items.isEmpty
            else { throw GatewayError(AgencyEnvelope.noData, "No station is near, or the page is empty") }
            return .json([
                "dataType": "JSON",
                "items": ["item": .init(items.map { $0.json(issuedAt: issue.issuedAt, at: point) })],
                "pageNo": .init(page), "numOfRows": .init(size), "totalCount": .init(issue.items.count),
            ])
        }
    }
}

extension Weather.Item {
    fileprivate func json(issuedAt: Int, at point: GridPoint) -> JSONLiteral {
        let (baseDate, baseTime) = Self.text(minutes: issuedAt)
        guard let hour else {
            return [
                "baseDate": baseDate, "baseTime": baseTime, "category": .init(category),
                "nx": .init(point.nx), "ny": .init(point.ny), "obsrValue": .init(value),
            ]
        }
        let (date, time) = Self.text(minutes: hour * 60)
        return [
            "baseDate": baseDate, "baseTime": baseTime, "category": .init(category),
            "fcstDate": date, "fcstTime": time,
            "nx": .init(point.nx), "ny": .init(point.ny), "fcstValue": .init(value),
        ]
    }

    /// Returns `20261120` and `0800` for minutes since 1970 in Korea.
    private static func text(minutes: Int) -> (date: JSONLiteral, time: JSONLiteral) {
        let date = GregorianCalendar.date(daysSince1970: minutes / 1440)
        let time = minutes / 60 % 24 * 100 + minutes % 60
        return (
            .init(String(date.year * 10_000 + date.month * 100 + date.day)),
            .init(String(String(10_000 + time).dropFirst()))
        )
    }
}
