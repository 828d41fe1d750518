internal import EventIO
internal import HTTPInbound
internal import HTTPModel

/// What the handlers of all loops share.
struct SampleServices: Sendable {
    let data: SampleQueue
    let routes: SampleRoutes
    let faults: FaultBoard
    let attempts = CallAttempts()
    /// Nil to answer at once.
    let latency: SampleLatency?
    let trickleInterval: TimeAmount
    let calls: RecentCalls
    /// Whether requests may name this authority in `Host`.
    let allowsHost: @Sendable (ArraySlice<UInt8>) -> Bool
    let log: (@Sendable (SampleEvent) -> Void)?
}

/// Serves the sample APIs on one loop.
final class SampleHandler: InboundHandler {
    private let services: SampleServices

    init(_ services: SampleServices) {
        self.services = services
    }

    func decide(_ head: HTTPRequestHead) -> BodyDecision {
        if let authority = head.authorityBytes, !services.allowsHost(authority) {
            return .answer(GenericResponse.failure(.misdirectedRequest, "no upstream has this host name"))
        }
        guard let resource = services.routes.resource(head.target) else {
            return .answer(PageAccess.opening(Self.notFound(head), to: head))
        }
        guard let limit = resource.bodyLimit(head.method) else {
            let message = "\(head.target.path) does not support \(head.method)"
            let methods = resource.methods
            // The server adds HEAD and OPTIONS.
            let allowed = methods + (methods.contains(.get) ? [.head, .options] : [.options])
            let refusal = GenericResponse.failure(.methodNotAllowed, message, allow: allowed)
            return .answer(PageAccess.opening(refusal, to: head))
        }
        return .buffer(limit: limit, context: resource)
    }

    private static func notFound(_ head: HTTPRequestHead) -> HTTPResponse {
        GenericResponse.failure(.notFound, "no resource has the path \(head.target.path)")
    }

    func allowedMethods(_ head: HTTPRequestHead) -> [HTTPMethod] {
        if head.target.form == .asterisk { return services.routes.methods }
        return services.routes.resource(head.target)?.methods ?? []
    }

    func answered(_ answer: DirectAnswer) {
        services.log?(
            .answered(
                SampleAnswer(
                    method: answer.method?.rawValue, target: answer.head?.target.description,
                    status: answer.response?.status.code, bytesSent: answer.bytesSent,
                    elapsedMilliseconds: milliseconds(since: answer.receivedAt),
                    isComplete: answer.outcome == .completed)))
    }

    func handle(_ inbound: InboundExchange) {
        let exchange = SampleExchange(inbound, calls: services.calls, log: services.log)
        let head = exchange.request.head
        let resource = inbound.context as? SampleRoutes.Resource
        let visitor: SampleVisitor?
        do throws(FaultError) {
            visitor = try SampleVisitor.read(head)
        } catch {
            return exchange.respond(GenericResponse.failure(.badRequest, error.description))
        }
        switch resource?.read(exchange.request, visitor) {
        case nil: exchange.respond(Self.notFound(head))
        case .respond(let response): exchange.respond(response)
        case .query(let route, let query):
            answer(
                query, of: route, exchange,
                with: fault(services.faults.fault(of: route, for: visitor), of: head))
        }
    }

    /// Returns the fault of this attempt of a call.
    private func fault(_ fault: Fault, of head: HTTPRequestHead) -> Fault {
        guard case .flaky(let failures) = fault else { return fault }
        let number = services.attempts.next(
            head.fields[.xRequestID], head.method.rawValue, head.target.description)
        return number <= failures ? .status(503) : .none
    }

    private typealias Query = @Sendable (SampleData) throws(SampleDataError) -> HTTPResponse

    /// Answers with the result of a query after the latency of its route, or after the delay that a fault sets instead.
    private func answer(
        _ query: @escaping Query, of route: FaultSwitch, _ exchange: SampleExchange, with fault: Fault
    ) {
        let wait: Int? =
            switch fault {
            case .delay(let milliseconds): milliseconds
            // At once: the gateway repeats a request whose reused connection ends without a response, and a timeline would
            // show the first wait as time spent connecting.
            case .drop: nil
            case .none, .status, .flaky, .garbage, .truncate, .trickle: services.latency?.next(of: route)
            }
        guard let wait else { return answer(query, exchange, with: fault) }
        DelayedAnswer.start(milliseconds: wait, exchange) { exchange in
            self.answer(query, exchange, with: fault)
        }
    }

    /// Answers with the result of a query, subject to a fault. A delay is already over.
    private func answer(_ query: @escaping Query, _ exchange: SampleExchange, with fault: Fault) {
        switch fault {
        case .none, .delay, .flaky: run(query, exchange) { response, exchange in exchange.respond(response) }
        case .status(let code):
            let status = HTTPStatus(code: code) ?? .internalServerError
            let message = "status \(code), set as a fault"
            exchange.respond(GenericResponse.failure(status, message, code: "FAULT"))
        case .drop: exchange.abort()
        case .garbage:
            exchange.sendRaw(RawAnswer.garbage, status: nil)
            exchange.closeRaw()
        case .truncate:
            run(query, exchange) { response, exchange in
                exchange.sendRaw(RawAnswer.truncated(exchange.opening(response)), status: response.status)
                exchange.closeRaw()
            }
        case .trickle:
            run(query, exchange) { [trickleInterval = services.trickleInterval] response, exchange in
                TrickledAnswer.start(exchange.opening(response), on: exchange, every: trickleInterval)
            }
        }
    }

    /// Runs a query on the data's queue and calls `answer` on the loop.
    private func run(
        _ query: @escaping Query, _ exchange: SampleExchange,
        answer: @escaping @Sendable (HTTPResponse, SampleExchange) -> Void
    ) {
        let loop = exchange.loop
        let exchange = LoopBound(exchange, loop: loop)
        let log = services.log
        services.data.run { data in
            let response: HTTPResponse
            do throws(SampleDataError) {
                response = try query(data)
            } catch {
                log?(.dataFailed(error))
                response = GenericResponse.failure(
                    .internalServerError, "the data is not available")
            }
            loop.execute { answer(response, exchange.value) }
        }
    }
}
