internal import Sluice

/// The food diary's weights, simulated unless recorded. Not thread-safe.
final class Diary {
    private let store: DiaryStore
    private let today: () -> CalendarDate

    /// A point of a chart. Its label is a day or a month.
    struct Point: Equatable, Sendable {
        let label: String
        let weights: WeightPair
    }

    /// What became of a change.
    enum Change: Equatable, Sendable {
        /// The weights of the day after it.
        case done(WeightPair)
        /// A condition did not hold: the weights of the day.
        case conflict(WeightPair)
        /// The day is after this one, the latest day anywhere.
        case isLater(than: CalendarDate)
        /// The visitor has `DiaryStore.recordLimit` records.
        case tooMany
    }

    /// - Parameter today: the latest day that it is anywhere on earth.
    init(store: DiaryStore, today: @escaping () -> CalendarDate) {
        self.store = store
        self.today = today
    }

    /// Returns the weights of a day; nil for halves without a weight.
    func weights(on day: CalendarDate, of visitor: SampleVisitor? = nil) throws(SampleDataError) -> WeightPair
    {
        try weights(from: day, to: day, of: visitor)[day] ?? WeightPair()
    }

    /// Returns the seven days up to `day`, without days that have no weight.
    func lastWeek(of day: CalendarDate, for visitor: SampleVisitor? = nil) throws(SampleDataError) -> [Point]
    {
        let days = (-6...0).compactMap { day.adding(days: $0) }
        let weights = try weights(from: days.first ?? day, to: day, of: visitor)
        return days.compactMap { day in
            weights[day].map { Point(label: day.description, weights: $0) }
        }
    }

    /// Returns the means of the twelve months up to `day`, without months that have no weight. Days after
    /// `day` do not count.
    func lastYear(of day: CalendarDate, for visitor: SampleVisitor? = nil) throws(SampleDataError) -> [Point]
    {
        // Months since January of the year 0, but not before the calendar's first.
        let month = max(day.year * 12 + day.month - 12, 12)
        let first = CalendarDate(year: month / 12, month: month % 12 + 1, day: 1) ?? day
        let weights = try weights(from: first, to: day, of: visitor)
        let months = Dictionary(grouping: weights) { $0.key.description.prefix(7) }
        return months.keys.sorted().map { month in
            let days = (months[month] ?? []).map(\.value)
            let means = WeightPair(
                morning: Weight.mean(days.compactMap(\.morning)),
                evening: Weight.mean(days.compactMap(\.evening)))
            return Point(label: String(month), weights: means)
        }
    }

    /// Records a weight if all conditions hold; nil deletes it permanently, so that no simulated weight takes
    /// its place. A missing weight can be deleted.
    func record(
        _ weight: Weight?, on day: CalendarDate, _ half: DayHalf, of visitor: SampleVisitor? = nil,
        if conditions: RequestConditions? = nil
    ) throws(SampleDataError) -> Change {
        let today = today()
        guard day <= today else { return .isLater(than: today) }
        var change = Change.tooMany
        try store.transaction { () throws(SampleDataError) in
            let before = try weights(on: day, of: visitor)
            guard conditions?.allowChange(of: before[half]?.entityTag) != false else {
                change = .conflict(before)
                return
            }
            if let visitor, try store.isFull(for: visitor) { return }
            try store.set(weight, on: day, half, of: visitor)
            change = .done(try weights(on: day, of: visitor))
        }
        return change
    }

    /// Returns the days with at least one weight.
    private func weights(
        from first: CalendarDate, to last: CalendarDate, of visitor: SampleVisitor?
    ) throws(SampleDataError) -> [CalendarDate: WeightPair] {
        let today = today()
        var weights: [CalendarDate: WeightPair] = [:]
        for number in first.daysSince1970...last.daysSince1970 {
            guard let day = CalendarDate(daysSince1970: number) else { continue }
            weights[day] = SimulatedWeights.weights(on: day, today: today)
        }
        for record in try store.records(from: first, to: last, of: visitor) {
            weights[record.day, default: WeightPair()][record.half] = record.weight
        }
        return weights.filter { !$0.value.isEmpty }
    }
}
