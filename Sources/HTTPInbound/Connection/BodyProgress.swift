internal import EventIO

/// The progress of a body that is read as a whole. Part of `ConnectionStateMachine`.
struct BodyProgress {
    var since: MonotonicTime
    var received = 0
    var limit: Int
    /// Whether the handler wants the body.
    var isKept: Bool

    /// When the body has taken too long, in all or for its size.
    func deadline(_ limits: StateLimits) -> MonotonicTime {
        let rated = limits.ratedTime(ofBytes: received)
        return since + min(limits.bodyDeadline, max(limits.bodyRateGrace, rated))
    }
}
