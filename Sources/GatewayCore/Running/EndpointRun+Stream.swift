import EndpointPlans
import Locking
import Networking
import Rx

extension EndpointRun {
    /// Begins to make a body, and answers once its first piece, the whole of a short body, or its end is
    /// there. A stream of records does not wait long for its first piece.
    func stream(_ source: StreamSource, _ body: RawBody, _ overrides: AnswerOverrides) {
        if state.withLock({ $0.isOver }) { return }
        let stage = state.withLock { $0.beginStage() }
        let channel = PieceChannel(length: source.length, on: scheduler)
        channel.onStart(holding: { [self] in longestHeadWait() }) { [self, unowned channel] start in
            switch start {
            case .failure(let error): fail(error)
            case .whole(let bytes):
                var body = body
                body.bytes = bytes
                end { renderer.raw(body, overrides, for: $0) }
            case .empty where source.records?.format == .events:
                // The client would connect again after any other end (WHATWG HTML 9.2.2).
                var overrides = overrides
                overrides.status = .noContent
                end { [overrides] in renderer.raw(RawBody(bytes: []), overrides, for: $0) }
            case .pieces, .empty:
                // From now on the stream belongs to the answer.
                state.withLock { $0.work = nil }
                context.liftDeadline()
                end { facts in
                    var answer = renderer.raw(body, overrides, for: facts)
                    answer.stream = AnswerStream(
                        channel, length: source.length,
                        gap: source.records?.heartbeat ?? endpoint.settings.streamGap,
                        records: source.records?.format)
                    return answer
                }
            }
        }
        keep(Disposables.create { channel.cancel() }, of: stage)
        if source.records != nil { channel.begin(within: longestRecordWait) }
        let task = CallContext.$current.withValue(context) {
            Task(executorPreference: taskExecutor) { [self] in
                defer { context.end() }
                do {
                    try await source.work(channel)
                    if let fault = channel.finish(.success(())) { reportLate(fault) }
                } catch {
                    if let error = channel.finish(.failure(error)) { reportLate(error) }
                }
            }
        }
        channel.keep(task)
    }

    /// Reports an unexpected error that broke off an answer.
    private func reportLate(_ error: any Error) {
        var error = error
        if case RxError.noElements = error { error = EndpointFault.noAnswer }
        let outcome = PartOutcome(error: error, elapsed: elapsed, reveals: false)
        if let unexpected = outcome.failure?.unexpected { report(unexpected, part: nil) }
    }

    func report(_ error: any Error, part: String?) {
        if let fault = error as? CallOutsideRequest, fault.reportedFor == request.requestID { return }
        responder.environment.report(
            GatewayIncident(
                requestID: request.requestID, route: endpoint.template.text, part: part, error: error))
    }
}
