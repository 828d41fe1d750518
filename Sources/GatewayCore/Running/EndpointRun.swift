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
    private let request: GatewayRequest
    private let context: CallContext
    private let responder: GatewayResponder
    private let scheduler: any SchedulerType
    private let started: RxTime
    private let receiver: any AnswerReceiver
    private let state = Lock(RunState())

    init(
        request: GatewayRequest, context: CallContext, responder: GatewayResponder,
        scheduler: any SchedulerType, started: RxTime, receiver: any AnswerReceiver
    ) {
        self.request = request
        self.context = context
        self.responder = responder
        self.scheduler = scheduler
        self.started = started
        self.receiver = receiver
    }

    private var endpoint: Endpoint { request.endpoint }
    private var renderer: Renderer { responder.renderer }

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
        let stage = state.withLock { $0.beginStage() }
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
        let stage = state.withLock { $0.beginStage() }
        let work = answer.subscribe(
            onSuccess: { [self] answer in
                CallContext.$current.withValue(context) { attempt { try proceed(to: answer, in: nil) } }
            },
            onFailure: { [self] in fail($0) })
        keep(work, of: stage)
    }

    /// Keeps what is under way at a stage, for its end; an earlier stage's is not kept.
    private func keep(_ work: any Disposable, of stage: Int) {
        let isOver = state.withLock { state in
            if !state.isOver, state.stage == stage { state.work = work }
            return state.isOver
        }
        if isOver { work.dispose() }
    }

    private func proceed(to answer: consuming Answer, in outer: Dressing?) throws {
        let content = answer.takeContent()
        let dressing = Dressing(consume answer, in: outer)
        if let status = dressing.status, status.code >= 400 {
            let code = ErrorCode(status: status.code)
            throw GatewayError(code, code.title, fields: dressing.fields)
        }
        switch consume content {
        case .parts(let parts): try start(parts, RunState.Next(dressing))
        case .steps(let steps, let then): try start(steps, RunState.Next(dressing, then: then))
        case .value(let value): finish(value: try value.get(), dressing)
        }
    }

    // MARK: - Parts

    /// Starts all parts, in their order; what comes next is up to the one that ends last.
    private func start(_ parts: consuming [NamedPart], _ next: consuming RunState.Next?) throws {
        try NamedPart.check(parts)
        let count = parts.count
        // An async handler may come back after the deadline; nothing is asked of an upstream then.
        guard let stage = state.withLock({ $0.beginStage(of: &parts, &next) }) else { return }
        guard count > 0 else { return joined(state.withLock { $0.takeEnded(of: stage) }) }
        if isTimed { plan(stage..<(stage + count)) }
        var work: Link?
        for index in 0..<count {
            let taken = state.withLock { $0.takeSource(of: index, stage, keeping: &work) }
            work.take()?.stop()
            guard let source = consume taken else { return }
            // Moved all the way: a source that nobody else holds is run itself, and no copy of it.
            let part = (consume source).single(on: scheduler)
            if part.isOneCall, !isTimed {
                work = (consume part).subscribe(self, number: stage + index)
            } else {
                work = subscribe(consume part, stage + index)
            }
        }
        state.withLock { $0.keep(&work, of: count - 1, stage) }
        work?.stop()
    }

    private func ended(_ number: Int, _ outcome: consuming PartOutcome?) {
        if isTimed { noteEnd(of: number, outcome?.kind) }
        joined(state.withLock { $0.end(of: number, &outcome) })
    }

    /// The parts of the present stage have ended: only then may the next stage begin.
    private func joined(_ ended: consuming RunState.Ended?) {
        switch consume ended {
        case nil:
            break
        case .answer(var remains, let dressing):
            if let timer = remains.timer { scheduler.cancelTimer(timer) }
            deliver(
                renderer.parts(
                    PartResults(remains.takeParts(), from: remains.stage), status: dressing.status ?? .ok,
                    fields: dressing.fields,
                    before: remains.before, for: recipient))
        case .steps(let results, let then, let dressing):
            if case .failed(let index) = Verdict(results.parts) {
                return finish(results, decidedBy: index)
            }
            state.withLock { $0.before.append(results) }
            CallContext.$current.withValue(context) {
                attempt { try proceed(to: try then(StepValues(steps: results.parts)), in: dressing) }
            }
        }
    }

    // MARK: - The timeline, where it is asked for

    private var isTimed: Bool { context.timeline != nil }

    /// `elapsed` as calls have it in the timeline: to the microsecond.
    private var moment: Int64 {
        Int64(saturating: (scheduler.now.timeIntervalSince(started) * 1e6).rounded() * 1000)
    }

    @inline(never)
    private func plan(_ numbers: Range<Int>) {
        for number in numbers {
            guard let name = state.withLock({ $0.name(of: number) }) else { continue }
            context.timeline?.timeline.planned(name, number)
        }
    }

    @inline(never)
    private func noteEnd(of number: Int, _ kind: OutcomeKind?) {
        context.timeline?.timeline.ended(number, kind, at: moment)
    }

    @inline(never)
    private func closedTimeline() -> AnswerTimeline? {
        context.timeline.map {
            AnswerTimeline($0.timeline.close(), total: moment, name: responder.environment.name)
        }
    }

    /// Subscribes a part in a context that tells whose the calls are.
    @inline(never)
    private func subscribe(_ part: consuming Single<JSONFragment>, _ number: Int) -> Link? {
        var context = context.forPart(number)
        if let timeline = context.timeline?.timeline {
            context = context.with(timeline.began(number, at: moment))
        }
        // Moved all the way, as above.
        var source: Single<JSONFragment>? = part
        return CallContext.$current.withValue(context) { source.take()?.subscribe(self, number: number) }
    }

    private func attempt(_ step: () throws -> Void) {
        do {
            try step()
        } catch {
            fail(error)
        }
    }

    // MARK: - Ends

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
            responder.environment.report(incident(unexpected, part: nil))
            end { before, recipient in renderer.error(.internal, before: before, for: recipient) }
            return
        }
        let results = PartResults(unnamed: failure, elapsed: elapsed)
        finish(results, decidedBy: 0)
    }

    /// The deadline. What has ended by now counts, the rest is `deadline_exceeded`.
    func timerFired(_ token: TimerToken) {
        guard var remains = state.withLock({ $0.takeOver() }) else { return }
        // Before all ends: what had not ended by itself has no end in the timeline.
        let recipient = recipient
        remains.dispose()
        deliver(expired(remains, recipient))
    }

    private func expired(_ remains: RunState.Remains, _ recipient: Renderer.Recipient) -> GatewayResponse {
        let limit = endpoint.settings.deadline.nanoseconds / 1_000_000
        let late = GatewayError.upstreamTimeout("the answer was not ready within \(limit) ms")
        guard let next = remains.next else {
            return renderer.error(late, before: remains.before, for: recipient)
        }
        var parts = remains.parts
        for index in parts.indices where parts[index].outcome == nil {
            parts[index].outcome = PartOutcome(
                PartFailure(deadlineAfter: recipient.elapsed), elapsed: recipient.elapsed)
        }
        let results = PartResults(parts, from: remains.stage, areSteps: next.then != nil)
        guard next.then != nil else {
            return renderer.parts(
                results, status: next.dressing.status ?? .ok, fields: next.dressing.fields,
                before: remains.before, for: recipient)
        }
        guard case .failed(let index) = Verdict(results.parts) else {
            return renderer.error(late, before: remains.before + [results], for: recipient)
        }
        return renderer.failure(results, decidedBy: index, before: remains.before, for: recipient)
    }

    private func end(_ response: ([PartResults], Renderer.Recipient) -> GatewayResponse) {
        guard var remains = state.withLock({ $0.takeOver() }) else { return }
        remains.dispose()
        conclude(remains, response)
    }

    private func deliver(_ answer: consuming GatewayResponse) {
        answer.note(context)
        receiver.answered(answer)
    }

    /// The run is over and nothing of it is under way any more: delivers.
    private func conclude(
        _ remains: RunState.Remains, _ response: ([PartResults], Renderer.Recipient) -> GatewayResponse
    ) {
        if let timer = remains.timer { scheduler.cancelTimer(timer) }
        deliver(response(remains.before, recipient))
    }

    func dispose() {
        _ = cancel()
    }

    /// The client is gone.
    func cancel() -> RequestSummary {
        var remains = state.withLock { $0.takeOver() }
        if let timer = remains?.timer { scheduler.cancelTimer(timer) }
        remains?.dispose()
        return RequestSummary(
            requestID: request.requestID, route: endpoint.template.text,
            status: HTTPStatus.clientClosedRequest.code, code: "CANCELLED", nanoseconds: elapsed,
            steps: remains?.before ?? [],
            results: remains.flatMap { remains in
                remains.next.map { PartResults(remains.parts, from: remains.stage, areSteps: $0.then != nil) }
            },
            context: context)
    }

    private var elapsed: Int64 {
        Int64(saturating: scheduler.now.timeIntervalSince(started) * 1_000_000_000)
    }

    private var recipient: Renderer.Recipient {
        Renderer.Recipient(
            requestID: request.requestID, route: endpoint.template.text, elapsed: elapsed,
            fields: request.fields,
            timeline: isTimed ? closedTimeline() : nil)
    }

    private func incident(_ error: any Error, part: String?) -> GatewayIncident {
        GatewayIncident(requestID: request.requestID, route: endpoint.template.text, part: part, error: error)
    }
}

extension EndpointRun: SingleReceiver {
    func succeeded(_ value: consuming JSONFragment, number: Int) {
        ended(number, PartOutcome(value, elapsed: elapsed))
    }

    func failed(_ error: any Error, number: Int) {
        let outcome = PartOutcome(
            error: error, elapsed: elapsed, reveals: endpoint.settings.revealsUpstreamMessages)
        if let unexpected = outcome.failure?.unexpected {
            responder.environment.report(incident(unexpected, part: state.withLock { $0.name(of: number) }))
        }
        ended(number, outcome)
    }
}
