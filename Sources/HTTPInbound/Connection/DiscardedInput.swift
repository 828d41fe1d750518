internal import EventIO

/// Input that is read and dropped after an answer, so that the client can read the answer. Part of
/// `ConnectionStateMachine`.
struct DiscardedInput {
    /// When the answer was sent.
    var since: MonotonicTime
    private var count = 0
    /// Whether it is the rest of a body that the server would have read.
    private let isBody: Bool

    /// - Parameters:
    ///   - since: when the answer was sent.
    ///   - isBody: whether the client may take as long as for a body that somebody reads.
    init(since: MonotonicTime, isBody: Bool) {
        self.since = since
        self.isBody = isBody
    }

    /// Returns false if these are too many bytes.
    mutating func received(_ count: Int, _ limits: StateLimits) -> Bool {
        self.count += count
        return self.count <= limits.discardedBytes
    }

    /// `discardTime` after the answer, or later while a body arrives at `bodyRate`: some clients read the
    /// answer only after they have sent the whole body.
    func deadline(_ limits: StateLimits) -> MonotonicTime {
        guard isBody else { return since + limits.discardTime }
        return since + max(limits.discardTime, min(limits.bodyDeadline, limits.ratedTime(ofBytes: count)))
    }
}
