import Glibc

/// A point in time on the monotonic clock (`CLOCK_MONOTONIC`), which never jumps.
public struct MonotonicTime: Hashable, Comparable, Sendable {
    /// Nanoseconds since an unspecified instant.
    public var nanoseconds: Int64

    /// Creates an instant.
    @inlinable
    public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// An instant that never comes.
    public static let distantFuture = MonotonicTime(nanoseconds: .max)

    /// Reads the clock, which takes about 20 ns. On a loop use `EventLoop.now`.
    public static func clock() -> MonotonicTime {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return MonotonicTime(nanoseconds: Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec))
    }

    /// Whether the left value comes first.
    @inlinable
    public static func < (left: MonotonicTime, right: MonotonicTime) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    /// Saturates, so the distant future stays the distant future.
    @inlinable
    public static func + (time: MonotonicTime, amount: TimeAmount) -> MonotonicTime {
        let (sum, overflow) = time.nanoseconds.addingReportingOverflow(amount.nanoseconds)
        guard overflow else { return MonotonicTime(nanoseconds: sum) }
        return MonotonicTime(nanoseconds: amount.nanoseconds > 0 ? .max : .min)
    }

    /// Returns an earlier instant, not beyond the range.
    @inlinable
    public static func - (time: MonotonicTime, amount: TimeAmount) -> MonotonicTime {
        let (difference, overflow) = time.nanoseconds.subtractingReportingOverflow(amount.nanoseconds)
        guard overflow else { return MonotonicTime(nanoseconds: difference) }
        return MonotonicTime(nanoseconds: amount.nanoseconds > 0 ? .min : .max)
    }

    /// Returns the time between two instants.
    @inlinable
    public static func - (later: MonotonicTime, earlier: MonotonicTime) -> TimeAmount {
        let (difference, overflow) = later.nanoseconds.subtractingReportingOverflow(earlier.nanoseconds)
        guard overflow else { return TimeAmount(nanoseconds: difference) }
        return TimeAmount(nanoseconds: later > earlier ? .max : .min)
    }
}

/// A span of time in one word. A `Duration` has 128 bits and needs a long division to take apart, so limits
/// used for every request are converted once.
public struct TimeAmount: Hashable, Comparable, Sendable {
    /// The time in nanoseconds.
    public var nanoseconds: Int64

    /// Creates an amount from nanoseconds.
    @inlinable
    public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// Saturates at about 292 years.
    public init(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, carry) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
        nanoseconds = overflow || carry ? (seconds > 0 ? .max : .min) : sum
    }

    /// No time.
    public static let zero = TimeAmount(nanoseconds: 0)
    /// More time than will pass.
    public static let never = TimeAmount(nanoseconds: .max)

    /// An amount in nanoseconds.
    @inlinable
    public static func nanoseconds(_ count: Int64) -> TimeAmount { TimeAmount(nanoseconds: count) }
    /// An amount in microseconds.
    public static func microseconds(_ count: Int64) -> TimeAmount { TimeAmount(count, times: 1_000) }
    /// An amount in milliseconds.
    public static func milliseconds(_ count: Int64) -> TimeAmount { TimeAmount(count, times: 1_000_000) }
    /// An amount in seconds.
    public static func seconds(_ count: Int64) -> TimeAmount { TimeAmount(count, times: 1_000_000_000) }

    private init(_ count: Int64, times unit: Int64) {
        let (product, overflow) = count.multipliedReportingOverflow(by: unit)
        nanoseconds = overflow ? (count > 0 ? .max : .min) : product
    }

    /// The amount as the standard library has it.
    public var duration: Duration { .nanoseconds(nanoseconds) }

    /// Whether the left value comes first.
    @inlinable
    public static func < (left: TimeAmount, right: TimeAmount) -> Bool {
        left.nanoseconds < right.nanoseconds
    }
}
