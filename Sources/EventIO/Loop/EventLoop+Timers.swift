public import Timers

extension EventLoop {
    /// Starts a timer that calls its target once, after `duration`. Call it on the loop.
    @_disfavoredOverload
    public func setTimer(after duration: Duration, target: any TimerTarget) -> TimerToken {
        setTimer(at: now + TimeAmount(duration), target: target)
    }

    /// Sets a timer from any thread.
    package func setTimerFromAnyThread(after amount: TimeAmount, target: any TimerTarget) -> TimerToken {
        guard isCurrent else { return remoteTimers.set(at: .clock() + amount, target, on: self) }
        return setTimer(after: amount, target: target)
    }
}
