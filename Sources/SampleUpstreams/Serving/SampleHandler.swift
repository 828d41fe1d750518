internal import EventIO
internal import HTTPInbound
internal import HTTPModel

/// Serves the sample APIs on one loop.
final class SampleHandler: InboundHandler {
    private let data: SampleQueue
    private let routes: SampleRoutes
    private let faults: FaultBoard
    private let log: (@Sendable (SampleEvent) -> Void)?

    init(
        data: SampleQueue, routes: SampleRoutes, faults: FaultBoard, log: (@Sendable (SampleEvent) -> Void)?
    ) {
        self.data = data
        self.routes = routes
        self.faults = faults
        self.log = log
    }

    func decide(_ head: HTTPRequestHead) -> BodyDecision {
        guard let resource = routes.resource(head.target) else { return .answer(Self.notFound(head)) }
        guard let limit = resource.bodyLimit(head.method) else {
            let message = "\(head.method) is not for \(head.target.path)"
            let methods = resource.methods
            // With those that the server adds.
            let allowed = methods + (methods.contains(.get) ? [.head, .options] : [.options])
            return .answer(GenericResponse.failure(.methodNotAllowed, message, allow: allowed))
        }
        return .buffer(limit: limit, context: resource)
    }

    private static func notFound(_ head: HTTPRequestHead) -> HTTPResponse {
        GenericResponse.failure(.notFound, "there is no \(head.target.path)")
    }

    func allowedMethods(_ head: HTTPRequestHead) -> [HTTPMethod] {
        if head.target.form == .asterisk { return routes.methods }
        return routes.resource(head.target)?.methods ?? []
    }

    func answered(_ answer: DirectAnswer) {
        log?(
            .answered(
                SampleAnswer(
                    method: answer.method?.rawValue, target: answer.head?.target.description,
                    status: answer.response?.status.code, bytesSent: answer.bytesSent,
                    elapsedMilliseconds: milliseconds(since: answer.receivedAt),
                    isComplete: answer.outcome == .completed)))
    }

    func handle(_ inbound: InboundExchange) {
        let exchange = SampleExchange(inbound, log: log)
        let head = exchange.request.head
        let resource = inbound.context as? SampleRoutes.Resource
        switch resource?.read(head.method, head.target, exchange.request.body) {
        case nil: exchange.respond(Self.notFound(head))
        case .known(let response): exchange.respond(response)
        case .asking(let place, let question): meet(faults.fault(of: place), question, exchange)
        }
    }

    private typealias Question = @Sendable (SampleData) throws(SampleDataError) -> HTTPResponse

    /// Answers a question in the way that the fault has it.
    private func meet(_ fault: Fault, _ question: @escaping Question, _ exchange: SampleExchange) {
        switch fault {
        case .none: ask(question, exchange) { response, exchange in exchange.respond(response) }
        case .delay(let milliseconds):
            Delay.start(milliseconds: milliseconds, exchange) { exchange in
                self.ask(question, exchange) { response, exchange in exchange.respond(response) }
            }
        case .status(let code):
            let status = HTTPStatus(code: code) ?? .internalServerError
            let message = "status \(code), as it was asked for"
            exchange.respond(GenericResponse.failure(status, message, code: "FAULT"))
        case .drop: exchange.abort()
        case .garbage:
            exchange.sendRaw(RawAnswer.garbage, status: nil)
            exchange.closeRaw()
        case .truncate:
            ask(question, exchange) { response, exchange in
                exchange.sendRaw(RawAnswer.truncated(response), status: response.status)
                exchange.closeRaw()
            }
        case .trickle:
            ask(question, exchange) { response, exchange in
                Trickle.start(response, on: exchange)
            }
        }
    }

    /// Asks the data on its queue; `answer` is called back on the loop.
    private func ask(
        _ question: @escaping Question, _ exchange: SampleExchange,
        answer: @escaping @Sendable (HTTPResponse, SampleExchange) -> Void
    ) {
        let loop = exchange.loop
        let place = LoopBound(exchange, loop: loop)
        let log = log
        data.run { data in
            let response: HTTPResponse
            do throws(SampleDataError) {
                response = try question(data)
            } catch {
                log?(.dataFailed(error))
                response = GenericResponse.failure(
                    .internalServerError, "the data cannot be reached now")
            }
            loop.execute { answer(response, place.value) }
        }
    }
}
