import FoundationEssentials
import Locking
import Networking
import Rx
import Synchronization

extension EndpointRun {
    /// The deadline has passed. Parts that have ended count; the others fail with `deadline_exceeded`.
    func timerFired(_ token: TimerToken) {
        context.passDeadline()
        if let pipeline {
            state.withLock { $0.timer = nil }
            // The pipeline may answer now.
            CallContext.$current.withValue(context) { pipeline.expire(context) }
        }
        guard var finished = state.withLock({ $0.finish() }) else { return }
        // Draws the timeline before cancelling, so that it shows no end for unfinished parts.
        let facts = facts(finished.steps)
        finished.dispose()
        if let answer = expired(finished, facts) { deliver(answer) }
    }

    /// Nil if the answer is written on another thread.
    private func expired(
        _ finished: RunState.FinishedRun, _ facts: consuming Renderer.RequestFacts
    ) -> GatewayResponse? {
        let limit = endpoint.settings.deadline.nanoseconds / 1_000_000
        let late = GatewayError.upstreamTimeout("The answer was not ready within \(limit) ms")
        guard let after = finished.after else {
            guard let results = pipeline?.results(context), case .failed(let index) = Verdict(results.parts)
            else { return renderer.error(late, for: facts) }
            return renderer.failure(results, decidedBy: index, for: facts)
        }
        var parts = finished.parts
        let elapsed = facts.elapsed - partsBegan.load(ordering: .relaxed)
        for index in parts.indices where parts[index].outcome == nil {
            let calls = context.calls(ofPart: finished.stage + index)
            parts[index].outcome = PartOutcome(
                PartFailure(deadlineAfter: ownElapsed(of: finished.stage + index, elapsed), calls),
                elapsed: elapsed)
        }
        var results = PartResults(parts, from: finished.stage, areSteps: after.then != nil)
        results.began = partsBegan.load(ordering: .relaxed)
        guard after.then != nil else {
            guard takesLong(toWrite: results) else {
                return renderer.parts(results, after.overrides, for: facts)
            }
            writeApart(results, after.overrides, facts)
            return nil
        }
        guard case .failed(let index) = Verdict(results.parts) else {
            facts.steps.append(results)
            return renderer.error(late, for: facts)
        }
        return renderer.failure(results, decidedBy: index, for: facts)
    }
}
