/// An object that a scheduler calls when a timer fires. It is the cheap form of `scheduleRelative`, without a
/// closure, for timeouts that are nearly always cancelled.
public protocol TimerTarget: AnyObject {
    /// Called once, when the time has passed, on the scheduler that the timer was set on. It is never called
    /// after `cancelTimer` has returned on that scheduler.
    func timerFired(_ token: TimerToken)
}

/// Identifies one timer of one scheduler. It is invalid once the timer has fired or was cancelled.
public struct TimerToken: Hashable, Sendable {
    public var index: UInt32
    public var generation: UInt32

    public init(index: UInt32, generation: UInt32) {
        self.index = index
        self.generation = generation
    }
}
