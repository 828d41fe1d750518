internal import Sluice

/// Weights for days without records, so that examples never go stale. They depend only on the date;
/// neighbouring days differ little, and evening weights are higher than morning weights.
enum SimulatedWeights {
    /// 2020-01-01, in days since 1970-01-01.
    static let firstDay = 18_262

    /// Returns weights rounded to a tenth of a kilogram; nil before 2020 and after `today`.
    static func weights(on day: CalendarDate, today: CalendarDate) -> WeightPair? {
        let days = day.daysSince1970
        guard days >= firstDay, day <= today else { return nil }
        let morning =
            71.0 + 2.0 * Noise.wave(days, period: 56, seed: 1) + 0.5
            * Noise.wave(days, period: 9, seed: 2)
            + 0.1 * Noise.value(days, seed: 3)
        let gain = 0.8 + 0.2 * Noise.value(days, seed: 4)
        return WeightPair(morning: tenths(morning), evening: tenths(morning + gain))
    }

    private static func tenths(_ kilograms: Double) -> Weight {
        Weight(grams: Int((kilograms * 10).rounded()) * 100)
    }
}
