/// Divides a capacity among holders so that none can take all of it.
///
/// A holder may take one more only while it holds less than what is free. One greedy holder gets half of the
/// capacity, *n* get 1/(n+1) each, and as much stays free.
public struct FairShare: Sendable, Hashable {
    /// The most that all holders have together.
    public let capacity: Int
    @usableFromInline var used = 0
    /// What all holders have together.
    @inlinable public var inUse: Int { used }

    /// Creates a capacity of which nobody holds any.
    public init(capacity: Int) {
        self.capacity = capacity
    }

    /// Whether a holder that holds `held` may take one more.
    @inlinable
    public func admits(holding held: Int) -> Bool { held < capacity - used }

    /// Whether every holder may take one more, because not even half of the capacity is in use.
    @inlinable
    public var admitsAll: Bool { used < capacity - used }

    /// Counts one more for a holder that `admits(holding:)` accepted.
    @inlinable
    public mutating func take() { used += 1 }

    /// Counts one less.
    @inlinable
    public mutating func giveBack() { used -= 1 }
}
