import Locking

/// Measures the processor time of a loop's wakes. That costs a system call per wake, so only tests and proofs
/// do it.
struct WakeMeter {
    private var longest = TimeAmount.zero
    /// The thread's processor time at the end of the last wake.
    private var last = ThreadClock.now

    mutating func wakeEnded() {
        let now = ThreadClock.now
        longest = max(longest, TimeAmount(now - last))
        last = now
    }

    /// Returns the longest wake since the last call.
    mutating func take() -> TimeAmount {
        defer { longest = .zero }
        return longest
    }
}
