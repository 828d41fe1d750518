internal import EventIO
internal import HTTPModel
internal import Rx

/// Sends an answer one byte at a time, until the answer ends or the client leaves. Its timer retains it.
final class TrickledAnswer: TimerTarget {
    /// The time between two bytes. An answer of 500 bytes takes 25 s, longer than any client should wait.
    static let interval = TimeAmount.milliseconds(50)

    private let exchange: SampleExchange
    private let interval: TimeAmount
    private let status: HTTPStatus
    private var rest: ArraySlice<UInt8>
    private var timer: TimerToken?

    static func start(_ response: HTTPResponse, on exchange: SampleExchange, every interval: TimeAmount) {
        TrickledAnswer(response, exchange, interval).step()
    }

    private init(_ response: HTTPResponse, _ exchange: SampleExchange, _ interval: TimeAmount) {
        self.exchange = exchange
        self.interval = interval
        status = response.status
        rest = RawAnswer.bytes(of: response)[...]
        exchange.onClientGone { [weak self] in self?.stop() }
    }

    func timerFired(_ token: TimerToken) {
        timer = nil
        step()
    }

    private func step() {
        guard !exchange.isOver else { return }
        guard !rest.isEmpty else { return exchange.closeRaw() }
        exchange.sendRaw(rest.prefix(1), status: status)
        rest = rest.dropFirst()
        timer = exchange.loop.setTimer(after: interval, target: self)
    }

    private func stop() {
        if let timer { exchange.loop.cancelTimer(timer) }
        timer = nil
    }
}
