internal import EventIO
internal import Timers

/// Sweeps the vacant pools of a client: some time after a pool has become vacant, and again while vacant
/// pools are left. One timer serves all pools.
final class VacancySweep: TimerTarget {
    private let loop: EventLoop
    private let interval: TimeAmount
    /// Returns whether vacant pools are left.
    private let sweep: () -> Bool
    private var timer: TimerToken?

    init(on loop: EventLoop, interval: TimeAmount, _ sweep: @escaping () -> Bool) {
        self.loop = loop
        self.interval = interval
        self.sweep = sweep
    }

    func poolIsVacant() {
        guard timer == nil else { return }
        timer = loop.setTimer(at: loop.wakeTime + interval, target: self)
    }

    func timerFired(_ token: TimerToken) {
        timer = nil
        if sweep() { poolIsVacant() }
    }

    func stop() {
        if let timer { loop.cancelTimer(timer) }
        timer = nil
    }
}
