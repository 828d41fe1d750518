internal import EventIO
internal import Rx

/// Runs work for an exchange after a delay, unless the client leaves first. Its timer retains it.
final class DelayedAnswer: TimerTarget {
    private let exchange: SampleExchange
    private let work: (SampleExchange) -> Void
    private var timer: TimerToken?

    static func start(
        milliseconds: Int, _ exchange: SampleExchange, _ work: @escaping (SampleExchange) -> Void
    ) {
        let delay = DelayedAnswer(exchange, work)
        delay.timer = exchange.loop.setTimer(after: .milliseconds(Int64(milliseconds)), target: delay)
        exchange.onClientGone { [weak delay] in delay?.stop() }
    }

    private init(_ exchange: SampleExchange, _ work: @escaping (SampleExchange) -> Void) {
        self.exchange = exchange
        self.work = work
    }

    func timerFired(_ token: TimerToken) {
        timer = nil
        exchange.onClientGone(nil)
        work(exchange)
    }

    private func stop() {
        if let timer { exchange.loop.cancelTimer(timer) }
        timer = nil
    }
}
