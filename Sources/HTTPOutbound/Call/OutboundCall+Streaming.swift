internal import EventIO
internal import HTTPModel

// A call whose request's or response's body comes in pieces.
extension OutboundCall {
    /// Takes no more of the response's body for now: no piece comes any more, the upstream is slowed down by its window,
    /// and the longest silence that is allowed is `pauseTimeout`. For a body that is taken in pieces; on the loop.
    public final func pause() {
        guard !isPaused, !isOver else { return }
        isPaused = true
        if case .on(let connection) = place { connection.callPaused() }
    }

    /// Takes pieces again, from the next turn of the loop on.
    public final func resume() {
        guard isPaused else { return }
        isPaused = false
        if case .on(let connection) = place { connection.callResumed() }
    }

    /// The head of its response is there.
    final func began(_ head: HTTPResponseHead) -> BodyDelivery {
        let delivery = responseBegan(head)
        if let total = delivery.total {
            deadlines.setTotal(total, started: timings.started)
        }
        return delivery
    }

    /// The last byte of its request's body is written.
    final func requestIsOut(now: MonotonicTime) { timings.requestWritten = now }

    /// Its request's body has ended, or what is left of it is not wanted: only the response is waited for.
    final func bodyEnded(isWithinResponse: Bool, now: MonotonicTime) {
        if isWithinResponse { pauseMoved(now: now) } else { entered(.awaitingResponse, now: now) }
    }

    /// A piece of its request's body was asked for, given, or taken by the socket.
    final func bodyMoved(isQueued: Bool, bytesSent: Int64, now: MonotonicTime) {
        let stage: CallDeadlines.Stage = isQueued ? .writing : .owing
        let isProgress = bytesSent > self.bytesSent
        self.bytesSent = bytesSent
        if isProgress || !deadlines.isAt(stage) { entered(stage, now: now) }
    }

    final func bodyWasCoded(in count: Int) { timings.encodedBodySize = count }

    /// Its clock while it takes nothing, and again.
    final func pauseMoved(now: MonotonicTime) { entered(isPaused ? .paused : .receiving, now: now) }
}
