internal import ASCIIText

/// Paths of days: how far they went, where they stayed, and what the time went to. Not thread-safe.
final class Places {
    /// What a path comes to.
    struct Summary: Equatable {
        /// Metres, from point to point.
        let distance: Double
        /// Those at a place that has a name or long enough to count.
        let stays: [Stay]
        /// From the first point to the last.
        let milliseconds: Int
    }

    /// The time that a day went to a category.
    struct Slice: Equatable {
        let category: PlaceCategory
        let milliseconds: Int
        /// Tenths of a per cent; those of a chart add up to 1000.
        let share: Int
    }

    struct PieChart: Equatable {
        /// Whether it is from paths, and not only plausible.
        let isRecorded: Bool
        /// The largest first.
        let slices: [Slice]
    }

    /// Within so many metres of where it began, a stay goes on.
    private static let reachOfStay = 200.0
    /// So many metres around it, a place is meant.
    private static let reachOfPlace = 300.0
    /// A stay at a place without a name counts from so many milliseconds on: five minutes.
    private static let shortestStay = 300_000

    private let store: PathStore
    private let today: () -> CalendarDay

    init(store: PathStore, today: @escaping () -> CalendarDay) {
        self.store = store
        self.today = today
    }

    /// Keeps a path, and says what it comes to.
    func add(_ path: DailyPath) throws(SampleDataError) -> Summary {
        try store.add(path)
        return summary(of: path.points)
    }

    /// Where the time of a day (in UTC) went: that of the paths kept, all users' together, else something plausible;
    /// nil before 2020 and after today, where there is neither.
    func pieChart(of day: CalendarDay) throws(SampleDataError) -> PieChart? {
        var times: [PlaceCategory: Int] = [:]
        for points in try store.points(on: day).values {
            let summary = summary(of: points)
            var rest = summary.milliseconds
            for stay in summary.stays where stay.milliseconds > 0 {
                times[stay.place.category, default: 0] += stay.milliseconds
                rest -= stay.milliseconds
            }
            if rest > 0 { times[.transit, default: 0] += rest }
        }
        if !times.isEmpty { return PieChart(isRecorded: true, slices: Self.slices(times)) }
        guard day >= PlausibleWeights.firstDay, day <= today() else { return nil }
        return PieChart(isRecorded: false, slices: Self.slices(Self.plausibleTimes(of: day)))
    }

    private func summary(of points: [PathPoint]) -> Summary {
        guard let first = points.first, let last = points.last else {
            return Summary(distance: 0, stays: [], milliseconds: 0)
        }
        var distance = 0.0
        var stays: [Stay] = []
        var start = first
        var previous = first
        for point in points.dropFirst() {
            distance += previous.coordinate.distance(to: point.coordinate)
            if start.coordinate.distance(to: point.coordinate) > Self.reachOfStay {
                stays.append(stay(from: start, to: previous))
                start = point
            }
            previous = point
        }
        stays.append(stay(from: start, to: previous))
        return Summary(
            distance: distance,
            stays: stays.filter { store.places.contains($0.place) || $0.milliseconds >= Self.shortestStay },
            milliseconds: last.at.millisecondsSince1970 - first.at.millisecondsSince1970)
    }

    private func stay(from start: PathPoint, to end: PathPoint) -> Stay {
        let here = start.coordinate
        let nearest = store.places.min {
            $0.coordinate.distance(to: here) < $1.coordinate.distance(to: here)
        }
        guard let nearest, nearest.coordinate.distance(to: here) <= Self.reachOfPlace else {
            return Stay(place: .unknown(at: here), arrivedAt: start.at, leftAt: end.at)
        }
        return Stay(place: nearest, arrivedAt: start.at, leftAt: end.at)
    }

    private static func slices(_ times: [PlaceCategory: Int]) -> [Slice] {
        let total = times.values.reduce(0, +)
        let ordered = PlaceCategory.allCases.filter { times[$0, default: 0] > 0 }
            .sorted { times[$0, default: 0] > times[$1, default: 0] }
        // What rounding down leaves goes to the largest.
        let shares = ordered.map { times[$0, default: 0] * 1000 / total }
        let rest = 1000 - shares.reduce(0, +)
        return ordered.enumerated().map { place, category in
            Slice(
                category: category, milliseconds: times[category, default: 0],
                share: shares[place] + (place == 0 ? rest : 0))
        }
    }

    /// A day of 24 hours: work on weekdays, more of all else on the others.
    private static func plausibleTimes(of day: CalendarDay) -> [PlaceCategory: Int] {
        // 1970-01-01 was a Thursday.
        let isWeekend = [2, 3].contains((day.number % 7 + 7) % 7)
        func minutes(_ usual: Int, _ seed: UInt64) -> Int {
            usual + Int(Double(usual) * 0.2 * Plausible.noise(day.number, seed: seed))
        }
        var times: [PlaceCategory: Int] = [
            .transit: minutes(isWeekend ? 60 : 90, 21), .food: minutes(isWeekend ? 120 : 80, 22),
            .cafe: minutes(isWeekend ? 90 : 30, 23), .exercise: minutes(isWeekend ? 90 : 40, 24),
        ]
        if !isWeekend { times[.work] = minutes(480, 25) }
        times[.home] = 1440 - times.values.reduce(0, +)
        return times.mapValues { $0 * 60_000 }
    }
}
