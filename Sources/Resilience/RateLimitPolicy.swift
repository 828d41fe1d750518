/// How many requests a limit allows: `count` in each `period`, evenly, and up to `burst` at once.
public struct RateLimitPolicy: Sendable, Hashable {
    /// The number of requests in a period. 1 to 1 000 000.
    public let count: Int
    /// The period. 1 ms to 31 days.
    public let period: Duration
    /// The number of requests that may come at once, after a pause. 1 to 1 000 000.
    public let burst: Int

    /// Nanoseconds in which one request comes back: the period divided by the count, rounded down.
    ///
    /// Rounding allows at most one request in `step` too many: one in a thousand million at one a second, one
    /// in a thousand at a million a second, which is the highest rate.
    public let step: Int64
    /// Nanoseconds in which the whole burst comes back. Never more than 2^53, so that programs that count in
    /// floating point count exactly.
    public let capacity: Int64

    /// Creates a policy. Check its `faults` before use: a policy with faults limits somehow, but stops
    /// nothing.
    ///
    /// - Parameter burst: nil for the count.
    public init(count: Int, period: Duration, burst: Int? = nil) {
        self.count = count
        self.period = period
        self.burst = burst ?? count
        let nanoseconds = min(max(period, .zero), Ranges.period.upperBound).wholeNanoseconds
        step = max(nanoseconds / Int64(max(count, 1)), 1)
        let (capacity, overflows) = step.multipliedReportingOverflow(by: Int64(max(self.burst, 1)))
        self.capacity = overflows ? Self.mostCapacity : min(max(capacity, step), Self.mostCapacity)
    }

    /// 100 days.
    private static let mostCapacity: Int64 = 100 * 86_400 * 1_000_000_000

    package enum Ranges {
        package static let count = 1...1_000_000
        package static let period = Duration.milliseconds(1)...(.seconds(31 * 86_400))
        package static let burst = 1...1_000_000
    }

    /// Seconds in which the whole burst comes back, rounded up.
    public var windowSeconds: Int64 { Self.seconds(capacity) }

    /// Returns a time in nanoseconds as whole seconds, rounded up, for fields.
    public static func seconds(_ nanoseconds: Int64) -> Int64 {
        guard nanoseconds > 0 else { return 0 }
        return (nanoseconds - 1) / 1_000_000_000 + 1
    }

    /// One line for each setting out of its range: its name, value and range.
    public var faults: [String] {
        var faults = RangeFaults()
        faults.check("rate", count, in: Ranges.count)
        faults.check("per", period, in: Ranges.period)
        // The default is the count.
        if burst != count { faults.check("burst", burst, in: Ranges.burst) }
        guard faults.list.isEmpty else { return faults.list }
        var list: [String] = []
        if period < .microseconds(count) { list.append("rate: it is above 1 000 000 a second") }
        if Double(step) * Double(burst) > Double(Self.mostCapacity) {
            list.append("burst: \(burst) requests at this rate need more than 100 days to come back")
        }
        return list
    }
}
