import EventIO

/// How long to wait before the next attempt to connect: 100 ms at first, doubled with each failure up to 5 s.
struct Backoff {
    static let shortest = TimeAmount.milliseconds(100)
    static let longest = TimeAmount.seconds(5)

    /// The next time, without jitter.
    private(set) var next = Self.shortest

    /// Returns the time from the start of the last attempt to the next one.
    ///
    /// - Parameter jitter: a random number from -1 to 1, which moves the time by up to a fifth.
    mutating func attemptFailed(jitter: Double) -> TimeAmount {
        let time = Double(next.nanoseconds) * (1 + 0.2 * jitter)
        next = min(Self.longest, TimeAmount(nanoseconds: next.nanoseconds * 2))
        return min(Self.longest, max(Self.shortest, TimeAmount(nanoseconds: Int64(time))))
    }

    mutating func reset() { next = Self.shortest }
}
