internal import EventIO

extension Connection {
    /// The call has ended before its response was complete. Closes the connection, unless it may serve
    /// others.
    func abandon(_ reason: DiscardReason) {
        guard let left = call.take() else { return discard(reason) }
        left.earlyStatus = earlyStatus
        if left is DrainedResponse { return discard(.callCancelled) }
        guard reason == .callCancelled, drain(left) else { return discard(reason) }
    }

    /// Lets the connection serve others after its call was cancelled: it is opened to the end, or the
    /// response is read to its end and dropped. Returns false if it has to be closed.
    private func drain(_ left: OutboundCall) -> Bool {
        guard left.mayDrain || !left.mayCut else { return false }
        if state.isOpening {
            setTimer(by: loop.wakeTime + TimeAmount(pool.limits.drainTime))
            pool.becameSpare(self)
            return true
        }
        // Nothing of it needs to go out.
        if isUnsent, !left.mayCut { return false }
        // A reader that may be slow, or a body that comes from the caller, ends with the call.
        guard !left.isPaused, upload == nil, !left.mayStream || !left.mayCut,
            !left.mayCut || !pool.hasWaiters, state.callCancelled(mayCut: left.mayCut)
        else { return false }
        mayDropExpectation = false
        noteUnfinishedBody()
        response.dropBody()
        call = DrainedResponse(of: left, on: self, in: pool)
        if left.mayCut { pool.becameSpare(self) }
        return true
    }
}
