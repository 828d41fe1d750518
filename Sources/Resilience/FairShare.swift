/// Divides a capacity among holders so that none can take all of it.
///
/// A holder may take one more only while it holds less than what is free. One greedy holder gets half of the capacity,
/// *n* get 1/(n+1) each, and as much stays free.
public struct FairShare: Sendable, Hashable {
    public let capacity: Int
    public private(set) var inUse = 0

    public init(capacity: Int) {
        self.capacity = capacity
    }

    /// Whether a holder that holds `held` may take one more.
    @inlinable
    public func admits(holding held: Int) -> Bool { held < capacity - inUse }

    public mutating func take() { inUse += 1 }

    public mutating func giveBack() { inUse -= 1 }
}
