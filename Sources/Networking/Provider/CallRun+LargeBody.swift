import Locking
import Rx

extension CallRun {
    /// Reads a large body on another thread, and then reports the response on the run's loop. Fails the run
    /// if too much waits for those threads. Returns false if the body is read on the loop.
    @inline(never)
    final func readApart(_ response: TransportResponse) -> Bool {
        guard let read = reading(of: response),
            let transport = (transport ?? provider.transport) as? any OffloadingTransport
        else { return false }
        let kept = call.context?.keptResources
        let work = WaitingWork { [self] in
            let reading = read()
            withExtendedLifetime(kept) {}
            let isContinued = transport.continueOnLoop {
                self.rareParts = .adding(reading, to: self.rareParts)
                self.bodyArrived(response)
            }
            if !isContinued {
                finish(TransportError(.destinationUnavailable, "the event loop has ended", wasSent: true))
            }
        }
        // Disposing the run drops the work, and with it the body.
        var ended: (any Disposable)? = work
        let isOver = state.withLock { state in
            if !state.isOver { swap(&state.attempt, &ended) }
            return state.isOver
        }
        if !isOver, !transport.workApart(for: call.context?.client, { work.run() }) {
            // At random, so that the clients do not come back together.
            finish(
                TransportError(
                    .memoryLimit, "too many large responses wait to be read",
                    retryAfter: .seconds(Int.random(in: 1...3)), wasSent: true))
        }
        return true
    }
}
