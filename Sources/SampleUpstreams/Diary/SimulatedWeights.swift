/// Weights for days that nobody recorded, computed from the date alone, so that examples never go stale: the
/// same day has the same weights on every machine, neighbouring days differ by little, and evenings are
/// heavier than mornings.
enum PlausibleWeights {
    /// The first day that has any.
    static let firstDay = CalendarDay(number: CalendarMonth(year: 2020, month: 1).firstNumber)

    /// Weights of a tenth of a kilogram each; nil before 2020 and after `today`.
    static func weights(on day: CalendarDay, today: CalendarDay) -> WeightPair? {
        guard day >= firstDay, day <= today else { return nil }
        let days = day.number
        let morning =
            71.0 + 2.0 * Plausible.wave(days, period: 56, seed: 1) + 0.5
            * Plausible.wave(days, period: 9, seed: 2)
            + 0.1 * Plausible.noise(days, seed: 3)
        let gain = 0.8 + 0.2 * Plausible.noise(days, seed: 4)
        return WeightPair(morning: tenths(morning), evening: tenths(morning + gain))
    }

    private static func tenths(_ kilograms: Double) -> Weight {
        Weight(grams: Int((kilograms * 10).rounded()) * 100)
    }
}
