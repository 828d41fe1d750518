/// Chooses one of several addresses: of two random ones the one with the smaller load.
///
/// That spreads load almost as evenly as comparing all, and a caller that sees the loads of its own calls
/// only does not send all of them to the same address (Mitzenmacher, "The Power of Two Choices in Randomized
/// Load Balancing").
public struct TwoRandomChoices: Sendable {
    /// The state of SplitMix64, which is random enough for this and costs no system call.
    private var state: UInt64

    /// Creates a chooser. Equal seeds make equal choices, for tests.
    public init(seed: UInt64 = .random(in: 0...UInt64.max)) {
        state = seed
    }

    /// Returns the index of the choice; nil if none is usable.
    ///
    /// - Parameters:
    ///   - count: how many there are.
    ///   - isUsable: whether the one at an index may be chosen.
    ///   - isPreferred: whether the first is preferred to the second, which was drawn before it.
    @inlinable
    public mutating func choose(
        among count: Int, where isUsable: (Int) -> Bool, by isPreferred: (Int, Int) -> Bool
    ) -> Int? {
        guard let first = draw(among: count, where: isUsable) else { return nil }
        guard let second = draw(among: count, where: { $0 != first && isUsable($0) }) else { return first }
        return isPreferred(second, first) ? second : first
    }

    /// Draws a usable one. If a few draws miss, it takes the next usable one, so that each draw ends.
    @usableFromInline
    mutating func draw(among count: Int, where isUsable: (Int) -> Bool) -> Int? {
        guard count > 0 else { return nil }
        var index = 0
        for _ in 0..<4 {
            index = Int(next() % UInt64(count))
            if isUsable(index) { return index }
        }
        for step in 1..<max(count, 2) {
            let other = (index + step) % count
            if isUsable(other) { return other }
        }
        return nil
    }

    private mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}
