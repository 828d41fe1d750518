internal import ASCIIText
private import Glibc

/// The weather of an hour at a point, so that examples never go stale. It depends only on the hour and the
/// point, changes little from one to the next, and is warmest in summer, in the south and at 15 h.
struct SimulatedWeather {
    /// The kind of precipitation, with the weather agency's codes.
    enum Precipitation: Int { case none, rain, sleet, snow }

    /// Tenths of a degree Celsius.
    let temperature: Int
    /// Per cent.
    let humidity: Int
    let precipitation: Precipitation
    /// Tenths of a millimetre per hour; 0 without precipitation.
    let amount: Int
    /// 1 clear, 3 mostly cloudy, 4 overcast.
    let sky: Int
    /// Per cent.
    let chanceOfRain: Int
    /// Where the wind comes from, in degrees clockwise from north, 0 to 359.
    let windDirection: Int
    /// Tenths of a metre per second.
    let windSpeed: Int

    /// Monthly mean temperatures in Seoul, in degrees Celsius.
    private static let means = [-2.0, 0.7, 6.1, 12.6, 18.2, 22.7, 25.3, 26.1, 21.6, 15.0, 7.5, 0.2]

    /// `hour` counts hours since 1970-01-01 00 h, in Korea.
    init(hour: Int, at point: GridPoint) {
        // The weather moves to the north-east.
        let phase = hour + 1_000 - point.nx - point.ny
        let wetness = Noise.wave(phase, period: 30, seed: 11)
        let cloud = Noise.wave(phase, period: 17, seed: 12)
        let warmth =
            Self.season(hour / 24) + 0.05 * Double(127 - point.ny)
            + 4.5 * Self.warmthOfDay(hour % 24) + 2.5 * Noise.wave(phase, period: 60, seed: 13)
            + 0.2 * Noise.value(phase, seed: 14)
        let wet = max(0, wetness - 0.6)
        temperature = Int((warmth * 10).rounded())
        amount = wet > 0 ? max(1, Int((wet * 120).rounded())) : 0
        precipitation = wet == 0 ? .none : warmth < 0 ? .snow : warmth < 2 ? .sleet : .rain
        sky = wet > 0 || cloud > 0.5 ? 4 : cloud > 0 ? 3 : 1
        chanceOfRain = wet > 0 ? 60 + min(30, Int(wet * 80) / 10 * 10) : sky == 1 ? 0 : sky == 3 ? 20 : 30
        humidity = min(
            98,
            max(15, Int(60 + 18 * wetness - 8 * Self.warmthOfDay(hour % 24)) + (wet > 0 ? 15 : 0)))
        windDirection = Int((Noise.wave(phase, period: 40, seed: 15) + 1) * 179.9)
        windSpeed = Int(22 + 18 * Noise.wave(phase, period: 11, seed: 16))
    }

    /// Returns the mean temperature of the season, interpolated between months.
    ///
    /// - Parameter days: days since 1970-01-01.
    private static func season(_ days: Int) -> Double {
        let day = GregorianCalendar.date(daysSince1970: days)
        let month = day.month - 1
        let part = Double(day.day - 15) / 31
        let neighbour = means[(month + (part < 0 ? 11 : 1)) % 12]
        return means[month] + (neighbour - means[month]) * abs(part)
    }

    /// Returns the warmth of an hour, from -1 at 3 h to 1 at 15 h.
    private static func warmthOfDay(_ hour: Int) -> Double {
        let away = abs(hour - 15)
        let part = Double(min(away, 24 - away)) / 12
        return 1 - 2 * part * part * (3 - 2 * part)
    }

    /// The eastward and northward components of the wind, in tenths of a metre per second.
    var windEastward: Int { component(sin) }
    var windNorthward: Int { component(cos) }

    private func component(_ part: (Double) -> Double) -> Int {
        Int((-Double(windSpeed) * part(Double(windDirection) * .pi / 180)).rounded())
    }
}
