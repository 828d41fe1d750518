import Locking
import Networking
import Rx

// Answers that take long to write.
extension EndpointRun {
    @inline(__always)
    func takesLong(toWrite results: borrowing PartResults) -> Bool {
        results.isPlanned && results.plan?.takesLong(toWrite: results) == true
    }

    /// Writes the answer of a finished run on another thread, and then delivers it.
    @inline(never)
    func writeApart(
        _ results: PartResults, _ overrides: AnswerOverrides, _ facts: Renderer.RequestFacts
    ) {
        let scheduler = scheduler
        let kept = context.keptResources
        let work = WaitingWork { [self] in
            let answer = renderer.parts(results, overrides, for: facts)
            withExtendedLifetime(kept) {}
            _ = scheduler.schedule(answer) { [self] answer in
                deliverWritten(answer)
                return Disposables.create()
            }
        }
        state.withLock { $0.write(RunState.WrittenAnswer(work: work, results: results, steps: facts.steps)) }
        let isTaken = CallContext.$current.withValue(context) {
            responder.environment.responseWorkApart?({ work.run() })
        }
        guard isTaken != true else { return }
        deliverWritten(renderer.error(.overloaded, results, for: facts))
    }

    private func deliverWritten(_ answer: GatewayResponse) {
        if state.withLock({ $0.takeWritten() }) != nil { deliver(answer) }
    }
}
