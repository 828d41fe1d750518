internal import EventIO
internal import HTTPInbound
internal import Sluice

/// Sends an answer one byte at a time, until the answer ends or the client leaves. Its timer retains it.
final class TrickledAnswer: TimerTarget {
    /// The time between two bytes. An answer of 500 bytes takes 25 s, longer than any client should wait.
    static let interval = TimeAmount.milliseconds(50)

    private let exchange: InboundExchange
    private let interval: TimeAmount
    private var rest: ArraySlice<UInt8>

    static func start(_ response: HTTPResponse, on exchange: InboundExchange, every interval: TimeAmount) {
        TrickledAnswer(response, exchange, interval).step()
    }

    private init(_ response: HTTPResponse, _ exchange: InboundExchange, _ interval: TimeAmount) {
        self.exchange = exchange
        self.interval = interval
        rest = RawAnswer.bytes(of: response)[...]
    }

    func timerFired(_ token: TimerToken) { step() }

    private func step() {
        guard !exchange.isOver else { return }
        guard !rest.isEmpty else { return exchange.closeRaw() }
        exchange.writeRaw(rest.prefix(1))
        rest = rest.dropFirst()
        _ = exchange.loop.setTimer(after: interval, target: self)
    }
}
