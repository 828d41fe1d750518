/// A `FairShare` that counts what each of its holders holds.
public struct FairShares<Holder: Hashable & Sendable>: Sendable {
    private var share: FairShare
    /// Of the holders that hold any.
    private var held: [Holder: Int] = [:]

    /// Creates shares of `capacity`, of which nobody holds any.
    public init(capacity: Int) {
        share = FairShare(capacity: capacity)
    }

    /// Takes one. Returns false if the holder has its share.
    public mutating func take(for holder: Holder) -> Bool {
        let count = held[holder] ?? 0
        guard share.admits(holding: count) else { return false }
        share.take()
        held[holder] = count + 1
        return true
    }

    /// Gives one back that `take` gave.
    public mutating func giveBack(by holder: Holder) {
        share.giveBack()
        let count = (held[holder] ?? 1) - 1
        held[holder] = count == 0 ? nil : count
    }
}
