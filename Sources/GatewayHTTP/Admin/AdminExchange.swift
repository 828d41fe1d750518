import EventIO
import GatewayConfig
import GatewayCore
import HTTPInbound
import HTTPModel
import JSONBytes
import Metrics
import Rx

/// A request to the admin listener. Confined to its loop.
final class AdminExchange: InboundExchange {
    private let operation: AdminOperation
    private let handler: AdminHandler
    /// The endpoint that is being explained; nil for nearly all requests.
    var explanation: LoopBound<Explanation>?
    /// Runs until a loop begins to explain.
    var patience: TimerToken?
    private var isExplaining = false

    init(_ arrival: Arrival, _ operation: AdminOperation, _ handler: AdminHandler) {
        self.operation = operation
        self.handler = handler
        super.init(arrival)
    }

    override func start() {
        do throws(GatewayError) {
            guard let gateway = handler.gateway else { throw .draining }
            try operation.run(self, gateway)
        } catch {
            fail(error)
        }
    }

    override func ended(_ outcome: InboundOutcome) {
        handler.events.remove(self)
        cancelExplanation()
        if isExplaining { handler.explained -= 1 }
    }

    /// Takes a place for a request that is explained, until this one ends.
    func beginExplaining() throws(GatewayError) {
        guard handler.explained < AdminHandler.mostExplained else {
            throw GatewayError(
                .overloaded, "\(AdminHandler.mostExplained) requests are being explained already")
        }
        handler.explained += 1
        isExplaining = true
    }

    func answer(_ status: HTTPStatus, _ body: JSONLiteral) {
        respond(AdminRenderer.answer(status, body))
    }

    func fail(_ error: GatewayError) { respond(handler.renderer.answer(error, to: request.head.fields)) }

    /// Refuses a body with content, for an operation that takes nothing.
    func checkIsEmpty() throws(GatewayError) {
        guard !request.body.isEmpty else { return }
        guard let body = try? JSONFragment(validating: request.body), body.bytes.elementsEqual("{}".utf8)
        else {
            throw .invalidRequest("\(request.head.target.path) takes no values: send no body, or {}")
        }
    }

    // MARK: Operations

    func answerMetrics(_ gateway: GatewayServer) {
        let format = MetricsFormat(accepted: AcceptedMediaTypes(request.head.fields))
        respond(
            HTTPResponse(
                status: .ok,
                fields: [
                    .contentType: format.mediaType, .xContentTypeOptions: "nosniff", .vary: "Accept",
                    .cacheControl: "no-store",
                ],
                body: [gateway.metricsText(format)[...]]))
    }

    func answerStatus(_ gateway: GatewayServer) {
        let answer = LoopBound(self, loop: loop)
        LoopCollection.collect(of: gateway, on: loop, \.lastFailures) { failures in
            answer.value.answer(.ok, gateway.status(failures))
        }
    }

    func followEvents(_ gateway: GatewayServer) throws(GatewayError) {
        guard handler.events.hasRoom else {
            throw GatewayError(
                .overloaded, "\(AdminEvents.mostClients) clients follow the events already")
        }
        handler.events.add(self, of: gateway)
    }

    func reload(_ gateway: GatewayServer) {
        guard gateway.phase.isServing else { return fail(.draining) }
        let answer = LoopBound(self, loop: loop)
        let isAccepted = gateway.reload(because: "admin") { result in
            answer.loop.execute { answer.value.reloaded(result, gateway) }
        }
        if !isAccepted { fail(.conflict("A reload is already waiting")) }
    }

    private func reloaded(_ result: Result<[ConfigProblem], GatewayReloadError>, _ gateway: GatewayServer) {
        switch result {
        case .success(let warnings):
            var members = [("generation", JSONLiteral(gateway.reloads.generation))]
            if gateway.file == nil { members.append(("reloaded", JSONLiteral("certificates"))) }
            members.append(("warnings", JSONLiteral(warnings.map { JSONLiteral($0.description) })))
            answer(.ok, JSONLiteral(members: members))
        case .failure(let error):
            fail(
                GatewayError(
                    .unprocessable,
                    gateway.file == nil
                        ? "The certificates were not reloaded; the old ones stay in use"
                        : "The configuration was not reloaded; the old one stays in use",
                    details: ["problems": JSONLiteral(error.problems)]))
        }
    }
}

extension MetricsFormat {
    /// OpenMetrics for a client that prefers it, such as Prometheus; else the older format.
    fileprivate init(accepted: AcceptedMediaTypes) {
        func weight(_ format: MetricsFormat) -> Int {
            MediaType(bytes: Array(format.mediaType.utf8)[...]).map(accepted.weight) ?? 0
        }
        self = weight(.openMetrics) > weight(.prometheus) ? .openMetrics : .prometheus
    }
}
