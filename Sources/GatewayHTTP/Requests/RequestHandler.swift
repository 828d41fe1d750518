import EventIO
import GatewayConfig
import GatewayCore
import HTTPInbound
import HTTPModel

/// Routes a loop's requests to health checks, endpoints and static files, and logs the requests that end
/// without an exchange.
final class RequestHandler: InboundHandler {
    let responder: GatewayResponder
    /// Nil if nobody wants to know how requests end.
    let records: RequestRecords?
    /// The loop guards it.
    var admission: RequestAdmission
    private let health: Health
    /// Nil if any name is accepted. The loop guards it.
    private var hosts: HostCheck?
    private let files: LoopFiles?
    /// Bytes of a body that the server reads into memory.
    private let largestBody: Int
    /// Nil if answers are sent as they are. The loop guards it.
    let compressor: AnswerCompressor?
    /// Nil unless the server simulates faults.
    let faultSender: (@Sendable (HTTPResponse, RequestSummary, InboundExchange) -> Bool)?
    let log: Log
    /// The memory of what `responder` was read from; nil without a file.
    private let memory: ThreadMemory?

    /// - Parameters:
    ///   - generation: what requests are routed by.
    ///   - shared: the gateway's logs and phase.
    ///   - limits: the loop's.
    ///   - records: learn how requests end.
    ///   - refusals: the earlier generations' refusals.
    init(
        _ generation: Generation, _ shared: Worker.Shared, _ limits: InboundLimits, records: RequestRecords?,
        refusals: Int = 0
    ) {
        log = shared.logs.diagnostics
        largestBody = limits.requestBody
        responder = generation.responder
        compressor = generation.configuration.compression.map { AnswerCompressor($0) }
        faultSender = generation.configuration.faultSender
        admission = RequestAdmission(
            capacity: limits.requestsInFlight, endpoints: responder.endpointCount, refusals: refusals)
        hosts = HostCheck(generation.hosts)
        health = Health(shared.phase)
        self.records = records
        memory = generation.memory
        files = generation.files.map {
            LoopFiles(
                $0, generation.responder, records: records, log: shared.logs.diagnostics,
                requestsInFlight: limits.requestsInFlight, shared.fileDescriptors)
        }
        files?.handler = self
    }

    /// A generation that a reload has replaced ends with the last request that it routed, often long after
    /// the reload.
    deinit { EventLoop.current?.largeMemoryWasFreed() }

    /// Answers health checks.
    func answerAboveLimit(_ head: HTTPRequestHead) -> HTTPResponse? {
        do throws(GatewayError) {
            guard var answer = try health.answer(head) else { return nil }
            answer.fields.append(.xRequestID, responder.requestID(head.fields))
            responder.addCORSFields(to: &answer.fields, for: head.fields)
            return answer
        } catch {
            return responder.render(error, fields: head.fields).response
        }
    }

    func decide(_ head: HTTPRequestHead) -> BodyDecision {
        // Before the host check: probes use any name, and health tells a web page nothing useful.
        if let answer = answerAboveLimit(head) { return .answer(answer) }
        do throws(GatewayError) {
            try hosts?.check(head)
            switch try responder.route(head) {
            case .endpoint(let match): return receive(head, for: match)
            case .answer(let answer): return .answer(answer.response)
            }
        } catch {
            if error.code == .notFound, let file = files?.request(for: head) {
                // The body is ignored. A body that the server would refuse is not read, so the path decides
                // the answer.
                return hasLargeBody(head)
                    ? .stream(limit: .max, context: file) : .buffer(limit: .max, context: file)
            }
            if log.isDebug { logRefusal(error) }
            return Self.answer(responder.render(error, fields: head.fields))
        }
    }

    /// Decides on a request that an endpoint, or its group's middleware, takes.
    @inline(__always)
    private func receive(_ head: HTTPRequestHead, for match: EndpointMatch) -> BodyDecision {
        do throws(GatewayError) {
            try admission.check(match)
        } catch {
            if log.isDebug { logRefusal(error) }
            return .answer(responder.render(error, fields: head.fields, at: match).response)
        }
        if let files, let pass = match.forFile, let file = files.request(for: head, middleware: pass) {
            return .buffer(limit: match.bodyLimit, context: file)
        }
        if match.streamsBody { return .stream(limit: match.bodyLimit, context: match) }
        // RFC 9110 10.1.1: a client that waits gets its refusal instead of a 100.
        if match.checksHead, head.fields.contains(.expect),
            let refusal = responder.refusal(of: head, at: match)
        {
            return Self.answer(refusal)
        }
        return .buffer(limit: match.bodyLimit, context: match)
    }

    private func hasLargeBody(_ head: HTTPRequestHead) -> Bool {
        guard let length = head.fields.firstValueBytes(.contentLength) else { return false }
        return Int(String(decoding: length, as: UTF8.self)).map { $0 > largestBody } ?? true
    }

    private static func answer(_ refusal: GatewayResponse) -> BodyDecision {
        .answer(refusal.response, refused: refusal.summary.refusedValues)
    }

    /// A 404 or 405 is an answer, not a refusal.
    private func logRefusal(_ error: GatewayError) {
        guard error.code != .notFound, error.code != .methodNotAllowed else { return }
        log.write(
            .debug, "request refused",
            ["status": "\(error.code.status)", "reason": error.code.name.lowercased()])
    }

    /// An endpoint has its own style of answers.
    func answer(to error: InboundError, _ context: AnyObject) -> (response: HTTPResponse, refused: [String])?
    {
        switch context {
        case let earlier as EarlierDecision: return earlier.handler.answer(to: error, earlier.context)
        case let match as EndpointMatch:
            guard let head = error.head else { return nil }
            // What the head itself is refused for does not depend on the length of the body.
            if error.reason == .bodyTooLarge, let refusal = responder.refusal(of: head, at: match) {
                return (refusal.response, refusal.summary.refusedValues)
            }
            log.refused(error)
            return (
                responder.render(GatewayError(error), fields: head.fields, at: match).response, error.parts
            )
        default: return nil
        }
    }

    func exchange(for arrival: InboundExchange.Arrival) -> InboundExchange {
        exchange(for: arrival, arrival.takeContext())
    }

    @inline(__always)
    private func exchange(for arrival: InboundExchange.Arrival, _ context: AnyObject?) -> InboundExchange {
        // `decide` gives one of the first two contexts, `handOver` the third.
        switch context {
        case let match as EndpointMatch: GatewayExchange(arrival, at: match, self)
        case let file as FileRequest: FileExchange(arrival, file)
        case let earlier as EarlierDecision: earlier.handler.lateExchange(for: arrival, earlier.context)
        default: InboundExchange(arrival)
        }
    }

    @inline(never)
    private func lateExchange(for arrival: InboundExchange.Arrival, _ context: AnyObject) -> InboundExchange {
        exchange(for: arrival, context)
    }

    /// What a handler has decided about a request whose body the next generation reads to its end.
    private final class EarlierDecision {
        let context: AnyObject
        let handler: RequestHandler

        init(_ context: AnyObject, by handler: RequestHandler) {
            self.context = context
            self.handler = handler
        }
    }

    func handOver(_ context: AnyObject) -> AnyObject {
        context is EarlierDecision ? context : EarlierDecision(context, by: self)
    }

    private static let asterisk = Array("*".utf8)[...]

    /// Returns nil if the head was not read, or if its target has no path (CONNECT).
    private static func path(of head: HTTPRequestHead?) -> ArraySlice<UInt8>? {
        guard let target = head?.target else { return nil }
        switch target.form {
        case .origin, .absolute: return target.pathBytes
        case .asterisk: return asterisk
        case .authority: return nil
        }
    }

    func answered(_ answer: DirectAnswer) {
        let status = AccessLog.status(
            answer.response?.status.code, answer.outcome, hasBegun: answer.hasBegun)
        records?.write(
            AccessLog.Entry(
                method: answer.method, path: Self.path(of: answer.head), status: status,
                end: answer.outcome, remote: answer.remoteAddress.description, receivedAt: answer.receivedAt,
                bytesReceived: answer.bytesReceived, bytesSent: answer.bytesSent),
            requestID: answer.response?.fields.firstValueBytes(.xRequestID), refused: answer.refused)
    }
}
