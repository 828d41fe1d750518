package import EventIO
package import GatewayCore
package import HTTPInbound
import HTTPModel
import Rx

/// Hands a loop's requests to the gateway, and tells the access log how each ended.
final class RequestHandler: InboundHandler {
    private let responder: GatewayResponder
    private let health: Health
    /// Nil where every name passes. The loop guards it.
    private var hosts: HostCheck?
    private let accessLog: AccessLog?
    private let files: LoopFiles?
    private let log: Log

    /// - Parameter files: what is asked for where no endpoint has the path; nil: nothing is.
    init(
        _ responder: GatewayResponder, phase: Phase, hosts: HostNames, accessLog: AccessLog?,
        files: LoopFiles?, log: Log
    ) {
        self.log = log
        self.hosts = HostCheck(hosts)
        self.files = files
        self.responder = responder
        health = Health(phase)
        self.accessLog = accessLog
    }

    func decide(_ head: HTTPRequestHead) -> BodyDecision {
        do throws(GatewayError) {
            // Before the check of the host: probes call by any name, and health tells a web page nothing of use.
            if var answer = try health.answer(head) {
                answer.fields.append(.xRequestID, responder.requestID(head.fields))
                return .answer(answer)
            }
            try hosts?.check(head)
            switch try responder.route(head) {
            case .handle(let routed, let limit): return .buffer(limit: limit, context: routed)
            case .answer(let answer): return .answer(answer.response)
            }
        } catch {
            if error.code == .notFound, let file = files?.server.request(for: head) {
                // A body says nothing to a file: the server's own limit is enough.
                return .buffer(limit: .max, context: file)
            }
            if log.isDebug { tellOfRefusal(error) }
            return .answer(responder.render(error, fields: head.fields).response)
        }
    }

    /// A 404 or 405 is an answer, not a refusal.
    private func tellOfRefusal(_ error: GatewayError) {
        guard error.code != .notFound, error.code != .methodNotAllowed else { return }
        log.write(
            .debug, "request refused",
            ["status": "\(error.code.status)", "reason": error.code.name.lowercased()])
    }

    func exchange(for arrival: InboundExchange.Arrival) -> InboundExchange {
        if let files, arrival.context is FileRequest { return FileExchange(arrival, files) }
        return GatewayExchange(arrival, accessLog)
    }

    func handle(_ exchange: InboundExchange) {
        if let exchange = exchange as? GatewayExchange {
            exchange.start(at: responder)
        } else {
            (exchange as? FileExchange)?.start()
        }
    }

    private static let asterisk = Array("*".utf8)[...]

    private static func path(of head: HTTPRequestHead?) -> ArraySlice<UInt8>? {
        head.map { $0.target.form == .asterisk ? asterisk : $0.target.pathBytes }
    }

    func answered(_ answer: DirectAnswer) {
        let status = AccessLog.status(
            answer.response?.status.code, answer.outcome, hasBegun: answer.hasBegun)
        accessLog?.write(
            AccessLog.Entry(
                method: answer.method, path: Self.path(of: answer.head), status: status,
                end: answer.outcome, remote: answer.remoteAddress.description, receivedAt: answer.receivedAt,
                bytesReceived: answer.bytesReceived, bytesSent: answer.bytesSent),
            requestID: answer.response?.fields.firstValueBytes(.xRequestID))
    }
}

extension LoopBound: AnswerReceiver where Value == GatewayExchange {
    package func answered(_ answer: consuming GatewayResponse) {
        guard !loop.isCurrent else { return value.deliver(answer) }
        loop.execute { [answer] in self.value.deliver(answer) }
    }
}

/// A request between its start and the last byte of its answer. Confined to its loop.
package final class GatewayExchange: InboundExchange {
    private let accessLog: AccessLog?
    // The loop guards both.
    private var ongoing: (any OngoingRequest)?
    /// Its response is moved out; the summary stays in it, as to take it out would be to copy it.
    private var answer: GatewayResponse?

    init(_ arrival: Arrival, _ accessLog: AccessLog?) {
        self.accessLog = accessLog
        super.init(arrival)
    }

    func start(at responder: GatewayResponder) {
        let started = responder.respond(
            to: request, routed: context as? GatewayResponder.Routed, for: LoopBound(self, loop: loop))
        guard let started else { return }
        // The client may be gone, or the answer out, before the gateway's `respond` returned.
        if isOver {
            started.dispose()
        } else if answer == nil {
            ongoing = started
        }
    }

    func deliver(_ answer: consuming GatewayResponse) {
        ongoing = nil
        var response = HTTPResponse(status: .ok, fields: HTTPFields())
        swap(&response, &answer.response)
        self.answer = consume answer
        respond(response)
        // Where it waits for its client, its bytes are the stream's alone.
        if isAnswerWaiting { self.answer?.dropValues() }
    }

    package override func ended(_ outcome: InboundOutcome) {
        // Where the client left or the server ended it, what was started for the request ends too.
        let cancelled = ongoing.take()?.cancel()
        if let answer = answer.take() {
            tell(answer.summary, outcome)
        } else if let cancelled {
            accessLog?.write(entry(status: nil, outcome), cancelled)
        } else {
            accessLog?.write(entry(status: nil, outcome), requestID: nil)
        }
    }

    private func tell(_ summary: borrowing RequestSummary, _ outcome: InboundOutcome) {
        accessLog?.write(entry(status: summary.status, outcome), summary)
    }

    private func entry(status: Int?, _ outcome: InboundOutcome) -> AccessLog.Entry {
        AccessLog.Entry(
            method: method, path: request.head.target.pathBytes,
            status: AccessLog.status(status, outcome, hasBegun: hasBegun), end: outcome,
            remote: remoteText, receivedAt: receivedAt, bytesReceived: bytesReceived, bytesSent: bytesSent)
    }
}
