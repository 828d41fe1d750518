internal import Sluice

/// The data of all sample APIs. Not thread-safe.
final class SampleData {
    let diary: Diary
    let weather: Weather
    let places: Places
    let users: UserDirectory
    let tags: TagStore

    /// `now` returns seconds since 1970 and is called for each request.
    init(path: String, now: @escaping @Sendable () -> Int) throws(SampleDataError) {
        let database = try SampleDatabase(path: path)
        // A page shows its visitor's day, which may be 14 hours ahead of UTC.
        let today = { () -> CalendarDate in
            guard let day = CalendarDate(daysSince1970: (now() + 14 * 3600) / 86_400) else {
                preconditionFailure("the clock is after the year 9999")
            }
            return day
        }
        diary = Diary(store: try DiaryStore(database), today: today)
        weather = Weather(stations: try WeatherStations(database), now: now)
        places = Places(store: try PathStore(database), today: today)
        users = try UserDirectory(database)
        tags = try TagStore(database)
    }
}
