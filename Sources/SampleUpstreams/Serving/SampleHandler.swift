internal import EventIO
internal import HTTPInbound
internal import HTTPModel
internal import JSONBytes

/// Serves the sample APIs on one loop.
final class SampleHandler: InboundHandler {
    /// A body is a weight or a fault: small.
    static let bodyLimit = 16 * 1024

    private let diary: DiaryQueue
    private let faults: FaultBoard
    private let log: (@Sendable (SampleEvent) -> Void)?

    init(diary: DiaryQueue, faults: FaultBoard, log: (@Sendable (SampleEvent) -> Void)?) {
        self.diary = diary
        self.faults = faults
        self.log = log
    }

    func decide(_ head: HTTPRequestHead) -> BodyDecision {
        guard let route = SampleRoute(head.target) else {
            return .answer(GenericResponse.failure(.notFound, "there is no \(head.target.path)"))
        }
        guard route.methods.contains(head.method) else {
            let message = "\(head.method) is not for \(head.target.path)"
            return .answer(GenericResponse.failure(.methodNotAllowed, message, allow: allowed(route)))
        }
        return .buffer(limit: Self.bodyLimit)
    }

    func allowedMethods(_ head: HTTPRequestHead) -> [HTTPMethod] {
        if head.target.form == .asterisk { return [.get, .put, .delete] }
        return SampleRoute(head.target)?.methods ?? []
    }

    /// What `Allow` says: the methods, with those that the server adds.
    private func allowed(_ route: SampleRoute) -> [HTTPMethod] {
        route.methods + (route.methods.contains(.get) ? [.head, .options] : [.options])
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
        guard let route = SampleRoute(head.target) else {
            return exchange.respond(GenericResponse.failure(.notFound, "there is no \(head.target.path)"))
        }
        do throws(DiaryRequest.Refusal) {
            switch route {
            case .faults: answerFaults(exchange)
            case .health: exchange.respond(HTTPResponse(status: .noContent))
            case .weights: meet(try DiaryRequest(query: head.target.queryBytes), exchange)
            case .day(let date): meet(try DiaryRequest(date: date), exchange)
            case .record(let date, let half):
                let request =
                    head.method == .put
                    ? try DiaryRequest(putting: exchange.request.body, on: date, half)
                    : try DiaryRequest(deleting: half, on: date)
                meet(request, exchange)
            }
        } catch {
            exchange.respond(GenericResponse.failure(error.status, error.message))
        }
    }

    /// Answers a request in the way that the fault set for its API has it.
    private func meet(_ request: DiaryRequest, _ exchange: SampleExchange) {
        switch faults.fault(of: request.api) {
        case .none: ask(request, exchange) { response, exchange in exchange.respond(response) }
        case .delay(let milliseconds):
            Delay.start(milliseconds: milliseconds, exchange) { exchange in
                self.ask(request, exchange) { response, exchange in exchange.respond(response) }
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
            ask(request, exchange) { response, exchange in
                exchange.sendRaw(RawAnswer.truncated(response), status: response.status)
                exchange.closeRaw()
            }
        case .trickle:
            ask(request, exchange) { response, exchange in
                Trickle.start(response, on: exchange)
            }
        }
    }

    /// Asks the diary on its queue; `answer` is called back on the loop.
    private func ask(
        _ request: DiaryRequest, _ exchange: SampleExchange,
        answer: @escaping @Sendable (HTTPResponse, SampleExchange) -> Void
    ) {
        let loop = exchange.loop
        let place = LoopBound(exchange, loop: loop)
        let log = log
        diary.run { diary in
            let response: HTTPResponse
            do throws(DiaryError) {
                response = try request.answer(from: diary)
            } catch {
                log?(.diaryFailed(error))
                response = GenericResponse.failure(.internalServerError, "the diary cannot be reached now")
            }
            loop.execute { answer(response, place.value) }
        }
    }

    private func answerFaults(_ exchange: SampleExchange) {
        if exchange.request.head.method == .put {
            do throws(FaultError) {
                try faults.set(document: exchange.request.body)
            } catch {
                return exchange.respond(GenericResponse.failure(.badRequest, error.description))
            }
        }
        let list = faults.list
        exchange.respond(GenericResponse.success { $0.fragment(list) })
    }
}
