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
            71.0 + 2.0 * wave(days, period: 56, seed: 1) + 0.5 * wave(days, period: 9, seed: 2)
            + 0.1 * noise(days, seed: 3)
        let gain = 0.8 + 0.2 * noise(days, seed: 4)
        return WeightPair(morning: tenths(morning), evening: tenths(morning + gain))
    }

    private static func tenths(_ kilograms: Double) -> Weight {
        Weight(grams: Int((kilograms * 10).rounded()) * 100)
    }

    /// From -1 to 1, a new turning point every `period` days and smooth between them.
    private static func wave(_ days: Int, period: Int, seed: UInt64) -> Double {
        let knot = days / period
        let part = Double(days % period) / Double(period)
        let eased = part * part * (3 - 2 * part)
        let from = noise(knot, seed: seed)
        return from + (noise(knot + 1, seed: seed) - from) * eased
    }

    /// From -1 to 1, by mixing the bits (SplitMix64): the same everywhere, without the library's functions.
    private static func noise(_ number: Int, seed: UInt64) -> Double {
        var bits = UInt64(bitPattern: Int64(number)) &* 0x9E37_79B9_7F4A_7C15 &+ seed &* 0xD1B5_4A32_D192_ED03
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        bits ^= bits >> 31
        return Double(bits >> 11) / Double(1 << 52) - 1
    }
}
