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

    func exchange(for arrival: InboundExchange.Arrival) -> InboundExchange {
        GatewayExchange(arrival, accessLog)
    }

    func handle(_ exchange: InboundExchange) {
        guard let exchange = exchange as? GatewayExchange else { return }
        let place = LoopBound(exchange, loop: exchange.loop)
        let request = responder.respond(
            to: exchange.request, routed: exchange.context as? GatewayResponder.Routed
        ) { response in
            if place.loop.isCurrent {
                place.value.deliver(response)
            } else {
                place.loop.execute { place.value.deliver(response) }
            }
        }
        if let request { exchange.started(request) }
    }

    func answered(_ answer: DirectAnswer) {
        let status =
            switch answer.outcome {
            case .completed, .failed: answer.response?.status.code ?? 500
            case .clientGone: AccessLog.clientClosedRequest
            }
        accessLog?.write(
            AccessLog.Entry(
                method: answer.method, path: answer.head?.target.pathBytes, status: status,
                remote: answer.remoteAddress.description, receivedAt: answer.receivedAt,
                bytesReceived: answer.bytesReceived, bytesSent: answer.bytesSent),
            requestID: answer.response?.fields.firstValueBytes(.xRequestID))
    }
}

/// A request between its start and the last byte of its answer. Confined to its loop.
private final class GatewayExchange: InboundExchange {
    private let accessLog: AccessLog?
    // The loop guards both.
    @exclusivity(unchecked) private var ongoing: (any OngoingRequest)?
    @exclusivity(unchecked) private var summary: RequestSummary?

    init(_ arrival: Arrival, _ accessLog: AccessLog?) {
        self.accessLog = accessLog
        super.init(arrival)
    }

    func started(_ request: any OngoingRequest) {
        // The client may be gone, or the answer out, before the gateway's `respond` returned.
        if isOver {
            request.dispose()
        } else if summary == nil {
            ongoing = request
        }
    }

    func deliver(_ answer: GatewayResponse) {
        ongoing = nil
        summary = answer.summary
        respond(answer.response)
        // Nearly always it is out by now, and the summary told. Where it waits, its bytes are the stream's alone.
        summary?.dropValues()
    }

    override func ended(_ outcome: InboundOutcome) {
        // Where the client left or the server ended it, what was started for the request ends too.
        let cancelled = ongoing.take()?.cancel()
        let answered = summary.take()
        guard let accessLog else { return }
        let status =
            switch outcome {
            case .completed, .failed: answered?.status ?? 500
            case .clientGone: AccessLog.clientClosedRequest
            }
        let entry = AccessLog.Entry(
            method: method, path: request.head.target.pathBytes, status: status, remote: remoteText,
            receivedAt: receivedAt, bytesReceived: bytesReceived, bytesSent: bytesSent)
        if let answered {
            accessLog.write(entry, answered)
        } else if let cancelled {
            accessLog.write(entry, cancelled)
        } else {
            accessLog.write(entry, requestID: nil)
        }
    }
}
