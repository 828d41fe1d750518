internal import ASCIIText
internal import Sluice

/// Evaluates paths: distances, stays, and how a day's time was spent. Not thread-safe.
final class Places {
    struct Summary: Equatable {
        /// The sum of the distances between the points, in metres.
        let distance: Double
        /// Stays at named places, and long enough ones elsewhere.
        let stays: [Stay]
        /// The time from the first point to the last.
        let milliseconds: Int
    }

    /// The time of a day that was spent in a category.
    struct Slice: Equatable {
        let category: PlaceCategory
        let milliseconds: Int
        /// In tenths of a per cent. The shares of a chart add up to 1000.
        let share: Int
    }

    /// How a day's time was spent.
    struct PieChart: Equatable {
        /// Whether the chart is based on posted paths, not on simulated times.
        let isRecorded: Bool
        /// Largest first.
        let slices: [Slice]
    }

    /// A stay lasts while the points are within this distance of its first point, in metres.
    private static let stayRadius = 200.0
    /// A point belongs to a place within this distance, in metres.
    private static let placeRadius = 300.0
    /// The shortest stay that counts at an unnamed place, in milliseconds: five minutes.
    private static let shortestStay = 300_000

    private let store: PathStore
    private let today: () -> CalendarDate

    init(store: PathStore, today: @escaping () -> CalendarDate) {
        self.store = store
        self.today = today
    }

    /// Stores a path and returns its evaluation.
    func add(_ path: DailyPath) throws(SampleDataError) -> Summary {
        try store.add(path)
        return summary(of: path.points)
    }

    /// Returns how the time of a day (in UTC) was spent, by the paths of all users. Without paths the times
    /// are simulated; nil before 2020 and after today.
    func pieChart(of day: CalendarDate) throws(SampleDataError) -> PieChart? {
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
        guard day.daysSince1970 >= SimulatedWeights.firstDay, day <= today() else { return nil }
        return PieChart(isRecorded: false, slices: Self.slices(Self.simulatedTimes(of: day.daysSince1970)))
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
            if start.coordinate.distance(to: point.coordinate) > Self.stayRadius {
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
        guard let nearest, nearest.coordinate.distance(to: here) <= Self.placeRadius else {
            return Stay(place: .unknown(at: here), arrivedAt: start.at, leftAt: end.at)
        }
        return Stay(place: nearest, arrivedAt: start.at, leftAt: end.at)
    }

    private static func slices(_ times: [PlaceCategory: Int]) -> [Slice] {
        let total = times.values.reduce(0, +)
        let ordered = PlaceCategory.allCases.filter { times[$0, default: 0] > 0 }
            .sorted { times[$0, default: 0] > times[$1, default: 0] }
        // The largest slice gets the remainder.
        let shares = ordered.map { times[$0, default: 0] * 1000 / total }
        let rest = 1000 - shares.reduce(0, +)
        return ordered.enumerated().map { index, category in
            Slice(
                category: category, milliseconds: times[category, default: 0],
                share: shares[index] + (index == 0 ? rest : 0))
        }
    }

    /// Returns simulated times that add up to 24 hours, with work only on weekdays.
    private static func simulatedTimes(of day: Int) -> [PlaceCategory: Int] {
        // 1970-01-01 was a Thursday.
        let isWeekend = [2, 3].contains((day % 7 + 7) % 7)
        func minutes(_ usual: Int, _ seed: UInt64) -> Int {
            usual + Int(Double(usual) * 0.2 * Noise.value(day, seed: seed))
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
