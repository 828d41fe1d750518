package import EventIO
package import GatewayCore
package import HTTPInbound
import HTTPModel
import Rx

/// A request to an endpoint, from its start to the last byte of its answer. Confined to its loop.
package final class GatewayExchange: InboundExchange {
    private let match: EndpointMatch
    private let handler: RequestHandler
    // The loop guards both.
    private var ongoing: (any OngoingRequest)?
    /// Its response is moved out when it is sent. Its summary stays here, because moving it would copy it.
    private var answer: GatewayResponse?
    /// Sends a streamed answer; nil for any other.
    private var pump: StreamPump?
    /// Passes on the response of an upstream; nil for any other answer.
    private var relay: RelayPump?
    /// Compresses and sends a large answer; nil for any other.
    private var slices: SlicedAnswer?
    /// Whether the request has a place among those in flight.
    private var isAdmitted = false
    /// Nanoseconds from the request's head to the start of its endpoint: the time in which the body arrived.
    private var startDelay: Int64 = 0

    init(_ arrival: Arrival, at match: EndpointMatch, _ handler: RequestHandler) {
        self.match = match
        self.handler = handler
        super.init(arrival)
    }

    package override func start() {
        do throws(GatewayError) {
            try handler.admission.enter(match)
        } catch {
            let answer = handler.responder.render(error, fields: request.head.fields, at: match)
            return deliver(answer)
        }
        isAdmitted = true
        startDelay = max(0, (loop.wakeTime - receivedAt).nanoseconds)
        // Only at an endpoint that streams bodies.
        let body = bodyReader.map { ExchangeBody($0, limit: match.bodyLimit, loop: loop) }
        let started = handler.responder.respond(
            to: request, at: match, from: remoteText, isHead: method.isHead, body: body,
            for: LoopBound(self, loop: loop))
        // The client may be gone, or the answer sent, before `respond` has returned.
        if isOver {
            started.dispose()
        } else if answer == nil {
            ongoing = started
        }
    }

    private func leave() {
        guard isAdmitted else { return }
        isAdmitted = false
        handler.admission.leave(match)
    }

    /// - Parameter sink: takes the pieces of a response that is passed on.
    fileprivate func deliver(
        _ answer: consuming GatewayResponse, _ sink: LoopBound<GatewayExchange>? = nil
    ) {
        ongoing = nil
        var response = HTTPResponse(status: .ok, fields: HTTPFields())
        swap(&response, &answer.response)
        if let stream = answer.stream {
            answer.releaseStream()
            let requestID = answer.summary.requestID
            self.answer = consume answer
            let head = HTTPResponseHead(status: response.status, fields: response.fields)
            return send(head, stream, requestID: requestID, sink)
        }
        if let compressor,
            case .sliced(let encoder) = compressor.compress(&response, for: request.head.fields)
        {
            self.answer = consume answer
            return send(response, by: encoder)
        }
        leave()
        self.answer = consume answer
        respond(response)
        // If the client is slow, only the stream holds the answer's bytes.
        if isAnswerWaiting { self.answer?.dropValues() }
    }

    /// Nil if the answer is sent as it is.
    private var compressor: AnswerCompressor? { match.compresses ? handler.compressor : nil }

    private func send(_ response: HTTPResponse, by encoder: AnswerEncoder) {
        let writer = startStreaming(HTTPResponseHead(status: response.status, fields: response.fields))
        guard method != .head, !isOver else { return writer.finish() }
        let slices = SlicedAnswer(response.body, by: encoder, to: writer, on: loop)
        self.slices = slices
        slices.start()
    }

    /// The request keeps its place among those in flight until the stream has ended.
    private func send(
        _ head: HTTPResponseHead, _ stream: AnswerStream, requestID: String,
        _ sink: LoopBound<GatewayExchange>?
    ) {
        guard let sink, let flow = stream.relay(to: sink) else {
            pump = StreamPump.send(stream, head, on: self, handler.log, compressor: compressor)
            return
        }
        var head = head
        let length = head.fields.firstValueBytes(.contentLength).flatMap {
            Int(String(decoding: $0, as: UTF8.self))
        }
        var encoder: AnswerEncoder?
        if method == .head {
            compressor?.describe(&head, length: length, request.head.fields)
        } else {
            encoder = compressor?.encoder(for: &head, length: length, request.head.fields)
        }
        let writer = PieceWriter(startStreaming(head), by: encoder, on: loop)
        if isOver { return stream.cancel() }
        relay = RelayPump(stream, flow, to: writer, requestID: requestID, handler.log)
    }

    fileprivate func relayed(_ piece: UnsafeRawBufferPointer) { relay?.received(piece) }

    fileprivate func relayEnded(_ error: (any Error)?) { relay?.ended(error) }

    package override func ended(_ outcome: InboundOutcome) {
        leave()
        pump?.stop()
        pump = nil
        relay?.stop()
        relay = nil
        slices?.stop()
        slices = nil
        // If the client left or the server ended the request, its upstream calls are cancelled.
        let cancelled = ongoing.take()?.cancel()
        if let answer = answer.take() {
            log(answer.summary, outcome)
        } else if let cancelled {
            logUndelivered(cancelled, entry(status: nil, outcome))
        } else {
            handler.records?.write(entry(status: nil, outcome), requestID: nil)
        }
    }

    private func log(_ summary: borrowing RequestSummary, _ outcome: InboundOutcome) {
        let entry = entry(status: summary.status, outcome)
        if entry.status != summary.status { return logUndelivered(copy summary, entry) }
        handler.records?.write(entry, summary)
    }

    /// Logs a request whose client got nothing of an answer: the answer's code would contradict the status.
    @inline(never)
    private func logUndelivered(_ summary: RequestSummary, _ entry: AccessLog.Entry) {
        let code = AccessLog.code(entry.end) ?? summary.code
        handler.records?.write(entry, summary.undelivered(status: entry.status, code: code))
    }

    private func entry(status: Int?, _ outcome: InboundOutcome) -> AccessLog.Entry {
        AccessLog.Entry(
            method: method, path: request.head.target.pathBytes,
            status: AccessLog.status(status, outcome, hasBegun: hasBegun), end: outcome,
            remote: remoteText, receivedAt: receivedAt, bytesReceived: bytesReceived, bytesSent: bytesSent,
            startDelay: startDelay)
    }
}

extension LoopBound: AnswerReceiver where Value == GatewayExchange {
    package func answered(_ answer: consuming GatewayResponse) {
        guard !loop.isCurrent else { return value.deliver(answer, self) }
        loop.execute { [answer] in self.value.deliver(answer, self) }
    }
}

extension LoopBound: PieceSink where Value == GatewayExchange {
    package func received(_ piece: UnsafeRawBufferPointer) {
        guard !loop.isCurrent else { return value.relayed(piece) }
        let bytes = ArraySlice(piece)
        loop.execute { bytes.withUnsafeBytes { self.value.relayed($0) } }
    }

    package func ended(_ error: (any Error)?) {
        guard !loop.isCurrent else { return value.relayEnded(error) }
        loop.execute { self.value.relayEnded(error) }
    }
}
