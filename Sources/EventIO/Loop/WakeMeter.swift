import Glibc

/// Measures the processor time of a loop's wakes. That costs a system call per wake, so only tests and proofs do it.
struct WakeMeter {
    private var longest = TimeAmount.zero
    /// The thread's processor time at the end of the last wake.
    private var last = Self.processorTime()

    mutating func wakeEnded() {
        let now = Self.processorTime()
        longest = max(longest, now - last)
        last = now
    }

    /// Returns the longest wake since the last call.
    mutating func take() -> TimeAmount {
        defer { longest = .zero }
        return longest
    }

    private static func processorTime() -> MonotonicTime {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return MonotonicTime(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }
}
