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
        let pending = LoopBound(PendingAnswer(exchange, accessLog), loop: exchange.loop)
        let request = responder.respond(
            to: exchange.request, routed: exchange.context as? GatewayResponder.Routed
        ) { response in
            if pending.loop.isCurrent {
                pending.value.deliver(response)
            } else {
                pending.loop.execute { pending.value.deliver(response) }
            }
        }
        if let request { pending.value.started(request) }
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

/// A request between its start and the last byte of its answer. Confined to its loop.
private final class PendingAnswer {
    private let exchange: InboundExchange
    private let accessLog: AccessLog?
    // The loop guards both.
    @exclusivity(unchecked) private var ongoing: (any OngoingRequest)?
    @exclusivity(unchecked) private var summary: RequestSummary?

    init(_ exchange: InboundExchange, _ accessLog: AccessLog?) {
        self.exchange = exchange
        self.accessLog = accessLog
        // Let go as it is called, which the exchange promises to do.
        exchange.onFinished = { [self] outcome, bytesSent in finished(outcome, bytesSent) }
    }

    func started(_ request: any OngoingRequest) {
        // The client may be gone, or the answer out, before the gateway's `respond` returned.
        if exchange.isOver {
            request.dispose()
        } else if summary == nil {
            ongoing = request
        }
    }

    func deliver(_ answer: GatewayResponse) {
        ongoing = nil
        summary = answer.summary
        exchange.respond(answer.response)
    }

    private func finished(_ outcome: InboundOutcome, _ bytesSent: Int) {
        // Where the client left or the server ended it, what was started for the request ends too.
        let cancelled = ongoing.take()?.cancel()
        guard let accessLog else { return }
        let answered = summary.take()
        let status =
            switch outcome {
            case .completed, .failed: answered?.status ?? 500
            case .clientGone: AccessLog.clientClosedRequest
            }
        let entry = AccessLog.Entry(
            method: exchange.method, path: exchange.request.head.target.pathBytes, status: status,
            remoteAddress: exchange.remoteAddress, receivedAt: exchange.receivedAt,
            bytesReceived: exchange.bytesReceived, bytesSent: bytesSent)
        if let summary = answered ?? cancelled {
            accessLog.write(entry, summary)
        } else {
            accessLog.write(entry, requestID: nil)
        }
    }
}
