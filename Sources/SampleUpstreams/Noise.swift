/// Numbers that look like nature's and are the same on every machine.
enum Plausible {
    /// From -1 to 1, a new turning point every `period` days and smooth between them.
    static func wave(_ days: Int, period: Int, seed: UInt64) -> Double {
        let knot = days / period
        let part = Double(days % period) / Double(period)
        let eased = part * part * (3 - 2 * part)
        let from = noise(knot, seed: seed)
        return from + (noise(knot + 1, seed: seed) - from) * eased
    }

    /// From -1 to 1, by mixing the bits (SplitMix64): the same everywhere, without the library's functions.
    static func noise(_ number: Int, seed: UInt64) -> Double {
        var bits = UInt64(bitPattern: Int64(number)) &* 0x9E37_79B9_7F4A_7C15 &+ seed &* 0xD1B5_4A32_D192_ED03
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        bits ^= bits >> 31
        return Double(bits >> 11) / Double(1 << 52) - 1
    }
}
