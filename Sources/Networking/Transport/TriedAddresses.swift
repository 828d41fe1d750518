/// The addresses of an upstream that a call has tried, as its transport numbers them. A retry prefers others.
public struct TriedAddresses: Sendable, Hashable {
    private var bits: UInt64 = 0
    /// Whether the next attempt may go to an address out of service if all that are in service were tried:
    /// nothing could be sent to the last one, so an address that failed some time ago is the better guess.
    public var allowsOut = false

    /// Creates an empty set.
    public init() {}

    /// Whether no attempt was sent, or the upstream has only one address.
    public var isEmpty: Bool { bits == 0 }

    /// - Parameter number: from 0 up. Numbers that are equal modulo 64 count as the same address.
    public mutating func insert(_ number: Int) { bits |= Self.bit(number) }

    /// - Parameter number: from 0 up.
    @inline(__always)
    public func contains(_ number: Int) -> Bool { bits & Self.bit(number) != 0 }

    @inline(__always)
    private static func bit(_ number: Int) -> UInt64 { 1 << UInt64(truncatingIfNeeded: number & 63) }
}
