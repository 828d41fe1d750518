internal import EventIO

/// The progress of a body that its handler reads as it arrives. Part of `ConnectionStateMachine`.
///
/// The time limits of bodies apply to the time in which the reader waits for the client, so a slow reader
/// costs the client nothing.
struct BodyStreamState {
    private let limit: Int
    private var received = 0
    /// Bytes that have arrived and that the reader has not taken.
    private var unread = 0
    /// Whether the client expects a 100 (Continue) that has not been sent.
    private var expectsContinue: Bool
    /// Since when the reader waits for the client; nil while it does not.
    private var waitingSince: MonotonicTime?
    /// Time of all earlier waits.
    private var waited = TimeAmount.zero

    init(limit: Int, expectsContinue: Bool) {
        self.limit = limit
        self.expectsContinue = expectsContinue
    }

    /// Whether to stop reading until the reader takes something. A waiting reader takes all of what one read
    /// brings.
    func isFull(_ limits: StateLimits) -> Bool { waitingSince == nil && unread >= limits.unreadBody }

    /// Returns false if the body exceeds its limit.
    mutating func bytesReceived(_ count: Int) -> Bool {
        received += count
        guard received <= limit else { return false }
        unread += count
        return true
    }

    /// The reader took the first of the unread bytes.
    mutating func bytesTaken(_ count: Int, at now: MonotonicTime) {
        unread -= count
        waitEnded(at: now)
    }

    /// The reader no longer waits.
    mutating func waitEnded(at now: MonotonicTime) {
        guard let since = waitingSince.take() else { return }
        waited = TimeAmount(nanoseconds: waited.nanoseconds + max(0, (now - since).nanoseconds))
    }

    /// The reader waits for the client. Returns whether to send a 100 (Continue) now. A client that has sent
    /// some of the body needs none (RFC 9110 10.1.1).
    mutating func waitBegan(at now: MonotonicTime) -> Bool {
        waitingSince = waitingSince ?? now
        guard expectsContinue else { return false }
        expectsContinue = false
        return received == 0
    }

    /// The final answer has begun. A 100 (Continue) may not follow it.
    mutating func answerBegan() { expectsContinue = false }

    /// When a waiting reader has waited too long: once for `bodyDeadline`, or in all its waits for longer
    /// than `bodyRate` allows.
    func deadline(_ limits: StateLimits) -> MonotonicTime? {
        guard let since = waitingSince else { return nil }
        let rated = max(limits.bodyRateGrace, limits.ratedTime(ofBytes: received))
        let left = TimeAmount(nanoseconds: max(0, rated.nanoseconds - waited.nanoseconds))
        return since + min(limits.bodyDeadline, left)
    }
}
