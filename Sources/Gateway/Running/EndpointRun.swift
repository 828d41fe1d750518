import FoundationEssentials
import HTTPModel
import JSONBytes
import Locking
import Networking
import Rx

/// One request at its endpoint: runs the handler, awaits the parts, holds the deadline, makes the answer.
///
/// It delivers once, or never where it is disposed first; either way everything it subscribed to is disposed. Parts may end
/// on any thread; the answer is delivered on the one where the last of them did.
final class EndpointRun: OngoingRequest, TimerTarget, Sendable {
    private struct State {
        var isOver = false
        var timer: TimerToken?
        /// What is under way is the stage's; what an earlier stage hands in late is not kept.
        var stage = 0
        var work: (any Disposable)?
        var join: Join?
        /// The steps that are done.
        var before: [PartResults] = []
    }

    /// Parts that are awaited together.
    private struct Join {
        let parts: [NamedPart]
        var outcomes: [PartOutcome]
        let next: Next

        init(_ parts: consuming [NamedPart], next: consuming Next) {
            outcomes = []
            outcomes.reserveCapacity(parts.count)
            for _ in parts.indices { outcomes.append(.pending) }
            self.parts = parts
            self.next = next
        }
    }

    /// What happens when the parts have ended.
    private enum Next: Sendable {
        case answer(Dressing)
        case then(@Sendable (StepValues) throws -> Answer, Dressing)
    }

    /// What the answers around an answer have said of its status and fields.
    private struct Dressing: Sendable {
        var status: HTTPStatus?
        var fields = HTTPFields()

        init(_ answer: consuming Answer, in outer: Dressing?) {
            status = answer.status
            fields = (consume answer).fields
            guard let outer else { return }
            if let outerStatus = outer.status { status = outerStatus }
            fields.append(contentsOf: outer.fields)
        }
    }

    private let endpoint: Endpoint
    private let request: GatewayRequest
    private let context: CallContext
    private let renderer: Renderer
    private let report: @Sendable (GatewayIncident) -> Void
    private let scheduler: any SchedulerType
    private let started: RxTime
    private let deliver: @Sendable (GatewayResponse) -> Void
    private let state = Lock(State())

    init(
        endpoint: Endpoint, request: GatewayRequest, context: CallContext, renderer: Renderer,
        report: @escaping @Sendable (GatewayIncident) -> Void, scheduler: any SchedulerType, started: RxTime,
        deliver: @escaping @Sendable (GatewayResponse) -> Void
    ) {
        self.endpoint = endpoint
        self.request = request
        self.context = context
        self.renderer = renderer
        self.report = report
        self.scheduler = scheduler
        self.started = started
        self.deliver = deliver
    }

    // MARK: - The way of a request

    func begin() {
        let timer = scheduler.setTimer(after: endpoint.deadlineInterval, target: self)
        state.withLock { $0.timer = timer }
        CallContext.$current.withValue(context) {
            switch endpoint.handler {
            case .sync(let handler): attempt { try proceed(to: handler(request), in: nil) }
            case .single(let handler): attempt { follow(try handler(request)) }
            case .async(let handler): run(handler)
            }
        }
    }

    private func run(_ handler: @escaping @Sendable (GatewayRequest) async throws -> Answer) {
        let stage = beginStage()
        // On a loop the task stays on the loop.
        let task = Task(executorPreference: scheduler as? any TaskExecutor) { [self] in
            do {
                let answer = try await handler(request)
                attempt { try proceed(to: answer, in: nil) }
            } catch {
                fail(error)
            }
        }
        keep(Disposables.create(with: task.cancel), of: stage)
    }

    private func follow(_ answer: Single<Answer>) {
        let stage = beginStage()
        let work = answer.subscribe(
            onSuccess: { [self] answer in
                CallContext.$current.withValue(context) { attempt { try proceed(to: answer, in: nil) } }
            },
            onFailure: { [self] in fail($0) })
        keep(work, of: stage)
    }

    private func proceed(to answer: consuming Answer, in outer: Dressing?) throws {
        // An async handler may come back after the deadline; nothing is asked of an upstream then.
        guard !state.withLock({ $0.isOver }) else { return }
        let content = answer.takeContent()
        let dressing = Dressing(consume answer, in: outer)
        if let status = dressing.status, status.code >= 400 {
            let code = ErrorCode(status: status.code)
            throw GatewayError(code, code.title, fields: dressing.fields)
        }
        switch consume content {
        case .parts(let parts): try join(parts, then: .answer(dressing))
        case .steps(let steps, let then): try join(steps, then: .then(then, dressing))
        case .value(let value): finish(value: try value.get(), dressing)
        }
    }

    private func join(_ parts: consuming [NamedPart], then next: Next) throws {
        try NamedPart.check(parts)
        let stage = beginStage()
        let ended = try PartOutcome.whenAllEnded(parts.count) { index in
            let end = PartEnd(run: self, index: index, stage: stage)
            return try parts[index].part.takeSource().single(on: scheduler)
                .mapResult(success: { end.succeeded($0) }, failure: { end.failed($0) })
        }
        hold(parts, then: next, of: stage)
        keep((consume ended).subscribe(onNext: { [self] in joined() }), of: stage)
    }

    /// Takes the end of one part.
    private final class PartEnd: Sendable {
        private let run: EndpointRun
        private let index: Int
        private let stage: Int

        init(run: EndpointRun, index: Int, stage: Int) {
            self.run = run
            self.index = index
            self.stage = stage
        }

        func succeeded(_ value: JSONFragment) {
            run.end(of: index, stage, PartOutcome(value, elapsed: run.elapsed))
        }

        func failed(_ error: any Error) {
            run.end(of: index, stage, failed: error)
        }
    }

    /// Notes a part's outcome; the deadline may come before the others'.
    private func end(of index: Int, _ stage: Int, _ outcome: PartOutcome) {
        state.withLock { state in
            if state.stage == stage { state.join?.outcomes[index] = outcome }
        }
    }

    private func end(of index: Int, _ stage: Int, failed error: any Error) {
        let outcome = PartOutcome(
            error: error, elapsed: elapsed, reveals: endpoint.settings.revealsUpstreamMessages)
        if let unexpected = outcome.failure?.unexpected {
            let name = state.withLock { $0.join?.parts[index].name }
            report(incident(unexpected, part: name))
        }
        end(of: index, stage, outcome)
    }

    /// The parts of the present stage have ended: it sends once, and only then may the next stage begin.
    private func joined() {
        guard let ended = state.withLock({ $0.isOver ? nil : $0.join.take() }) else { return }
        let results = PartResults(parts: ended.parts, outcomes: ended.outcomes)
        switch ended.next {
        case .answer(let dressing): finish(results, dressing)
        case .then(let then, let dressing):
            if case .failed(let index) = Verdict(results.parts, results.outcomes) {
                finish(results, decidedBy: index)
                return
            }
            state.withLock { $0.before.append(results) }
            CallContext.$current.withValue(context) {
                attempt {
                    let values = StepValues(names: results.parts, values: results.outcomes)
                    try proceed(to: try then(values), in: dressing)
                }
            }
        }
    }

    private func attempt(_ step: () throws -> Void) {
        do {
            try step()
        } catch {
            fail(error)
        }
    }

    // MARK: - Ends

    private func finish(_ results: PartResults, _ dressing: Dressing) {
        end { before, recipient in
            renderer.parts(
                results, status: dressing.status ?? .ok, fields: dressing.fields, before: before,
                for: recipient)
        }
    }

    private func finish(_ results: PartResults, decidedBy index: Int) {
        end { before, recipient in
            renderer.failure(results, decidedBy: index, before: before, for: recipient)
        }
    }

    private func finish(value: JSONFragment, _ dressing: Dressing) {
        end { before, recipient in
            renderer.value(
                value, status: dressing.status ?? .ok, fields: dressing.fields, before: before, for: recipient
            )
        }
    }

    /// What the handler or a closure of its own failed with.
    private func fail(_ error: any Error) {
        if let error = error as? GatewayError {
            end { before, recipient in renderer.error(error, before: before, for: recipient) }
            return
        }
        let elapsed = elapsed
        let outcome = PartOutcome(
            error: error, elapsed: elapsed, reveals: endpoint.settings.revealsUpstreamMessages)
        guard let failure = outcome.failure else {
            // A call whose answer was that there is nothing.
            end { before, recipient in
                renderer.value(.null, status: .ok, fields: HTTPFields(), before: before, for: recipient)
            }
            return
        }
        if let unexpected = failure.unexpected {
            // The client is gone or was answered; what a cancelled task throws is nobody's fault.
            guard !state.withLock({ $0.isOver }) else { return }
            report(incident(unexpected, part: nil))
            end { before, recipient in renderer.error(.internal, before: before, for: recipient) }
            return
        }
        let results = PartResults(unnamed: failure, elapsed: elapsed)
        finish(results, decidedBy: 0)
    }

    /// The deadline. What has ended by now counts, the rest is `deadline_exceeded`.
    func timerFired(_ token: TimerToken) {
        guard let remains = takeOver() else { return }
        remains.work?.dispose()
        deliver(expired(remains, recipient))
    }

    private func expired(_ remains: Remains, _ recipient: Renderer.Recipient) -> GatewayResponse {
        let limit = Int(endpoint.settings.deadline / .milliseconds(1))
        let late = GatewayError.upstreamTimeout("the answer was not ready within \(limit) ms")
        guard let join = remains.join else {
            return renderer.error(late, before: remains.before, for: recipient)
        }
        let results = PartResults(
            parts: join.parts,
            outcomes: join.outcomes.map { outcome in
                guard outcome.isPending else { return outcome }
                return PartOutcome(PartFailure(deadlineAfter: recipient.elapsed), elapsed: recipient.elapsed)
            })
        switch join.next {
        case .answer(let dressing):
            return renderer.parts(
                results, status: dressing.status ?? .ok, fields: dressing.fields, before: remains.before,
                for: recipient)
        case .then:
            guard case .failed(let index) = Verdict(results.parts, results.outcomes) else {
                return renderer.error(late, before: remains.before + [results], for: recipient)
            }
            return renderer.failure(results, decidedBy: index, before: remains.before, for: recipient)
        }
    }

    private func end(_ response: ([PartResults], Renderer.Recipient) -> GatewayResponse) {
        guard let remains = takeOver() else { return }
        if let timer = remains.timer { scheduler.cancelTimer(timer) }
        // What was under way has sent its last event by now.
        deliver(response(remains.before, recipient))
    }

    func dispose() {
        _ = cancel()
    }

    /// The client is gone.
    func cancel() -> RequestSummary {
        let remains = takeOver()
        if let timer = remains?.timer { scheduler.cancelTimer(timer) }
        remains?.work?.dispose()
        return RequestSummary(
            requestID: request.requestID, route: endpoint.template.text, status: Self.clientClosedRequest,
            code: "CANCELLED", elapsed: .nanoseconds(elapsed), steps: remains?.before ?? [],
            results: remains?.join.map { PartResults(parts: $0.parts, outcomes: $0.outcomes) })
    }

    /// nginx's status for a client that closed the connection before its answer.
    private static let clientClosedRequest = 499

    // MARK: - State

    private struct Remains {
        var timer: TimerToken?
        var work: (any Disposable)?
        var join: Join?
        var before: [PartResults]
    }

    /// Ends the run: for the first who asks, and once.
    private func takeOver() -> Remains? {
        state.withLock { state in
            guard !state.isOver else { return nil }
            state.isOver = true
            let before = state.before
            state.before = []
            return Remains(
                timer: state.timer, work: state.work.take(), join: state.join.take(), before: before)
        }
    }

    private func beginStage() -> Int {
        state.withLock { state in
            state.stage += 1
            state.work = nil
            state.join = nil
            return state.stage
        }
    }

    /// Makes what is held in its place, rather than copy it there.
    private func hold(_ parts: [NamedPart], then next: Next, of stage: Int) {
        state.withLock { state in
            if !state.isOver, state.stage == stage { state.join = Join(parts, next: next) }
        }
    }

    private func keep(_ work: any Disposable, of stage: Int) {
        let isOver = state.withLock { state in
            if !state.isOver, state.stage == stage { state.work = work }
            return state.isOver
        }
        if isOver { work.dispose() }
    }

    private var elapsed: Int64 {
        Int64(scheduler.now.timeIntervalSince(started) * 1_000_000_000)
    }

    private var recipient: Renderer.Recipient {
        Renderer.Recipient(
            requestID: request.requestID, route: endpoint.template.text, elapsed: elapsed,
            fields: request.head.fields)
    }

    private func incident(_ error: any Error, part: String?) -> GatewayIncident {
        GatewayIncident(requestID: request.requestID, route: endpoint.template.text, part: part, error: error)
    }
}
