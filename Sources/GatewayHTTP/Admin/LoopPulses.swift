import EventIO
import Rx
import Synchronization

/// Pings the loops of a gateway again and again, to find a stuck one. Confined to a loop of another thread.
final class LoopPulses {
    static let usualInterval = Duration.seconds(1)
    /// A loop that has left so many pings unanswered is stuck. Pings are counted, not seconds: after the
    /// whole process was stopped, no loop has missed more than one.
    static let mostMissed = 10

    private final class Answer: Sendable {
        let number = Atomic(0)
    }

    private struct Pulse {
        let loop: EventLoop
        let answer = Answer()
        var sent = 0
        var missed = 0
    }

    private var pulses: [Pulse] = []
    private var timer: TimerToken?
    private let loop: EventLoop
    private let interval: Duration
    private let onBeat: ((Bool) -> Void)?

    /// - Parameters:
    ///   - interval: the time from one ping to the next.
    ///   - onBeat: called before each ping but the first, with whether each loop has answered the last one.
    init(
        on loop: EventLoop, every interval: Duration = usualInterval, onBeat: ((Bool) -> Void)? = nil
    ) {
        self.loop = loop
        self.interval = interval
        self.onBeat = onBeat
    }

    func begin(_ loops: [EventLoop]) {
        pulses = loops.map { Pulse(loop: $0) }
        beat()
        timer = loop.setTimer(after: interval, target: self)
    }

    func end() {
        if let timer = timer.take() { loop.cancelTimer(timer) }
        pulses = []
    }

    /// The number of the first loop that answers no pings, from 0 on; nil if all do.
    var stuckLoop: Int? { pulses.firstIndex { $0.missed >= Self.mostMissed } }

    /// Pings the loops that have answered, and counts the others.
    func beat() {
        for index in pulses.indices {
            let answer = pulses[index].answer
            guard answer.number.load(ordering: .relaxed) == pulses[index].sent else {
                pulses[index].missed += 1
                continue
            }
            pulses[index].missed = 0
            pulses[index].sent += 1
            let number = pulses[index].sent
            pulses[index].loop.execute { answer.number.store(number, ordering: .relaxed) }
        }
    }
}

extension LoopPulses: TimerTarget {
    func timerFired(_ token: TimerToken) {
        onBeat?(pulses.allSatisfy { $0.answer.number.load(ordering: .relaxed) == $0.sent })
        beat()
        timer = loop.setTimer(after: interval, target: self)
    }
}
