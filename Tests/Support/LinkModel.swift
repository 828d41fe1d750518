/// One direction of a network link. Bytes leave one after the other at the link's rate, and arrive after its
/// delay.
package struct LinkModel: Sendable {
    /// Nanoseconds from leaving to arriving.
    package let delay: Int64
    /// Bits per second.
    package let rate: Int64
    /// When the last byte leaves.
    private var free: Int64 = 0

    package init(delay: Duration, rate: Int64) {
        precondition(rate > 0 && delay >= .zero, "a link has a rate, and its delay is not negative")
        self.delay = Int64(delay / .nanoseconds(1))
        self.rate = rate
    }

    /// Returns when the last of these bytes arrives. They reach the link at `now`, after all bytes before
    /// them.
    package mutating func arrival(of count: Int, at now: Int64) -> Int64 {
        free = max(now, free) + nanoseconds(for: count)
        return free + delay
    }

    /// How long the link takes to send this many bytes, rounded up.
    package func nanoseconds(for count: Int) -> Int64 {
        let (bits, billion) = (Int64(count) * 8, Int64(1_000_000_000))
        return bits / rate * billion + (bits % rate * billion + rate - 1) / rate
    }

    /// The bytes on their way while the link is busy.
    package var capacity: Int { Int(Double(rate) / 8 * Double(delay) / 1e9) }
}
