import Locking
import Networking
import Rx
import Synchronization

extension EndpointRun {
    /// Lets the run end with this wake if the failure of the part has decided the answer. The other failures of the wake still
    /// count: parts that read the failed one end with it, and of several required failures the rank decides.
    @inline(never)
    func stopIfDecided(by number: Int) {
        guard let results = state.withLock({ $0.openResults(with: number) }), let stage = results.firstNumber,
            !results.parts.contains(where: { $0.outcome == nil && isNeverCut($0.part) }),
            case .failed = results.verdict, state.withLock({ $0.decided(stage) })
        else { return }
        let scheduled = scheduler.schedule(()) { [self] in
            stop()
            return Disposables.create()
        }
        if !state.withLock({ $0.keepStop(scheduled) }) { scheduled.dispose() }
    }

    /// Whether a failure of another part must not cancel the part, because it may change something. Of a part that a handler makes the
    /// methods of its calls are not known, so that the method of the endpoint decides.
    private func isNeverCut(_ part: Part) -> Bool { part.isNeverCut ?? !endpoint.method.isSafe }

    /// Ends the run with the failure that has decided the answer. Parts that have not ended are cancelled.
    func stop() {
        guard var finished = state.withLock({ $0.finish() }) else { return }
        // Closes the timeline before cancelling, as the deadline does.
        let facts = facts(finished.steps)
        finished.dispose()
        if let timer = finished.timer { scheduler.cancelTimer(timer) }
        var results = PartResults(
            finished.parts, from: finished.stage, areSteps: finished.after?.then != nil)
        results.began = partsBegan.load(ordering: .relaxed)
        guard case .failed(let index) = results.verdict else {
            return deliver(renderer.error(.internal, results, for: facts))
        }
        deliver(renderer.failure(results, decidedBy: index, for: facts))
    }
}
