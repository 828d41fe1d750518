internal import EventIO
internal import HTTPInbound
internal import Sluice

/// Sends the faults that are not HTTP, instead of the answers.
struct FaultSender: Sendable {
    /// The time between two bytes of a trickled answer.
    var trickleInterval = TrickledAnswer.interval

    /// Returns false for a request without such a fault.
    func send(_ response: HTTPResponse, to request: RequestSummary, on exchange: InboundExchange) -> Bool {
        switch request[Fault.self] ?? Fault.none {
        case .none, .delay, .status, .flaky: return false
        case .drop: exchange.abort()
        case .garbage:
            exchange.writeRaw(RawAnswer.garbage)
            exchange.closeRaw()
        case .truncate:
            exchange.writeRaw(RawAnswer.truncated(response))
            exchange.closeRaw()
        case .trickle: TrickledAnswer.start(response, on: exchange, every: trickleInterval)
        }
        return true
    }
}
