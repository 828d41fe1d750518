/// What a scheduler wakes without a closure: the cheap form of `scheduleRelative` that operators and
/// connections use for time-outs that nearly always are cancelled.
public protocol TimerTarget: AnyObject {
    /// The time asked for has passed. Called once, on the scheduler that the timer was set on, never after
    /// `cancelTimer` returned on that scheduler.
    func timerFired(_ token: TimerToken)
}

/// Names one timer of one scheduler. A token whose timer fired or was cancelled names nothing any more.
public struct TimerToken: Hashable, Sendable {
    public var index: UInt32
    public var generation: UInt32

    public init(index: UInt32, generation: UInt32) {
        self.index = index
        self.generation = generation
    }
}
