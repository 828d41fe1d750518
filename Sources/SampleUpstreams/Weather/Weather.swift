/// The weather agency's nowcasts and forecasts. Not thread-safe.
final class Weather {
    /// One value of one category.
    struct Item: Equatable {
        let category: String
        let value: String
        /// The hour of a forecast, in hours since 1970 in Korea; nil in a nowcast.
        var hour: Int?
    }

    /// A nowcast or forecast for a point.
    struct Issue: Equatable {
        /// Minutes since 1970 in Korea.
        let issuedAt: Int
        let items: [Item]
    }

    private let stations: WeatherStations
    private let now: () -> Int

    /// `now` returns seconds since 1970.
    init(stations: WeatherStations, now: @escaping () -> Int) {
        self.stations = stations
        self.now = now
    }

    /// Returns the weather at the start of the current hour, in eight categories; nil if no station is near.
    func nowCast(at point: GridPoint) throws(SampleDataError) -> Issue? {
        guard try stations.cover(point) else { return nil }
        let hour = hourInKorea
        let weather = SimulatedWeather(hour: hour, at: point)
        let items = [
            Item(category: "PTY", value: "\(weather.precipitation.rawValue)"),
            Item(category: "REH", value: "\(weather.humidity)"),
            Item(category: "RN1", value: Self.tenths(weather.amount)),
            Item(category: "T1H", value: Self.tenths(weather.temperature)),
            Item(category: "UUU", value: Self.tenths(weather.windEastward)),
            Item(category: "VEC", value: "\(weather.windDirection)"),
            Item(category: "VVV", value: Self.tenths(weather.windNorthward)),
            Item(category: "WSD", value: Self.tenths(weather.windSpeed)),
        ]
        return Issue(issuedAt: hour * 60, items: items)
    }

    /// Returns the next six hours in ten categories, one by one, issued at half past; nil if no station is
    /// near.
    func shortForecast(at point: GridPoint) throws(SampleDataError) -> Issue? {
        guard try stations.cover(point) else { return nil }
        let hour = hourInKorea
        let weather = (hour..<hour + 6).map { SimulatedWeather(hour: $0, at: point) }
        let categories: [(String, (SimulatedWeather) -> String)] = [
            ("LGT", { _ in "0" }),
            ("PTY", { "\($0.precipitation.rawValue)" }),
            ("RN1", Self.rain),
            ("SKY", { "\($0.sky)" }),
            ("T1H", { "\($0.temperature.dividedRounding(by: 10))" }),
            ("REH", { "\($0.humidity)" }),
            ("UUU", { Self.tenths($0.windEastward) }),
            ("VVV", { Self.tenths($0.windNorthward) }),
            ("VEC", { "\($0.windDirection)" }),
            ("WSD", { "\($0.windSpeed.dividedRounding(by: 10))" }),
        ]
        let items = categories.flatMap { name, value in
            weather.enumerated().map { Item(category: name, value: value($1), hour: hour + $0) }
        }
        return Issue(issuedAt: hour * 60 - 30, items: items)
    }

    /// Returns the next three days by the hour, in twelve categories, with each day's lowest temperature at 6
    /// h and highest at 15 h. Issued every three hours from 2 h on. nil if no station is near.
    func longForecast(at point: GridPoint) throws(SampleDataError) -> Issue? {
        guard try stations.cover(point) else { return nil }
        let issued = hourInKorea - (hourInKorea + 1) % 3
        let items = (issued + 1...issued + 72).flatMap { hour in
            hourly(SimulatedWeather(hour: hour, at: point), hour: hour) + extremes(hour: hour, at: point)
        }
        return Issue(issuedAt: issued * 60, items: items)
    }

    private func hourly(_ weather: SimulatedWeather, hour: Int) -> [Item] {
        [
            ("TMP", "\(weather.temperature.dividedRounding(by: 10))"),
            ("UUU", Self.tenths(weather.windEastward)),
            ("VVV", Self.tenths(weather.windNorthward)),
            ("VEC", "\(weather.windDirection)"),
            ("WSD", Self.tenths(weather.windSpeed)),
            ("SKY", "\(weather.sky)"),
            ("PTY", "\(weather.precipitation.rawValue)"),
            ("POP", "\(weather.chanceOfRain)"),
            ("WAV", "0"),
            ("PCP", weather.precipitation == .snow ? "강수없음" : Self.rain(weather)),
            ("REH", "\(weather.humidity)"),
            ("SNO", weather.precipitation == .snow ? "\(Self.tenths(weather.amount))cm" : "적설없음"),
        ].map { Item(category: $0, value: $1, hour: hour) }
    }

    private func extremes(hour: Int, at point: GridPoint) -> [Item] {
        guard hour % 24 == 6 || hour % 24 == 15 else { return [] }
        let midnight = hour - hour % 24
        let temperatures = (midnight..<midnight + 24).map {
            SimulatedWeather(hour: $0, at: point).temperature
        }
        let isLowest = hour % 24 == 6
        let value = (isLowest ? temperatures.min() : temperatures.max()) ?? 0
        return [Item(category: isLowest ? "TMN" : "TMX", value: Self.tenths(value), hour: hour)]
    }

    /// Korea is nine hours ahead of UTC, all year.
    private var hourInKorea: Int { (now() + 9 * 3600) / 3600 }

    private static func rain(_ weather: SimulatedWeather) -> String {
        weather.amount == 0 ? "강수없음" : "\(tenths(weather.amount))mm"
    }

    /// `-4.2` for -42.
    private static func tenths(_ value: Int) -> String {
        "\(value < 0 ? "-" : "")\(abs(value) / 10).\(abs(value) % 10)"
    }
}

extension Int {
    /// Returns the quotient, rounded to the nearest integer.
    fileprivate func dividedRounding(by unit: Int) -> Int { Int((Double(self) / Double(unit)).rounded()) }
}
