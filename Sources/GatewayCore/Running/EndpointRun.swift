import FoundationEssentials
import HTTPModel
import JSONBytes
import Locking
@_spi(Records) import Networking
import Rx
import Synchronization

/// Runs one request at its endpoint: calls the handler, awaits the parts, enforces the deadline and delivers
/// the answer.
///
/// It delivers once, or never if it is disposed first. Either way it disposes everything it subscribed to.
/// Parts may end on any thread; the answer is delivered on the thread on which the last part ended.
final class EndpointRun: OngoingRequest, TimerTarget, Sendable {
    let request: GatewayRequest
    let context: CallContext
    let responder: GatewayResponder
    let scheduler: any SchedulerType
    let started: RxTime
    let receiver: any AnswerReceiver
    let state = Lock(RunState())
    /// Nanoseconds from the start of the request to the start of the current parts. Written under the lock of
    /// `state` before the parts start.
    let partsBegan = Atomic<Int64>(0)
    /// The parts of the handler's pipeline; nil if the handler returns its answer.
    let pipeline: PipelineParts?

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
        pipeline =
            request.endpoint.handler.isSync
            ? nil
            : PipelineParts(
                scheduler: scheduler, started: started,
                reveals: request.endpoint.settings.revealsUpstreamMessages)
        if let pipeline {
            context.hold(pipeline)
            if request.endpoint.settings.stopsAtFailure {
                pipeline.stopAtFailure(self)
            }
        }
    }

    var endpoint: Endpoint { request.endpoint }
    var renderer: Renderer { responder.renderer }
    var taskExecutor: any TaskExecutor { endpoint.executors?.current ?? scheduler.taskExecutor }

    // MARK: - Handler

    func begin() {
        let timer = scheduler.setTimer(after: endpoint.deadlineInterval, target: self)
        state.withLock { $0.timer = timer }
        CallContext.$current.withValue(context) {
            if let access = request.access { return follow(access.first, of: access) }
            if endpoint.before.isEmpty, request.match.substitute == nil { handle() } else { check(from: 0) }
        }
    }

    @inline(__always)
    func handle() {
        switch endpoint.handler {
        case .sync(let handler): attempt { try proceed(to: handler(request), in: nil) }
        case .single(let handler): attempt { follow(try handler(request)) }
        case .planned(let plan): attempt { try read(by: plan) }
        case .async(let handler): run(handler) { [self] in try proceed(to: $0, in: nil) }
        case .none: fail(EndpointFault("a request without an endpoint has passed its middleware"))
        }
    }

    func run<Value: Sendable>(
        _ work: @escaping @Sendable (GatewayRequest) async throws -> Value,
        then proceed: @escaping @Sendable (Value) throws -> Void
    ) {
        let stage = state.withLock { $0.beginStage() }
        // On a loop the task stays on the loop.
        let task = Task(executorPreference: taskExecutor) { [self] in
            do {
                let value = try await work(request)
                attempt { try proceed(value) }
            } catch {
                fail(error)
            }
        }
        keep(Disposables.create(with: task.cancel), of: stage)
    }

    private func follow(_ answer: consuming Single<Answer>) {
        let stage = state.withLock { $0.beginStage() }
        // Moved: a pipeline without another owner runs in place instead of being copied.
        let work = (consume answer).subscribe(
            onSuccess: { [self] answer in
                CallContext.$current.withValue(context) { attempt { try proceed(to: answer, in: nil) } }
            },
            onFailure: { [self] in fail($0) })
        keep(work, of: stage)
    }

    /// Keeps a stage's work for the run's end to dispose. Work of an earlier stage has ended and is not kept.
    func keep(_ work: any Disposable, of stage: Int) {
        let isOver = state.withLock { state in
            if !state.isOver, state.stage == stage { state.work = work }
            return state.isOver
        }
        if isOver { work.dispose() }
    }

    func proceed(to answer: consuming Answer, in outer: AnswerOverrides?) throws {
        let content = answer.takeContent()
        let overrides = AnswerOverrides(consume answer, in: outer)
        if !overrides.fields.isEmpty {
            for (name, value) in overrides.fields where !Renderer.canSend(value) {
                throw EndpointFault.unsendable(name)
            }
        }
        if let fault = request.answerFieldFault { throw fault }
        if let status = overrides.status, status.code < 200 {
            throw EndpointFault("\(status.code) is not the status of an answer")
        }
        if let status = overrides.status, status.code >= 400, !content.isRaw {
            let code = ErrorCode(status: status.code)
            throw GatewayError(code, code.title, fields: overrides.fields)
        }
        switch consume content {
        case .parts(let parts): try start(parts, RunState.AfterStage(overrides))
        case .steps(let steps, let then): try start(steps, RunState.AfterStage(overrides, then: then))
        case .value(let result):
            let value = try result.get()
            end { renderer.value(value, overrides, for: $0) }
        case .raw(let body):
            if let fault = body.fault { throw fault }
            let status = overrides.status ?? .ok
            if let source = body.stream, !status.forbidsBody, status != .resetContent {
                return stream(source, body, overrides)
            }
            end { renderer.raw(body, overrides, for: $0) }
        case .relay(let call): try relay(call, overrides)
        }
    }

    func attempt(_ step: () throws -> Void) {
        do {
            try step()
        } catch {
            fail(error)
        }
    }

    // MARK: - Parts

    /// Starts all parts in order. The part that ends last continues the run.
    private func start(_ parts: consuming [NamedPart], _ after: consuming RunState.AfterStage?) throws {
        try NamedPart.check(parts)
        let count = parts.count
        // An async handler may return after the deadline; no upstream is called then.
        let begun = state.withLock { state in
            let stage = state.beginStage(of: &parts, &after)
            // The first stage begins with the request: a synchronous handler returned it.
            if let stage, stage > 1 { partsBegan.store(elapsed, ordering: .relaxed) }
            return stage
        }
        guard let stage = begun else { return }
        guard count > 0 else { return stageEnded(state.withLock { $0.finishStage(stage) }) }
        if isTimed { plan(stage..<(stage + count)) }
        if endpoint.settings.stopsAtFailure, responder.environment.transport.hasOpenCircuits,
            startRefused(of: stage)
        {
            return
        }
        var work: Link?
        for index in 0..<count {
            let taken = state.withLock { $0.takeSource(of: index, stage, keeping: &work) }
            work.take()?.stop()
            guard let source = consume taken else {
                guard startUnsent(index, of: stage) else { return }
                continue
            }
            work = begin(consume source, stage + index)
        }
        let stops = state.withLock { $0.endStarts(keeping: &work, of: count - 1, stage) }
        work?.stop()
        if stops { stop() }
    }

    func partEnded(_ number: Int, _ outcome: consuming PartOutcome?) {
        if isTimed { noteEnd(of: number, outcome?.kind) }
        let hasFailed = outcome?.failure != nil
        if hasFailed, let fault = outcome?.failure?.unfitClaim { request.access?.claimIsUnfit(fault) }
        stageEnded(state.withLock { $0.end(of: number, &outcome) })
        if hasFailed, endpoint.settings.stopsAtFailure { partFailed(number) }
    }

    /// Answers, or goes on to the next stage, once all parts of a stage have ended. Does nothing for nil.
    func stageEnded(_ stage: consuming RunState.FinishedStage?) {
        switch consume stage {
        case nil:
            break
        case .answer(var finished, let overrides):
            if let timer = finished.timer { scheduler.cancelTimer(timer) }
            finished.stop?.dispose()
            let results = PartResults(
                finished.takeParts(), from: finished.stage, began: partsBegan.load(ordering: .relaxed))
            if takesLong(toWrite: results) { return writeApart(results, overrides, facts(finished.steps)) }
            deliver(renderer.parts(consume results, overrides, for: facts(finished.steps)))
        case .steps(var results, let then, let overrides):
            results.began = partsBegan.load(ordering: .relaxed)
            if case .failed(let index) = Verdict(results.parts) {
                return end { [results] in renderer.failure(results, decidedBy: index, for: $0) }
            }
            state.withLock { [results] in $0.steps.append(results) }
            CallContext.$current.withValue(context) {
                attempt { try proceed(to: try then(StepValues(results: results)), in: overrides) }
            }
        }
    }

    // MARK: - End

    /// Ends the request with an error that the handler or a `then` closure threw.
    func fail(_ error: any Error) {
        if let error = error as? GatewayError, error.code.fault == nil {
            return end {
                var answer = renderer.error(error, for: $0)
                answer.note(error)
                return answer
            }
        }
        if let part = error as? EndedPart { return fail(part) }
        // The endpoint's own pipeline has lost its value.
        if case RxError.noElements = error { return fail(EndpointFault.noAnswer) }
        let elapsed = elapsed
        let outcome = PartOutcome(
            error: error, elapsed: elapsed, reveals: endpoint.settings.revealsUpstreamMessages,
            after: context.calls(ofPart: nil))
        guard let failure = outcome.failure else {
            // The handler decoded the body of a call that had no content: the answer has no data.
            return end { renderer.value(.null, nil, for: $0) }
        }
        if let fault = failure.unfitClaim { request.access?.claimIsUnfit(fault) }
        if let unexpected = failure.unexpected {
            // After the client has left or been answered, a cancelled task may throw anything, which is not
            // an incident.
            guard !state.withLock({ $0.isOver }) else { return }
            report(unexpected, part: nil)
            return end { renderer.error(.internal, for: $0) }
        }
        end { renderer.failure(PartResults(unnamed: failure, elapsed: elapsed), decidedBy: 0, for: $0) }
    }

    /// Ends the request with the failure of a part of the pipeline. The parts that have ended are reported
    /// with it.
    private func fail(_ part: EndedPart) {
        if let unexpected = part.outcome.failure?.unexpected { report(unexpected, part: part.name) }
        let results =
            pipeline?.results(context, including: part)
            ?? PartResults(ended: [part], from: 0)
        let index = results.parts.firstIndex { $0.name == part.name } ?? 0
        end { renderer.failure(results, decidedBy: index, for: $0) }
    }

    /// Ends the run, cancels what is in progress and delivers. Does nothing if the run is over.
    func end(_ response: (Renderer.RequestFacts) -> GatewayResponse) {
        guard let facts = finish() else { return }
        deliver(response(facts))
    }

    /// Ends the run, cancels what is in progress and returns what an answer needs to know. Returns nil if the
    /// run is over.
    func finish() -> Renderer.RequestFacts? {
        guard var finished = state.withLock({ $0.finish() }) else { return nil }
        finished.dispose()
        if let timer = finished.timer { scheduler.cancelTimer(timer) }
        return facts(finished.steps)
    }

    @inline(__always)
    func deliver(_ answer: consuming GatewayResponse) {
        answer.note(context, started: started)
        if !endpoint.after.isEmpty, request.access?.isAdmitted != false,
            let fault = answer.apply(endpoint.after, to: request)
        {
            report(fault, part: nil)
        }
        if let values = request.values { answer.note(values) }
        if let access = request.access, answer.response.status == .forbidden { access.answersForbidden() }
        pipeline?.close()
        let goesOn = answer.stream != nil
        receiver.answered(answer)
        if goesOn {
            context.stopHolding()
        } else {
            context.end()
            context.releaseResources()
        }
    }

    func dispose() {
        _ = cancel()
    }

    func cancel() -> RequestSummary {
        pipeline?.close()
        context.abandon()
        let written = state.withLock { $0.takeWritten() }
        var finished = state.withLock { $0.finish() }
        if let timer = finished?.timer { scheduler.cancelTimer(timer) }
        finished?.dispose()
        written?.work.dispose()
        // Not while a stream goes on after the answer.
        if finished != nil || written != nil { context.end() }
        context.releaseResources()
        return RequestSummary(
            requestID: request.requestID, route: request.route,
            status: HTTPStatus.clientClosedRequest.code, code: "CANCELLED", nanoseconds: elapsed,
            steps: finished?.steps ?? written?.steps ?? [],
            results: written?.results
                ?? finished.flatMap { finished in
                    finished.after.map {
                        var results = PartResults(
                            finished.parts, from: finished.stage, areSteps: $0.then != nil)
                        results.began = partsBegan.load(ordering: .relaxed)
                        return results
                    }
                },
            context: context, started: started, values: request.values, checked: request.access)
    }

    /// Nanoseconds since the current parts began.
    var elapsedOfParts: Int64 { elapsed - partsBegan.load(ordering: .relaxed) }

    /// Returns the nanoseconds of a part since it began itself, after it has waited for others. That is what
    /// `errors` and logs show.
    ///
    /// - Parameter elapsed: nanoseconds since the current parts began.
    func ownElapsed(of number: Int, _ elapsed: Int64) -> Int64 {
        guard let late = context.lateBeginning(ofPart: number) else { return elapsed }
        guard let late else { return 0 }
        let wait = CallEntry.nanoseconds(from: started, to: late) - partsBegan.load(ordering: .relaxed)
        return max(0, elapsed - wait)
    }

    /// Nanoseconds since the request began, in whole microseconds as the times of calls are.
    var elapsed: Int64 { CallEntry.nanoseconds(from: started, to: scheduler.now) }

    /// Draws the timeline, if there is one.
    func facts(_ steps: consuming [PartResults]) -> Renderer.RequestFacts {
        Renderer.RequestFacts(
            requestID: request.requestID, route: request.route, elapsed: elapsed,
            fields: request.fields, timeline: isTimed ? makeTimeline() : nil, steps: consume steps,
            answerFields: request.answerFields, format: endpoint.settings.format, access: request.access)
    }
}
