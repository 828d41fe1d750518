package import EventIO
package import GatewayCore
package import HTTPInbound
import HTTPModel
import Networking
import Rx

/// A request to an endpoint, from its start to the last byte of its answer. Confined to its loop.
package final class GatewayExchange: InboundExchange {
    private let match: EndpointMatch
    private let handler: RequestHandler
    /// What is known of the caller; nil at an open endpoint.
    private let access: RequestAccess?
    // The loop guards both.
    private var ongoing: (any OngoingRequest)?
    /// Its response is moved out when it is sent. Its summary stays here, because moving it would copy it.
    private var answer: GatewayResponse?
    /// Sends an answer that is streamed, passed on, or large and compressed; nil for any other.
    private var pump: AnswerPump?
    /// Whether the request has a place among those in flight.
    private var isAdmitted = false
    /// At an endpoint with a limit of its own. Given back with the other.
    private var place: EndpointPlace?
    /// The memory of a large body. Kept until the answer, and then only if that has parts of the body.
    private var memory: BodyCharge?
    /// Nanoseconds from the request's head to the start of its endpoint: the time in which the body arrived.
    private var startDelay: Int64 = 0

    init(
        _ arrival: Arrival, at match: EndpointMatch, _ handler: RequestHandler, _ access: RequestAccess?
    ) {
        self.match = match
        self.handler = handler
        self.access = access
        super.init(arrival)
    }

    package override func overloadAnswer() -> (response: HTTPResponse, note: AnswerNote)? {
        do throws(GatewayError) {
            try handler.admission.check(match)
            return nil
        } catch {
            return handler.overloadAnswer(error, to: request.head, at: match, access)
        }
    }

    /// An endpoint has its own style of answers.
    package override func answer(to error: InboundError) -> (response: HTTPResponse, note: AnswerNote)? {
        guard let head = error.head else { return nil }
        // What the head itself is refused for does not depend on the length of the body.
        if error.reason == .bodyTooLarge,
            let refusal = handler.responder.refusal(of: head, at: match, access: access)
        {
            return (refusal.response, AnswerNote(refusal))
        }
        handler.recorder.counters.count(error)
        handler.log.refused(error)
        let answer = handler.responder.render(
            GatewayError(error), fields: head.fields, at: match, access: access)
        return (answer.response, AnswerNote(answer, refused: error.parts))
    }

    package override var noteBeforeStart: AnswerNote { AnswerNote(of: access) }

    package override func start() {
        memory = takeCharge()
        do throws(GatewayError) {
            place = try handler.admission.enter(match)
        } catch {
            _ = takeRequest()
            return deliver(
                handler.responder.render(error, fields: request.head.fields, at: match, access: access))
        }
        isAdmitted = true
        startDelay = max(0, (loop.wakeTime - receivedAt).nanoseconds)
        // Only at an endpoint that streams bodies, and for a request that will be refused.
        let source = bodyReader.map {
            ExchangeBody(
                $0, from: clientPrefix, limit: match.bodyLimit, handler.recorder.counters, loop: loop)
        }
        let isSampled = handler.recorder.tracer.samples(request.head.fields, isTrusted: isFromTrustedProxy)
        let began = loop.codeBegins()
        let started = handler.responder.respond(
            to: takeRequest(), at: match, from: remoteText, client: client, certificate: clientCertificate,
            isHead: method.isHead, body: source, memory: memory, place: place, access: access,
            isSampled: isSampled, attempts: handler.recorder.lendLog(), for: LoopBound(self, loop: loop))
        loop.codeEnded(began, of: match.name)
        // The client may be gone, or the answer sent, before `respond` has returned.
        if isOver {
            started.dispose()
        } else if answer == nil {
            ongoing = started
        }
    }

    /// The endpoint has answered. Its answer may have parts of the body, which then waits for the client with
    /// it.
    private func releaseMemory(_ answer: [ArraySlice<UInt8>]) {
        if let memory, !memory.isShared(by: answer) { self.memory = nil }
    }

    private func leave() {
        guard isAdmitted else { return }
        isAdmitted = false
        handler.admission.leave(match, place)
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
            // The endpoint's work goes on, and keeps the body as long as it needs it.
            memory = nil
            let head = HTTPResponseHead(status: response.status, fields: response.fields)
            pump = AnswerPump.begin(
                stream, head, on: self, requestID: requestID, handler.log, compressor: compressor, sink: sink)
            pump?.start()
            if stream.records?.endsAtDrain == true { pump?.follow(handler.streams) }
            return
        }
        if memory != nil { releaseMemory(response.body) }
        // Charges end with this call, and the log line is written at the end of the wake, after other
        // requests.
        let hasCharges = answer.hasCharges
        self.answer = consume answer
        if hasCharges { self.answer?.dropValues() }
        // The exchange may end within, so it has its answer already.
        if let send = handler.faultSender, let summary = self.answer?.summary, send(response, summary, self) {
            return
        }
        if let compressor {
            if loop.isTurnOver, compressor.mayTakeLong(response, on: self), mayHold(response.bodyCount) {
                return awaitTurn(response, compressor)
            }
            if case .sliced(let encoder) = compressor.compress(&response, on: self) {
                return send(response, by: encoder)
            }
        }
        respond(response)
        // If the client is slow, only the stream holds the answer's bytes.
        if isAnswerWaiting { self.answer?.dropValues() }
    }

    /// Lets others have their turn before the answer is compressed.
    @inline(never)
    private func awaitTurn(_ response: HTTPResponse, _ compressor: AnswerCompressor) {
        // Only what waits holds the answer's bytes.
        answer?.dropValues()
        let client = clientPrefix
        hold(response.bodyCount)
        if !isOver { loop.awaitTurn(WaitingAnswer(response, of: self, compressor), for: client) }
    }

    /// Compresses an answer that has waited for its turn, and sends it.
    fileprivate func turnBegins(of waiting: HTTPResponse, _ compressor: AnswerCompressor) {
        guard !isOver else { return }
        var response = waiting
        if case .sliced(let encoder) = compressor.compress(&response, on: self) {
            return send(response, by: encoder)
        }
        respond(response)
    }

    /// Nil if the answer is sent as it is.
    private var compressor: AnswerCompressor? { match.compresses ? handler.compressor : nil }

    private func send(_ response: HTTPResponse, by encoder: AnswerEncoder) {
        let requestID = answer?.summary.requestID ?? ""
        // Only the pump holds the answer's bytes.
        answer?.dropValues()
        let writer = startStreaming(HTTPResponseHead(status: response.status, fields: response.fields))
        guard method != .head, !isOver else { return writer.finish() }
        pump = AnswerPump(
            response.body, to: writer, by: encoder, on: loop, requestID: requestID, handler.log)
        pump?.start()
    }

    fileprivate func relayed(_ piece: UnsafeRawBufferPointer) { pump?.received(piece) }

    fileprivate func relayEnded(_ error: (any Error)?) { pump?.ended(error) }

    /// The request gives up its place among those in flight, because only its client delays it now.
    package override func passedOn() { leave() }

    package override func ended(_ outcome: InboundOutcome) {
        memory = nil
        pump?.stop()
        pump = nil
        // If the client left or the server ended the request, its upstream calls are cancelled. Those that go
        // on hold its place.
        let cancelled = ongoing.take()?.cancel()
        leave()
        if let answer = answer.take() {
            record(answer.summary, outcome)
        } else if let cancelled {
            recordUndelivered(cancelled, facts(status: nil, outcome))
        } else {
            handler.recorder.ended(facts(status: nil, outcome), requestID: nil, AnswerNote(of: access))
        }
    }

    private func record(_ summary: borrowing RequestSummary, _ outcome: InboundOutcome) {
        let facts = facts(status: summary.status, outcome)
        if facts.status != summary.status { return recordUndelivered(copy summary, facts) }
        handler.recorder.ended(facts, summary)
    }

    /// Records a request whose client got nothing of an answer: the answer's code would contradict the
    /// status.
    @inline(never)
    private func recordUndelivered(_ summary: RequestSummary, _ facts: borrowing RequestFacts) {
        let code = facts.undeliveredCode ?? summary.code
        handler.recorder.ended(facts, summary.undelivered(status: facts.status, code: code))
    }

    private func facts(status: Int?, _ outcome: InboundOutcome) -> RequestFacts {
        RequestFacts(
            self, status: status, outcome, startDelay: startDelay, slowLimit: match.slowLimit,
            keepsFields: handler.recorder.keepsFields)
    }
}

/// An answer that is compressed in a later turn of the loop. It keeps its exchange.
private final class WaitingAnswer: TurnWork {
    private let response: HTTPResponse
    private let exchange: GatewayExchange
    private let compressor: AnswerCompressor

    init(_ response: HTTPResponse, of exchange: GatewayExchange, _ compressor: AnswerCompressor) {
        self.response = response
        self.exchange = exchange
        self.compressor = compressor
    }

    func turnBegins() { exchange.turnBegins(of: response, compressor) }
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
