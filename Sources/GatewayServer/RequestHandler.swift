import EventIO
import Gateway
import HTTPInbound
import HTTPModel
import Rx

/// Hands a loop's requests to the gateway, and tells the access log how each ended.
final class RequestHandler: InboundHandler {
    private let responder: GatewayResponder
    private let health: Health
    private let accessLog: AccessLog?

    init(_ responder: GatewayResponder, phase: Phase, accessLog: AccessLog?) {
        self.responder = responder
        health = Health(phase)
        self.accessLog = accessLog
    }

    func decide(_ head: HTTPRequestHead) -> BodyDecision {
        if let answer = health.answer(head) { return .answer(answer) }
        switch responder.decide(head) {
        case .handle(let routed, let limit): return .buffer(limit: limit, context: routed)
        case .answer(let answer): return .answer(answer.response)
        }
    }

    func handle(_ exchange: InboundExchange) {
        let pending = PendingAnswer(exchange, accessLog)
        let subscription = responder.respond(
            to: exchange.request, routed: exchange.context as? GatewayResponder.Routed
        ) { response in
            pending.deliver(response)
        }
        pending.started(subscription)
    }

    func answered(_ answer: DirectAnswer) {
        accessLog?.write(
            AccessLog.Entry(
                method: answer.method, path: answer.head?.target.pathBytes,
                status: answer.response.status.code,
                remoteAddress: answer.remoteAddress, receivedAt: answer.receivedAt,
                bytesReceived: answer.bytesReceived, bytesSent: answer.bytesSent),
            requestID: answer.response.fields.firstValueBytes(.xRequestID))
    }
}

/// A request between its start and the last byte of its answer. Confined to its loop, but for `deliver` and its end.
///
/// `@unchecked Sendable` is sound: the gateway may call `deliver`, and let go of this, on any thread. `deliver` goes to
/// the loop before it touches anything, and `deinit` sends home what is the loop's.
private final class PendingAnswer: @unchecked Sendable {
    private let loop: EventLoop
    // The loop guards all of these. The exchange and the log are nil in `deinit` only.
    @exclusivity(unchecked) private var exchange: InboundExchange?
    @exclusivity(unchecked) private var accessLog: AccessLog?
    @exclusivity(unchecked) private var subscription: (any Disposable)?
    @exclusivity(unchecked) private var summary: RequestSummary?

    init(_ exchange: InboundExchange, _ accessLog: AccessLog?) {
        loop = exchange.loop
        self.exchange = exchange
        self.accessLog = accessLog
        // Let go as it is called, which the exchange promises to do.
        exchange.onFinished = { [self] outcome, bytesSent in finished(outcome, bytesSent) }
    }

    deinit {
        guard !loop.isCurrent else { return }
        loop.release(exchange.take())
        loop.release(accessLog.take())
    }

    func started(_ subscription: any Disposable) {
        // The client may be gone, or the answer out, before the gateway's `respond` returned.
        if exchange?.isOver ?? true {
            subscription.dispose()
        } else if summary == nil {
            self.subscription = subscription
        }
    }

    func deliver(_ answer: GatewayResponse) {
        guard loop.isCurrent else {
            loop.execute { self.deliver(answer) }
            return
        }
        subscription = nil
        summary = answer.summary
        exchange?.respond(answer.response)
    }

    /// Where the client left or the server ended it, what was started for the request ends too.
    private func finished(_ outcome: InboundOutcome, _ bytesSent: Int) {
        subscription?.dispose()
        subscription = nil
        guard let accessLog, let exchange else { return }
        let status =
            switch outcome {
            case .completed, .failed: summary?.status ?? 500
            case .clientGone: AccessLog.clientClosedRequest
            }
        let entry = AccessLog.Entry(
            method: exchange.method, path: exchange.request.head.target.pathBytes, status: status,
            remoteAddress: exchange.remoteAddress, receivedAt: exchange.receivedAt,
            bytesReceived: exchange.bytesReceived, bytesSent: bytesSent)
        accessLog.write(entry, summary)
    }
}
