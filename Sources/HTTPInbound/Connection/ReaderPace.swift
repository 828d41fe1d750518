internal import EventIO

/// Whether a client goes on reading while output waits for it. Decides who is reset when memory for waiting
/// output is short.
///
/// Every client acknowledges some bytes at first, because its kernel fills a buffer whether anybody reads or
/// not. Only what it acknowledges after that shows that it reads. A steady reader is expected to acknowledge
/// again after its longest pause so far.
struct ReaderPace {
    /// When output began to wait.
    private let began: MonotonicTime
    /// What was acknowledged, and when that was first seen; nil until the client's buffer had time to fill.
    private var latest: (at: MonotonicTime, acknowledged: Int64)?
    /// The longest time between two acknowledgements, at least that between two checks; nil if none has shown
    /// that the client reads.
    private var longestPause: TimeAmount?

    /// - Parameter earlier: the pace in the earlier waits of the same answer, if any.
    init(at now: MonotonicTime, after earlier: ReaderPace? = nil) {
        began = now
        // The output that waited before has been taken.
        longestPause = earlier?.longestPause
        if longestPause != nil { latest = earlier?.latest.map { (now, $0.acknowledged) } }
    }

    /// When to look for the first time; nil after that.
    func settles(_ limits: StateLimits) -> MonotonicTime? {
        latest == nil ? began + limits.settlingTime : nil
    }

    /// Records the bytes acknowledged so far.
    mutating func observe(acknowledged: Int64, at now: MonotonicTime, _ limits: StateLimits) {
        guard let before = latest else {
            if now >= began + limits.settlingTime { latest = (now, acknowledged) }
            return
        }
        guard acknowledged > before.acknowledged else { return }
        longestPause = max(longestPause ?? limits.sendCheckInterval, now - before.at)
        latest = (now, acknowledged)
    }

    /// When the client should have acknowledged more, going by its pace so far: for one that has not read at
    /// all, the beginning of the wait.
    var dueAt: MonotonicTime {
        guard let latest, let longestPause else { return began }
        return latest.at + longestPause
    }
}
