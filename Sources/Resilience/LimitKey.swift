/// What requests are counted by, as 128 bits that nobody can choose: a hash with a secret.
public struct LimitKey: Sendable, Hashable {
    /// The first half.
    public let high: UInt64
    /// The second half.
    public let low: UInt64

    /// Creates a key of two halves of a hash.
    @inlinable
    public init(_ high: UInt64, _ low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Feeds one half. The key is a hash already, and any more would only cost time.
    @inlinable
    public func hash(into hasher: inout Hasher) { hasher.combine(high) }

    /// What a dictionary asks for: one half, without the cost of hashing it.
    @inlinable
    public func _rawHashValue(seed: Int) -> Int { seed ^ Int(truncatingIfNeeded: high) }
}
