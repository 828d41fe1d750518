/// The food diary's weights, simulated unless recorded. Not thread-safe.
final class Diary {
    private let store: DiaryStore
    private let today: () -> CalendarDay

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
        case isLater(than: CalendarDay)
        /// The visitor has `DiaryStore.recordLimit` records.
        case tooMany
    }

    /// - Parameter today: the latest day that it is anywhere on earth.
    init(store: DiaryStore, today: @escaping () -> CalendarDay) {
        self.store = store
        self.today = today
    }

    /// Returns the weights of a day; nil for halves without a weight.
    func weights(on day: CalendarDay, of visitor: SampleVisitor? = nil) throws(SampleDataError) -> WeightPair
    {
        try weights(from: day, to: day, of: visitor)[day] ?? WeightPair()
    }

    /// Returns the seven days up to `day`, without days that have no weight.
    func lastWeek(of day: CalendarDay, for visitor: SampleVisitor? = nil) throws(SampleDataError) -> [Point] {
        let first = day.advanced(by: -6)
        let weights = try weights(from: first, to: day, of: visitor)
        return (first.number...day.number).compactMap { number in
            let day = CalendarDay(number: number)
            return weights[day].map { Point(label: day.description, weights: $0) }
        }
    }

    /// Returns the means of the twelve months up to `day`, without months that have no weight. Days after `day` do not count.
    func lastYear(of day: CalendarDay, for visitor: SampleVisitor? = nil) throws(SampleDataError) -> [Point] {
        let first = CalendarDay(number: day.month.advanced(by: -11).firstNumber)
        let weights = try weights(from: first, to: day, of: visitor)
        let months = Dictionary(grouping: weights) { $0.key.month }
        return months.keys.sorted().map { month in
            let days = (months[month] ?? []).map(\.value)
            let means = WeightPair(
                morning: Weight.mean(days.compactMap(\.morning)),
                evening: Weight.mean(days.compactMap(\.evening)))
            return Point(label: month.description, weights: means)
        }
    }

    /// Records a weight if all conditions hold; nil deletes it permanently, so that no simulated weight takes its place. A missing weight
    /// can be deleted.
    func record(
        _ weight: Weight?, on day: CalendarDay, _ half: DayHalf, of visitor: SampleVisitor? = nil,
        if conditions: [WeightCondition] = []
    ) throws(SampleDataError) -> Change {
        let today = today()
        guard day <= today else { return .isLater(than: today) }
        var change = Change.tooMany
        try store.transaction { () throws(SampleDataError) in
            let before = try weights(on: day, of: visitor)
            guard conditions.allSatisfy({ $0.holds(for: before[half]) }) else {
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
        from first: CalendarDay, to last: CalendarDay, of visitor: SampleVisitor?
    ) throws(SampleDataError) -> [CalendarDay: WeightPair] {
        let today = today()
        var weights: [CalendarDay: WeightPair] = [:]
        for number in first.number...last.number {
            let day = CalendarDay(number: number)
            weights[day] = SimulatedWeights.weights(on: day, today: today)
        }
        for record in try store.records(from: first, to: last, of: visitor) {
            weights[record.day, default: WeightPair()][record.half] = record.weight
        }
        return weights.filter { !$0.value.isEmpty }
    }
}
