/// The food diary's weights, simulated unless recorded. Not thread-safe.
final class Diary {
    private let store: DiaryStore
    private let today: () -> CalendarDay

    /// A point of a chart. Its label is a day or a month.
    struct Point: Equatable, Sendable {
        let label: String
        let weights: WeightPair
    }

    init(store: DiaryStore, today: @escaping () -> CalendarDay) {
        self.store = store
        self.today = today
    }

    /// Returns the weights of a day; nil for halves without a weight.
    func weights(on day: CalendarDay) throws(SampleDataError) -> WeightPair {
        try weights(from: day, to: day)[day] ?? WeightPair()
    }

    /// Returns the seven days up to `day`, without days that have no weight.
    func lastWeek(of day: CalendarDay) throws(SampleDataError) -> [Point] {
        let first = day.advanced(by: -6)
        let weights = try weights(from: first, to: day)
        return (first.number...day.number).compactMap { number in
            let day = CalendarDay(number: number)
            return weights[day].map { Point(label: day.description, weights: $0) }
        }
    }

    /// Returns the means of the twelve months up to `day`, without months that have no weight. Days after `day` do not count.
    func lastYear(of day: CalendarDay) throws(SampleDataError) -> [Point] {
        let first = CalendarDay(number: day.month.advanced(by: -11).firstNumber)
        let weights = try weights(from: first, to: day)
        let months = Dictionary(grouping: weights) { $0.key.month }
        return months.keys.sorted().map { month in
            let days = (months[month] ?? []).map(\.value)
            let means = WeightPair(
                morning: Weight.mean(days.compactMap(\.morning)),
                evening: Weight.mean(days.compactMap(\.evening)))
            return Point(label: month.description, weights: means)
        }
    }

    /// Records a weight and returns the weights of its day.
    func record(_ weight: Weight, on day: CalendarDay, _ half: DayHalf) throws(SampleDataError) -> WeightPair
    {
        try store.set(weight, on: day, half)
        return try weights(on: day)
    }

    /// Deletes a weight permanently: no simulated weight takes its place. A missing weight is no error.
    func delete(on day: CalendarDay, _ half: DayHalf) throws(SampleDataError) {
        try store.set(nil, on: day, half)
    }

    /// Returns the days with at least one weight.
    private func weights(
        from first: CalendarDay, to last: CalendarDay
    ) throws(SampleDataError) -> [CalendarDay: WeightPair] {
        let today = today()
        var weights: [CalendarDay: WeightPair] = [:]
        for number in first.number...last.number {
            let day = CalendarDay(number: number)
            weights[day] = SimulatedWeights.weights(on: day, today: today)
        }
        for record in try store.records(from: first, to: last) {
            weights[record.day, default: WeightPair()][record.half] = record.weight
        }
        return weights.filter { !$0.value.isEmpty }
    }
}
