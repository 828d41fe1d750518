package import Timers

extension EventLoop {
    /// Sets a timer from any thread.
    package func setTimerFromAnyThread(after amount: TimeAmount, target: any TimerTarget) -> TimerToken {
        guard isCurrent else { return remoteTimers.set(at: .clock() + amount, target, on: self) }
        return setTimer(after: amount, target: target)
    }
}
