import JSONBytes
import Locking
@_spi(Records) import Networking
import Rx
import Synchronization

/// What the failure of a part means for the others, with `onFailure: stop`.
extension EndpointRun {
    /// Ends the run with this wake if the failure of the part has decided the answer. The other failures of
    /// the wake still count: parts that read the failed one end with it, and of several required failures the
    /// rank decides. If the failure has decided only the end of a group, the group's other members are
    /// cancelled.
    @inline(never)
    func partFailed(_ number: Int) {
        guard let results = state.withLock({ $0.openResults(with: number) }), let stage = results.firstNumber
        else { return }
        guard case .failed = results.verdict else { return cancelFailedGroups(results, stage) }
        guard state.withLock({ $0.decided(stage) }) else { return }
        let scheduled = scheduler.schedule(()) { [self] in
            stop()
            return Disposables.create()
        }
        if !state.withLock({ $0.keepStop(scheduled) }) { scheduled.dispose() }
    }

    private func cancelFailedGroups(_ results: PartResults, _ stage: Int) {
        guard let plan = results.plan else { return }
        let unwanted = plan.layout.membersOfFailedGroups(results, plan).filter {
            results.parts[$0].outcome == nil
        }
        guard !unwanted.isEmpty else { return }
        for index in unwanted { noteUnstarted(results.parts[index], stage + index) }
        let (work, ended) = state.withLock { $0.cancel(unwanted, stage, after: elapsedOfParts) }
        for link in work { link.stop() }
        if isTimed { for index in unwanted { noteEnd(of: stage + index, nil) } }
        stageEnded(ended)
    }

    /// Ends the run with the failure that has decided the answer. Parts that have not ended are cancelled.
    func stop() {
        guard var finished = state.withLock({ $0.finish() }) else { return }
        // Draws the timeline before cancelling, as the deadline does.
        let facts = facts(finished.steps)
        finished.dispose()
        if let timer = finished.timer { scheduler.cancelTimer(timer) }
        for (index, part) in finished.parts.enumerated() { noteUnstarted(part, finished.stage + index) }
        let results = PartResults(
            finished.parts, from: finished.stage, areSteps: finished.after?.then != nil,
            began: partsBegan.load(ordering: .relaxed))
        guard case .failed(let index) = results.verdict else {
            return deliver(renderer.error(.internal, results, for: facts))
        }
        deliver(renderer.failure(results, decidedBy: index, for: facts))
    }

    /// Records for the log that a cancelled part has not begun.
    private func noteUnstarted(_ part: NamedPart, _ number: Int) {
        if part.outcome == nil, !part.part.hasStarted { context.forPart(number).partBegan(at: nil) }
    }

    /// A required part of the pipeline has failed. Unless the pipeline answers in this wake, the failure is
    /// the answer.
    func pipelineFailed() -> any Disposable {
        scheduler.schedule(()) { [self] in
            guard state.withLock({ $0.awaitsHandler }), let pipeline, pipeline.hasFailed else {
                return Disposables.create()
            }
            let results = pipeline.results(context)
            guard case .failed(let index) = results.verdict else { return Disposables.create() }
            end { renderer.failure(results, decidedBy: index, for: $0) }
            return Disposables.create()
        }
    }

    // MARK: - Starts

    /// A part has no source to start, or the answer is decided. Then parts that send nothing are started
    /// nevertheless: those that have ended before, and those that read others and fail with them. Returns
    /// false if the stage is over.
    @inline(never)
    func startUnsent(_ index: Int, of stage: Int) -> Bool {
        let (hasEnded, name, areSteps) = state.withLock {
            ($0.hasEnded(index, stage), $0.name(of: stage + index), $0.areSteps)
        }
        guard let hasEnded else { return false }
        let leaf = name.flatMap { endpoint.settings.plan?.leaf($0, isStep: areSteps) }
        if hasEnded || leaf?.dependencies.isEmpty == false { start(index, of: stage) }
        return true
    }

    private func start(
        _ index: Int, of stage: Int, for receiver: (any SingleReceiver<JSONFragment>)? = nil
    ) {
        guard let source = state.withLock({ $0.takeSource(of: index, stage) }) else { return }
        var work = begin(source, stage + index, for: receiver)
        state.withLock { $0.keep(&work, of: index, stage) }
        work?.stop()
    }

    /// Starts only the parts whose failure will decide the answer because the circuits of their upstreams are
    /// open. Returns false if no such parts exist.
    @inline(never)
    func startRefused(of stage: Int) -> Bool {
        let refused = refusedParts(of: stage)
        guard !refused.isEmpty else { return false }
        let receiver = RefusedParts(refused.count, of: self, stage)
        for index in refused { start(index, of: stage, for: receiver) }
        for index in 0..<state.withLock({ $0.count }) { _ = startUnsent(index, of: stage) }
        if state.withLock({ $0.endStarts(stage) }) { stop() }
        return true
    }

    private func refusedParts(of stage: Int) -> [Int] {
        guard let results = state.withLock({ $0.openResults(with: stage) }) else { return [] }
        var parts = results.parts
        let refused = parts.indices.filter { isRefused(parts[$0], isStep: results.areSteps) }
        for index in refused { parts[index].outcome = PartOutcome(.refused, elapsed: 0) }
        guard case .failed = PartResults(parts, from: stage, areSteps: results.areSteps).verdict else {
            return []
        }
        return refused
    }

    private func isRefused(_ part: NamedPart, isStep: Bool) -> Bool {
        let number = endpoint.number + 1
        if let leaf = endpoint.settings.plan?.leaf(part.name, isStep: isStep) {
            return leaf.isCircuitOpen(for: number)
        }
        return part.part.isCircuitOpen(for: number)
    }

    /// Starts the parts of a stage that have not started, after those that were started alone.
    fileprivate func startOthers(of stage: Int) {
        guard state.withLock({ $0.beginOtherStarts(stage) }) else { return }
        for index in 0..<state.withLock({ $0.count }) {
            if state.withLock({ $0.stopsAfterStarts(stage) }) {
                _ = startUnsent(index, of: stage)
            } else {
                start(index, of: stage)
            }
        }
        if state.withLock({ $0.endStarts(stage) }) { stop() }
    }
}

extension PartFailure {
    fileprivate static var refused: PartFailure {
        PartFailure(
            kind: .networkFail, reason: .circuitOpen, message: "", attempts: 0, elapsedMilliseconds: 0,
            isRetryable: true, answer: FailureAnswer(status: 503))
    }
}

/// Receives the ends of parts that were started alone. If they do not decide the answer after all, because a
/// circuit has become half-open in between, the other parts are started.
private final class RefusedParts: SingleReceiver {
    private let run: EndpointRun
    private let stage: Int
    /// Those that have not ended; 0 once the others have been started.
    private let left: Lock<Int>

    init(_ count: Int, of run: EndpointRun, _ stage: Int) {
        self.run = run
        self.stage = stage
        left = Lock(count)
    }

    var subscriberContext: ObjectIdentifier? { run.subscriberContext }

    func succeeded(_ value: consuming JSONFragment, number: Int) {
        run.succeeded(value, number: number)
        ended(true)
    }

    func failed(_ error: any Error, number: Int) {
        run.failed(error, number: number)
        ended(false)
    }

    private func ended(_ hasSucceeded: Bool) {
        let isLast = left.withLock { left in
            guard left > 0 else { return false }
            left = hasSucceeded ? 0 : left - 1
            return left == 0
        }
        if isLast { run.startOthers(of: stage) }
    }
}
