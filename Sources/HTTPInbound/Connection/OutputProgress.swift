internal import EventIO

/// How a client takes waiting output, measured by the bytes it acknowledges. (A reader of 5 to 50 KB/s with a large
/// window acknowledges once in 25 to 90 s, in one burst.)
struct OutputProgress {
    /// When output began to wait, and the bytes acknowledged by then.
    private let began: (at: MonotonicTime, acknowledged: Int64)
    /// When a new acknowledgement was last seen, and the bytes acknowledged by then.
    private var latest: (at: MonotonicTime, acknowledged: Int64)
    private var checkedAt: MonotonicTime
    private var isBelowRate = false

    init(acknowledged: Int64, at now: MonotonicTime) {
        began = (now, acknowledged)
        latest = began
        checkedAt = now
    }

    var progressedAt: MonotonicTime { latest.at }

    func isCheckDue(at now: MonotonicTime, _ limits: StateLimits) -> Bool {
        now >= checkedAt + limits.sendCheckInterval
    }

    /// Records the bytes acknowledged so far.
    ///
    /// The average rate ends at the latest acknowledgement that an earlier check saw: `sendStall` covers the silence
    /// since then, and a burst that has just begun has until the next check to arrive.
    mutating func observe(acknowledged: Int64, at now: MonotonicTime, _ limits: StateLimits) {
        checkedAt = now
        let elapsed = latest.at - began.at
        if elapsed >= limits.sendRateGrace {
            let bytes = Int128(acknowledged) - Int128(began.acknowledged)
            isBelowRate = bytes * 1_000_000_000 < Int128(limits.sendRate) * Int128(elapsed.nanoseconds)
        }
        if acknowledged > latest.acknowledged { latest = (now, acknowledged) }
    }

    func isStalled(at now: MonotonicTime, _ limits: StateLimits) -> Bool {
        isBelowRate || now >= latest.at + limits.sendStall
    }

    /// When to check again, or to reset.
    func deadline(_ limits: StateLimits) -> MonotonicTime {
        min(latest.at + limits.sendStall, checkedAt + limits.sendCheckInterval)
    }
}
