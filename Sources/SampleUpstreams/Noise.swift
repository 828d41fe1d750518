/// Reproducible pseudorandom numbers for simulated data, the same on every machine.
enum Noise {
    /// Returns a smooth wave from -1 to 1 with a new turning point every `period` days.
    static func wave(_ days: Int, period: Int, seed: UInt64) -> Double {
        let knot = days / period
        let part = Double(days % period) / Double(period)
        let eased = part * part * (3 - 2 * part)
        let from = value(knot, seed: seed)
        return from + (value(knot + 1, seed: seed) - from) * eased
    }

    /// Returns a hash of a number, from -1 to 1 (SplitMix64).
    static func value(_ number: Int, seed: UInt64) -> Double {
        var bits = UInt64(bitPattern: Int64(number)) &* 0x9E37_79B9_7F4A_7C15 &+ seed &* 0xD1B5_4A32_D192_ED03
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        bits ^= bits >> 31
        return Double(bits >> 11) / Double(1 << 52) - 1
    }
}
