internal import EventIO
internal import HTTPModel

extension OutboundCall {
    /// Pauses the streamed response body, on the loop. TCP slows the upstream; the call fails after
    /// `pauseTimeout`.
    public final func pauseBody() {
        guard !isPaused, !hasEnded else { return }
        isPaused = true
        if case .onConnection(let connection) = state { connection.callPaused() }
    }

    /// Resumes the response's body in the loop's next turn.
    public final func resumeBody() {
        guard isPaused else { return }
        isPaused = false
        if case .onConnection(let connection) = state { connection.callResumed() }
    }

    /// Whether some of the request still has to go out, although the response has begun.
    public final var owesRequest: Bool {
        if case .onConnection(let connection) = state { connection.state.owesRequest } else { false }
    }

    /// The head of the final response has arrived.
    final func began(_ head: HTTPResponseHead) -> BodyDelivery {
        let delivery = responseBegan(head)
        if let total = delivery.total {
            deadlines.setTotal(total, started: timings.started)
        }
        return delivery
    }

    /// The request's body is complete or no longer wanted.
    final func bodyEnded(isWithinResponse: Bool, now: MonotonicTime) {
        if isWithinResponse { pauseChanged(now: now) } else { entered(.awaitingResponse, now: now) }
    }

    /// A piece of the request's body was requested, provided, or taken by the socket.
    final func bodyProgressed(isQueued: Bool, bytesSent: Int64, now: MonotonicTime) {
        let stage: CallDeadlines.Stage = isQueued ? .writing : .awaitingBody
        let isProgress = bytesSent > self.bytesSent
        self.bytesSent = bytesSent
        if isProgress || !deadlines.isAt(stage) { entered(stage, now: now) }
    }

    final func pauseChanged(now: MonotonicTime) { entered(isPaused ? .paused : .receiving, now: now) }
}
