internal import EventIO

/// How a client takes waiting output, measured by the bytes it acknowledges. (A reader of 5 to 50 KB/s with a
/// large window acknowledges once in 25 to 90 s, in one burst.)
///
/// The output of an answer that is passed on piece by piece waits many times, each time perhaps for a few
/// seconds. So the rate is measured over several waits too.
struct OutputProgress {
    /// The waits of an answer whose common rate is measured. The time between them does not count.
    struct Waits {
        /// The bytes acknowledged when the first of them began.
        fileprivate let acknowledged: Int64
        /// The length of the ended ones.
        fileprivate var ended = TimeAmount.zero
        /// The length of all when a new acknowledgement was last seen, and the bytes acknowledged by then.
        fileprivate var latest: (waited: TimeAmount, acknowledged: Int64)
        fileprivate var checkedAt: MonotonicTime
        /// How the client read in them.
        fileprivate var pace: ReaderPace?
        /// Whether they were long enough for a check. Then the next wait is measured without them.
        fileprivate var areRated = false

        fileprivate init(acknowledged: Int64, checkedAt: MonotonicTime) {
            self.acknowledged = acknowledged
            latest = (.zero, acknowledged)
            self.checkedAt = checkedAt
        }
    }

    /// When output began to wait, and the bytes acknowledged by then.
    private let began: (at: MonotonicTime, acknowledged: Int64)
    /// When a new acknowledgement was last seen, and the bytes acknowledged by then.
    private var latest: (at: MonotonicTime, acknowledged: Int64)
    private var waits: Waits
    private var isBelowRate = false
    private(set) var pace: ReaderPace

    /// - Parameter earlier: the earlier waits of the same answer, if any.
    init(acknowledged: Int64, at now: MonotonicTime, after earlier: Waits? = nil) {
        began = (now, acknowledged)
        latest = began
        pace = ReaderPace(at: now, after: earlier?.pace)
        if let earlier, !earlier.areRated {
            waits = earlier
        } else {
            waits = Waits(acknowledged: acknowledged, checkedAt: earlier?.checkedAt ?? now)
        }
    }

    /// Output waits no more. Returns what counts when the same answer's output waits again.
    func ended(at now: MonotonicTime) -> Waits {
        var waits = waits
        waits.ended = waited(at: now)
        waits.pace = pace
        return waits
    }

    private func waited(at now: MonotonicTime) -> TimeAmount { now - (began.at - waits.ended) }

    func isCheckDue(at now: MonotonicTime, _ limits: StateLimits) -> Bool {
        now >= nextCheck(limits)
    }

    private func nextCheck(_ limits: StateLimits) -> MonotonicTime {
        let next = waits.checkedAt + limits.sendCheckInterval
        return pace.settles(limits).map { min($0, next) } ?? next
    }

    /// Records the bytes acknowledged so far for the choice of who is reset. The average rate has its own
    /// checks.
    mutating func observePace(acknowledged: Int64, at now: MonotonicTime, _ limits: StateLimits) {
        pace.observe(acknowledged: acknowledged, at: now, limits)
    }

    /// Records the bytes acknowledged so far.
    ///
    /// The average rate ends at the latest acknowledgement that an earlier check saw: `sendStall` covers the
    /// silence since then, and a burst that has just begun has until the next check to arrive.
    mutating func observe(acknowledged: Int64, at now: MonotonicTime, _ limits: StateLimits) {
        func isBelowRate(since first: Int64, in time: TimeAmount) -> Bool {
            let bytes = Int128(acknowledged) - Int128(first)
            return bytes * 1_000_000_000 < Int128(limits.sendRate) * Int128(time.nanoseconds)
        }
        let isOnlyForPace =
            pace.settles(limits) != nil && now < waits.checkedAt + limits.sendCheckInterval
        observePace(acknowledged: acknowledged, at: now, limits)
        if isOnlyForPace { return }
        waits.checkedAt = now
        let elapsed = latest.at - began.at
        if elapsed >= limits.sendRateGrace {
            self.isBelowRate = isBelowRate(since: began.acknowledged, in: elapsed)
        }
        if waits.latest.waited >= limits.sendRateGrace {
            waits.areRated = true
            if isBelowRate(since: waits.acknowledged, in: waits.latest.waited) { self.isBelowRate = true }
        }
        if acknowledged > latest.acknowledged { latest = (now, acknowledged) }
        if acknowledged > waits.latest.acknowledged { waits.latest = (waited(at: now), acknowledged) }
    }

    func isStalled(at now: MonotonicTime, _ limits: StateLimits) -> Bool {
        isBelowRate || now >= latest.at + limits.sendStall
    }

    /// When to check again, or to reset.
    func deadline(_ limits: StateLimits) -> MonotonicTime {
        min(latest.at + limits.sendStall, nextCheck(limits))
    }
}
