import EventIO
import Gateway
import HTTPInbound
import HTTPModel
import JSONBytes
import Rx

/// Hands a loop's requests to the gateway, and tells the access log how each ended.
final class RequestHandler: InboundHandler {
    private let responder: GatewayResponder
    private let health: Health
    private let accessLog: AccessLog?
    private let loop: EventLoop
    /// What `decide` found for the request that `handle` gets next.
    private var routed: GatewayResponder.Routed?

    init(_ responder: GatewayResponder, phase: Phase, accessLog: AccessLog?, loop: EventLoop) {
        self.responder = responder
        health = Health(phase)
        self.accessLog = accessLog
        self.loop = loop
    }

    func decide(_ head: HTTPRequestHead) -> BodyDecision {
        if let answer = health.answer(head) { return .answer(answer) }
        switch responder.decide(head) {
        case .handle(_, let limit): return .buffer(limit: limit)
        case .answer(let answer): return .answer(answer.response)
        }
    }

    func handle(_ exchange: InboundExchange) {
        let pending = LoopBound(PendingAnswer(exchange, accessLog), loop: loop)
        let subscription = responder.respond(to: exchange.request) { response in
            if pending.loop.isCurrent {
                pending.value.deliver(response)
            } else {
                pending.loop.execute { pending.value.deliver(response) }
            }
        }
        pending.value.started(subscription)
    }

    func answered(_ answer: DirectAnswer) {
        accessLog?.write(
            AccessLog.Entry(
                method: answer.method, path: answer.head?.target.pathBytes,
                status: answer.response.status.code,
                response: answer.response, remoteAddress: answer.remoteAddress, receivedAt: answer.receivedAt,
                bytesReceived: answer.bytesReceived, bytesSent: answer.bytesSent))
    }
}

/// A request between its start and the last byte of its answer.
private final class PendingAnswer {
    private let exchange: InboundExchange
    private var subscription: (any Disposable)?
    private var answer: GatewayResponse?

    init(_ exchange: InboundExchange, _ accessLog: AccessLog?) {
        self.exchange = exchange
        // Both closures are let go as they are called or the exchange ends.
        exchange.onClientGone = { [self] in
            subscription?.dispose()
            subscription = nil
        }
        guard let accessLog else { return }
        exchange.onFinished = { [self] outcome, bytesSent in
            log(to: accessLog, outcome, bytesSent)
        }
    }

    func started(_ subscription: any Disposable) {
        // The client may be gone, or the answer out, before the gateway's `respond` returned.
        if exchange.isOver {
            subscription.dispose()
        } else if answer == nil {
            self.subscription = subscription
        }
    }

    func deliver(_ answer: GatewayResponse) {
        subscription = nil
        self.answer = answer
        exchange.respond(answer.response)
    }

    private func log(to accessLog: AccessLog, _ outcome: InboundOutcome, _ bytesSent: Int) {
        let status =
            switch outcome {
            case .completed: answer?.response.status.code ?? 500
            case .clientGone: AccessLog.clientClosedRequest
            case .failed: answer?.response.status.code ?? 500
            }
        let entry = AccessLog.Entry(
            method: exchange.method, path: exchange.request.head.target.pathBytes, status: status,
            response: answer?.response, remoteAddress: exchange.remoteAddress,
            receivedAt: exchange.receivedAt,
            bytesReceived: exchange.bytesReceived, bytesSent: bytesSent)
        accessLog.write(entry) { line in
            guard let summary = answer?.summary else { return }
            summary.write(to: &line)
        }
    }
}

extension RequestSummary {
    fileprivate func write(to line: inout JSONComposer) {
        line.key("code")
        line.string(code)
        if let route {
            line.key("route")
            line.string(route)
        }
        let parts = parts
        guard !parts.isEmpty else { return }
        line.key("parts")
        line.beginObject()
        for part in parts {
            line.key(part.name ?? "call")
            line.beginObject()
            line.key("kind")
            line.string(part.kind)
            if let reason = part.reason {
                line.key("reason")
                line.string(reason)
            }
            if let attempts = part.attempts {
                line.key("attempts")
                line.int(attempts)
            }
            line.key("elapsedMs")
            line.fixed(Int(part.elapsed / .microseconds(1)), places: 3)
            line.endObject()
        }
        line.endObject()
    }
}
