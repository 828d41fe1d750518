/// The target of a timer. Cheaper than a closure for `scheduleRelative`, since most timeouts are cancelled.
public protocol TimerTarget: AnyObject {
    /// Called once, on the scheduler of the timer, and never after `cancelTimer` has returned on that
    /// scheduler.
    func timerFired(_ token: TimerToken)
}

/// Identifies a timer of one scheduler until it fires or is cancelled.
public struct TimerToken: Hashable, Sendable {
    /// The place in the scheduler's table.
    public var index: UInt32
    /// How often the place was used before.
    public var generation: UInt32

    /// Creates a token.
    public init(index: UInt32, generation: UInt32) {
        self.index = index
        self.generation = generation
    }
}
