internal import EventIO

/// How a client takes output that waits for it, judged by the bytes that it acknowledges (resilience: a reader of
/// 5 to 50 KB/s with a large window acknowledges once in 25 to 90 s, in one burst).
struct OutputProgress {
    /// When output began to wait, and the bytes acknowledged by then.
    private let began: (at: MonotonicTime, acknowledged: Int64)
    /// When the client was last seen to acknowledge something, and the bytes acknowledged by then.
    private var latest: (at: MonotonicTime, acknowledged: Int64)
    private var lookedAt: MonotonicTime
    private var isBelowRate = false

    init(acknowledged: Int64, at now: MonotonicTime) {
        began = (now, acknowledged)
        latest = began
        lookedAt = now
    }

    /// When the client was last seen to acknowledge something.
    var progressedAt: MonotonicTime { latest.at }

    func isLookDue(at now: MonotonicTime, _ limits: StateLimits) -> Bool {
        now >= lookedAt + limits.sendLook
    }

    /// Looks at the bytes acknowledged so far.
    ///
    /// The average is taken up to the acknowledgement that an earlier look saw, not up to now: the silence since then is
    /// `sendStall`'s to judge, and a burst that has just begun has a look's time to arrive.
    mutating func observe(acknowledged: Int64, at now: MonotonicTime, _ limits: StateLimits) {
        lookedAt = now
        let elapsed = latest.at - began.at
        if elapsed >= limits.sendRateGrace {
            let bytes = Int128(acknowledged) - Int128(began.acknowledged)
            isBelowRate = bytes * 1_000_000_000 < Int128(limits.sendRate) * Int128(elapsed.nanoseconds)
        }
        if acknowledged > latest.acknowledged { latest = (now, acknowledged) }
    }

    /// Whether the client is to be reset.
    func isStalled(at now: MonotonicTime, _ limits: StateLimits) -> Bool {
        isBelowRate || now >= latest.at + limits.sendStall
    }

    /// When to look again, or to reset.
    func deadline(_ limits: StateLimits) -> MonotonicTime {
        min(latest.at + limits.sendStall, lookedAt + limits.sendLook)
    }
}
