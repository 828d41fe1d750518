import Sluice
import TestSupport
import Testing

@testable import SampleUpstreams

@Suite("Weather API")
struct WeatherAPITests {
    private static let paths = [
        "/weather/getUltraSrtNcst", "/weather/getUltraSrtFcst", "/weather/getVilageFcst",
    ]

    private func header(_ answer: RawAnswerText) -> String? {
        answer.json?[member: "response"]?[member: "header"]?.description
    }

    private func body(_ answer: RawAnswerText) -> JSONFragment? {
        answer.json?[member: "response"]?[member: "body"]
    }

    private func items(_ answer: RawAnswerText) -> [JSONFragment] {
        body(answer)?[member: "items"]?[member: "item"]?.elements ?? []
    }

    @Test(
        "A missing or invalid parameter gets result code 10 with HTTP status 200", arguments: paths)
    func aPointOutsideTheGridIsResultCode10(path: String) throws {
        try withServer { server in
            let refused = [
                "", "?nx=60", "?ny=127", "?nx=0&ny=127", "?nx=150&ny=127", "?nx=60&ny=0", "?nx=60&ny=254",
                "?nx=sixty&ny=127", "?nx=60&nx=61&ny=127", "?nx=60&ny=127&pageNo=0",
                "?nx=60&ny=127&numOfRows=1001", "?nx=60&ny=127&dataType=XML", "?nx=%ZZ&ny=127",
            ]
            for query in refused {
                let answer = try server.send("GET", path + query)
                #expect(answer.status == 200, "\(query)")
                #expect(
                    header(answer)
                        == #"{"resultCode":"10","resultMsg":"INVALID_REQUEST_PARAMETER_ERROR"}"#,
                    "\(query)")
                #expect(body(answer) == nil)
            }
        }
    }

    @Test("A point far from any station, or a page beyond the last, gets result code 03", arguments: paths)
    func aPointWhereNobodyMeasuresIsResultCode03(path: String) throws {
        try withServer { server in
            for query in ["?nx=1&ny=253", "?nx=149&ny=1", "?nx=60&ny=127&pageNo=88"] {
                let answer = try server.send("GET", path + query)
                #expect(answer.status == 200)
                #expect(header(answer) == #"{"resultCode":"03","resultMsg":"NO_DATA"}"#, "\(query)")
            }
        }
    }

    @Test("The nowcast has eight categories for the current hour in Korea")
    func theNowCastHasEightCategories() throws {
        // 23 h in UTC is 8 h of the next day in Korea.
        try withServer(today: "2026-11-19", hour: 23) { server in
            let answer = try server.send("GET", "/weather/getUltraSrtNcst?nx=60&ny=127")
            #expect(header(answer) == #"{"resultCode":"00","resultMsg":"NORMAL_SERVICE"}"#)
            let page = try #require(self.body(answer))
            #expect(
                page.members.map(\.name) == ["dataType", "items", "pageNo", "numOfRows", "totalCount"])
            #expect(page[member: "totalCount"]?.intValue == 8)
            let items = items(answer)
            #expect(
                items.compactMap { $0[member: "category"]?.stringValue }
                    == ["PTY", "REH", "RN1", "T1H", "UUU", "VEC", "VVV", "WSD"])
            for item in items {
                #expect(
                    item.members.map(\.name) == ["baseDate", "baseTime", "category", "nx", "ny", "obsrValue"])
                #expect(item[member: "baseDate"]?.stringValue == "20261120")
                #expect(item[member: "baseTime"]?.stringValue == "0800")
                #expect(item[member: "nx"]?.intValue == 60)
                #expect(Double(item[member: "obsrValue"]?.stringValue ?? "") != nil)
            }
        }
    }

    @Test("The short forecast has ten categories for the next six hours")
    func theShortForecastIsSixHours() throws {
        try withServer(today: "2026-11-19", hour: 23) { server in
            let answer = try server.send("GET", "/weather/getUltraSrtFcst?nx=98&ny=76&numOfRows=100")
            let items = items(answer)
            #expect(items.count == 60)
            #expect(Set(items.compactMap { $0[member: "category"]?.stringValue }).count == 10)
            #expect(Set(items.compactMap { $0[member: "baseTime"]?.stringValue }) == ["0730"])
            #expect(
                items.prefix(6).compactMap { $0[member: "fcstTime"]?.stringValue }
                    == ["0800", "0900", "1000", "1100", "1200", "1300"])
        }
    }

    @Test("The pages of the long forecast together have its 870 values in order")
    func thePagesOfTheLongForecastAreAllOfIt() throws {
        try withServer(today: "2026-11-19", hour: 23) { server in
            let path = "/weather/getVilageFcst?nx=60&ny=127"
            let whole = items(try server.send("GET", path + "&numOfRows=1000"))
            #expect(whole.count == 870)
            #expect(Set(whole.compactMap { $0[member: "baseTime"]?.stringValue }) == ["0800"])
            #expect(whole.first?[member: "fcstTime"]?.stringValue == "0900")
            #expect(whole.last?[member: "fcstDate"]?.stringValue == "20261123")
            var pages: [JSONFragment] = []
            for page in 1...3 {
                let answer = try server.send("GET", path + "&numOfRows=400&pageNo=\(page)")
                #expect(body(answer)?[member: "pageNo"]?.intValue == page)
                #expect(body(answer)?[member: "totalCount"]?.intValue == 870)
                pages += items(answer)
            }
            #expect(pages.map(\.description) == whole.map(\.description))
            for category in ["TMN", "TMX"] {
                #expect(whole.filter { $0[member: "category"]?.stringValue == category }.count == 3)
            }
        }
    }
}

@Suite("Simulated weather")
struct SimulatedWeatherTests {
    private let seoul = GridPoint(nx: 60, ny: 127)
    /// The hour 2026-01-01 00:00.
    private let newYear = 20_454 * 24

    @Test("All values over a year are plausible")
    func everyValueCanBe() {
        for hour in newYear..<newYear + 365 * 24 {
            let weather = SimulatedWeather(hour: hour, at: seoul)
            #expect((-200...400).contains(weather.temperature), "\(hour)")
            #expect((15...98).contains(weather.humidity), "\(hour)")
            #expect((0..<360).contains(weather.windDirection), "\(hour)")
            #expect((1...50).contains(weather.windSpeed), "\(hour)")
            #expect((weather.amount > 0) == (weather.precipitation != .none), "\(hour)")
            #expect(weather.amount == 0 || weather.sky == 4, "\(hour)")
            #expect(weather.precipitation != .snow || weather.temperature <= 0, "\(hour)")
            let squares =
                weather.windEastward * weather.windEastward + weather.windNorthward * weather.windNorthward
            #expect(abs(squares - weather.windSpeed * weather.windSpeed) <= 60, "\(hour)")
        }
    }

    @Test(
        "Temperatures follow the season, the hour and the place, and change little from hour to hour")
    func itIsWarmWhereAndWhenItShouldBe() {
        func mean(_ hours: some Sequence<Int>, _ point: GridPoint) -> Int {
            let all = hours.map { SimulatedWeather(hour: $0, at: point).temperature }
            return all.reduce(0, +) / max(1, all.count)
        }
        let january = newYear..<newYear + 31 * 24
        let august = newYear + 212 * 24..<newYear + 243 * 24
        #expect(mean(august, seoul) > mean(january, seoul) + 200)
        #expect(
            mean(january.filter { $0 % 24 == 15 }, seoul) > mean(january.filter { $0 % 24 == 3 }, seoul) + 60)
        #expect(
            mean(january, GridPoint(nx: 52, ny: 38)) > mean(january, GridPoint(nx: 73, ny: 134)) + 30)
        let differences = january.map {
            abs(
                SimulatedWeather(hour: $0 + 1, at: seoul).temperature
                    - SimulatedWeather(hour: $0, at: seoul).temperature)
        }
        #expect(differences.max() ?? 0 < 40)
        let wet = (newYear..<newYear + 365 * 24).filter { SimulatedWeather(hour: $0, at: seoul).amount > 0 }
        #expect((200...3000).contains(wet.count), "\(wet.count)")
    }
}
