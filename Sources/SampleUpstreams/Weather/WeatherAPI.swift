internal import HTTPModel
internal import JSONBytes

/// The weather agency's API, in the agency's envelope: errors are result codes with HTTP status 200.
enum WeatherAPI: SampleAPI {
    static let routes = [
        SampleRoute(.get, "/weather/getUltraSrtNcst") { (input) throws(Refusal) in
            try call(input, .now) { (weather, point) throws(SampleDataError) in
                try weather.nowCast(at: point)
            }
        },
        SampleRoute(.get, "/weather/getUltraSrtFcst") { (input) throws(Refusal) in
            try call(input, .forecast) { (weather, point) throws(SampleDataError) in
                try weather.shortForecast(at: point)
            }
        },
        SampleRoute(.get, "/weather/getVilageFcst") { (input) throws(Refusal) in
            try call(input, .forecast) { (weather, point) throws(SampleDataError) in
                try weather.longForecast(at: point)
            }
        },
    ]

    private enum ResultCode: String {
        case normalService = "00"
        case noData = "03"
        case invalidParameter = "10"

        var text: String {
            switch self {
            case .normalService: "NORMAL_SERVICE"
            case .noData: "NO_DATA"
            case .invalidParameter: "INVALID_REQUEST_PARAMETER_ERROR"
            }
        }
    }

    /// An invalid parameter is a result code too.
    static func answer(to refusal: Refusal) -> HTTPResponse { answer(.invalidParameter) }

    private static func call(
        _ input: SampleInput, _ faultSwitch: FaultSwitch,
        _ issue: @escaping @Sendable (Weather, GridPoint) throws(SampleDataError) -> Weather.Issue?
    ) throws(Refusal) -> SampleCall {
        let point = GridPoint(
            nx: try input.integer("nx", in: GridPoint.columns),
            ny: try input.integer("ny", in: GridPoint.rows))
        let page = try input.integer("pageNo", in: 1...10_000, default: 1)
        let size = try input.integer("numOfRows", in: 1...1000, default: 10)
        let type = try input.text("dataType") ?? "JSON"
        guard type == "JSON" else { throw Refusal("dataType must be JSON") }
        return .query(faultSwitch) { (data) throws(SampleDataError) in
            guard let issue = try issue(data.weather, point) else { return answer(.noData) }
            let items = issue.items.dropFirst((page - 1) * size).prefix(size)
            guard !items.isEmpty else { return answer(.noData) }
            return answer(.normalService) { composer in
                composer.beginObject()
                composer.key("dataType")
                composer.string("JSON")
                composer.key("items")
                composer.beginObject()
                composer.key("item")
                composer.beginArray()
                for item in items { append(item, issuedAt: issue.issuedAt, point, to: &composer) }
                composer.endArray()
                composer.endObject()
                composer.key("pageNo")
                composer.int(page)
                composer.key("numOfRows")
                composer.int(size)
                composer.key("totalCount")
                composer.int(issue.items.count)
                composer.endObject()
            }
        }
    }

    private static func answer(
        _ code: ResultCode, body write: ((inout JSONComposer) -> Void)? = nil
    ) -> HTTPResponse {
        var composer = JSONComposer()
        composer.beginObject()
        composer.key("response")
        composer.beginObject()
        composer.key("header")
        composer.beginObject()
        composer.key("resultCode")
        composer.string(code.rawValue)
        composer.key("resultMsg")
        composer.string(code.text)
        composer.endObject()
        if let write {
            composer.key("body")
            write(&composer)
        }
        composer.endObject()
        composer.endObject()
        return HTTPResponse(status: .ok, fields: GenericResponse.fields, body: composer.finish())
    }

    private static func append(
        _ item: Weather.Item, issuedAt: Int, _ point: GridPoint, to composer: inout JSONComposer
    ) {
        composer.beginObject()
        appendTime(issuedAt, "base", to: &composer)
        composer.key("category")
        composer.string(item.category)
        if let hour = item.hour { appendTime(hour * 60, "fcst", to: &composer) }
        composer.key("nx")
        composer.int(point.nx)
        composer.key("ny")
        composer.int(point.ny)
        composer.key(item.hour == nil ? "obsrValue" : "fcstValue")
        composer.string(item.value)
        composer.endObject()
    }

    /// Appends `"baseDate":"20261120","baseTime":"0800"` for minutes since 1970 in Korea.
    private static func appendTime(_ minutes: Int, _ name: String, to composer: inout JSONComposer) {
        let date = CalendarDay(number: minutes / 1440).description.filter { $0 != "-" }
        let digits = String(10_000 + minutes / 60 % 24 * 100 + minutes % 60)
        composer.key("\(name)Date")
        composer.string(date)
        composer.key("\(name)Time")
        composer.string(String(digits.dropFirst()))
    }
}
