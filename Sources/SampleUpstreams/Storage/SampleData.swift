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
        let today = { CalendarDay(secondsSince1970: now()) }
        diary = Diary(store: try DiaryStore(database), today: today)
        weather = Weather(stations: try WeatherStations(database), now: now)
        places = Places(store: try PathStore(database), today: today)
        users = try UserDirectory(database)
        tags = try TagStore(database)
    }
}
