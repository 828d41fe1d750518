import EventIO
import GatewayConfig
import GatewayCore
import HTTPInbound
import HTTPModel

/// Routes a loop's requests to health checks, endpoints and static files, and records the requests that
/// end without an exchange.
final class RequestHandler: InboundHandler {
    let responder: GatewayResponder
    let recorder: Recorder
    let streams: LoopStreams
    /// The loop guards it.
    var admission: RequestAdmission
    private let health: Health
    /// Nil if any name is accepted. The loop guards it.
    private var hosts: HostCheck?
    private let files: LoopFiles?
    /// Nil if answers are sent as they are. The loop guards it.
    let compressor: AnswerCompressor?
    /// Nil unless the server simulates faults.
    let faultSender: (@Sendable (HTTPResponse, RequestSummary, InboundExchange) -> Bool)?
    let log: Log
    /// The memory of what `responder` was read from; nil without a file.
    private let memory: ThreadMemory?
    /// What the loop knows of callers.
    let access: AccessLoop

    /// - Parameters:
    ///   - generation: what requests are routed by.
    ///   - shared: the gateway's logs and phase.
    ///   - limits: the loop's.
    ///   - recorder: the loop's.
    ///   - streams: the loop's.
    ///   - access: the loop's.
    init(
        _ generation: Generation, _ shared: Worker.Shared, _ limits: InboundLimits, recorder: Recorder,
        streams: LoopStreams, access: AccessLoop
    ) {
        self.access = access
        log = shared.logs.diagnostics
        responder = generation.responder
        compressor = generation.configuration.compression.map {
            AnswerCompressor($0, recorder.counters.compression)
        }
        faultSender = generation.configuration.faultSender
        admission = RequestAdmission(
            capacity: limits.requestsInFlight, endpoints: responder.endpointCount,
            counters: recorder.counters)
        hosts = HostCheck(generation.hosts)
        health = Health(shared.phase)
        self.recorder = recorder
        self.streams = streams
        memory = generation.memory
        files = generation.files.map {
            LoopFiles(
                $0, generation.responder, recorder: recorder, log: shared.logs.diagnostics,
                requestsInFlight: limits.requestsInFlight, shared.fileDescriptors)
        }
        files?.handler = self
    }

    /// A generation that a reload has replaced ends with the last request that it routed, often long after
    /// the reload.
    deinit { EventLoop.current?.largeMemoryWasFreed() }

    func healthAnswer(to head: HTTPRequestHead) -> HTTPResponse? {
        do throws(GatewayError) {
            guard var answer = try health.answer(head) else { return nil }
            answer.fields.append(.xRequestID, responder.requestID(head.fields))
            responder.addCORSFields(to: &answer.fields, for: head.fields)
            return answer
        } catch {
            return responder.render(error, fields: head.fields).response
        }
    }

    func decide(_ arrival: InboundExchange.Arrival) -> BodyDecision {
        let head = arrival.head
        // Before the host check: probes use any name, and health tells a web page nothing useful.
        if let answer = healthAnswer(to: head) { return .answer(answer) }
        do throws(GatewayError) {
            try hosts?.check(head)
            let decision = try responder.route(head)
            // Moved: its payload is large.
            switch consume decision {
            case .endpoint(let match): return receive(arrival, head, for: match)
            case .answer(let answer): return .answer(answer.response)
            }
        } catch {
            if error.code == .notFound, let file = files?.request(for: head) {
                return .ignore(FileExchange(arrival, file))
            }
            if error.code == .misdirected { recorder.counters.count(.host) }
            if log.isDebug { logRefusal(error) }
            return Self.answer(responder.render(error, fields: head.fields))
        }
    }

    /// Decides on a request that an endpoint, or its group's middleware, takes.
    @inline(__always)
    private func receive(
        _ arrival: InboundExchange.Arrival, _ head: HTTPRequestHead, for match: EndpointMatch
    ) -> BodyDecision {
        if let files, let pass = match.forFile, let file = files.request(for: head, middleware: pass) {
            return .buffer(limit: match.bodyLimit, FileExchange(arrival, file))
        }
        return match.hasAccess ? admit(arrival, head, for: match) : take(arrival, head, for: match, nil)
    }

    /// Decides on a request to an endpoint that not everybody may call, or not at any rate.
    @inline(never)
    private func admit(
        _ arrival: InboundExchange.Arrival, _ head: HTTPRequestHead, for match: EndpointMatch
    ) -> BodyDecision {
        // A request without room uses up no limit, and no token is verified for it. Its exchange answers.
        if arrival.isOverloaded {
            return .buffer(limit: match.bodyLimit, GatewayExchange(arrival, at: match, self, nil))
        }
        do throws(GatewayError) {
            try admission.check(match)
        } catch {
            let (response, note) = overloadAnswer(error, to: head, at: match)
            return .answer(response, note)
        }
        let source = AccessSource(
            client: arrival.clientAddress, loop: access, certificate: arrival.clientCertificate)
        let access = responder.admit(head, at: match, source)
        if let access, let answer = responder.refusal(by: access, of: head, at: match) {
            return Self.answer(answer)
        }
        return take(arrival, head, for: match, access)
    }

    /// Makes the exchange of a request that has been admitted.
    ///
    /// - Parameter access: what is known of the caller; nil at an open endpoint.
    @inline(__always)
    private func take(
        _ arrival: InboundExchange.Arrival, _ head: HTTPRequestHead, for match: EndpointMatch,
        _ access: RequestAccess?
    ) -> BodyDecision {
        if match.streamsBody {
            return .stream(limit: match.bodyLimit, GatewayExchange(arrival, at: match, self, access))
        }
        // RFC 9110 10.1.1: a client that waits gets its refusal instead of a 100.
        if match.checksHead, head.fields.contains(.expect),
            let refusal = responder.refusal(of: head, at: match, access: access)
        {
            return Self.answer(refusal)
        }
        return .buffer(limit: match.bodyLimit, GatewayExchange(arrival, at: match, self, access))
    }

    /// Returns the answer to a request to an endpoint that has no room for it.
    func overloadAnswer(
        _ error: GatewayError, to head: HTTPRequestHead, at match: EndpointMatch,
        _ access: RequestAccess? = nil
    ) -> (response: HTTPResponse, note: AnswerNote) {
        if log.isDebug { logRefusal(error) }
        let answer = responder.render(error, fields: head.fields, at: match, access: access)
        return (answer.response, AnswerNote(answer))
    }

    private static func answer(_ refusal: GatewayResponse) -> BodyDecision {
        .answer(refusal.response, AnswerNote(refusal))
    }

    /// A 404 or 405 is an answer, not a refusal.
    private func logRefusal(_ error: GatewayError) {
        guard error.code != .notFound, error.code != .methodNotAllowed else { return }
        log.write(
            .debug, "request refused",
            ["status": error.code.status, "reason": error.code.name.lowercased()])
    }

    func answered(_ answer: DirectAnswer) {
        var note = answer.note
        note.code = note.code ?? answer.error.map { GatewayError($0).code.name }
        recorder.ended(
            RequestFacts(answer, keepsFields: recorder.keepsFields),
            requestID: answer.response?.fields.firstValueBytes(.xRequestID),
            of: Health.isAsked(by: answer.head) ? RouteLabel.health : note.route ?? RouteLabel.none, note)
    }
}

extension AnswerNote {
    /// - Parameter refused: the parts of the request that the answer complains of, if it does not say so.
    init(_ answer: borrowing GatewayResponse, refused: [String] = []) {
        let values = answer.summary.refusedValues
        self.init(
            route: answer.summary.route, code: answer.summary.code,
            refused: values.isEmpty ? refused : values, details: answer.summary.checked
        )
    }

    /// The note of a request that ends without an answer.
    ///
    /// - Parameter access: what is known of the caller; nil at an open endpoint.
    init(of access: RequestAccess?) { self.init(details: access) }

    /// The check of the caller; nil at an open endpoint. The server carries it without looking at it.
    var checked: RequestAccess? { details as? RequestAccess }
}
