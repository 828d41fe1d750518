internal import EventIO
internal import HTTPWire
internal import Timers

extension InboundConnection {
    func armTimer() {
        if stream.queuedByteCount > 0, state.isCheckDue(at: now) { observeQueue() }
        guard let deadline = state.deadline else { return }
        if let timer {
            guard deadline < timer.at else { return }
            loop.cancelTimer(timer.token)
        }
        timer = (loop.setTimer(at: deadline, target: self), deadline)
    }

    func observeQueue() {
        state.queueObserved(acknowledged: stream.bytesAcknowledged, at: now)
    }
}

extension InboundConnection: TimerTarget {
    func timerFired(_ token: TimerToken) {
        timer = nil
        // A request that has arrived is not late: it waits for us.
        if awaitsTurn, state.mayBeginRequest { return }
        if stream.queuedByteCount > 0 { observeQueue() }
        let failed = failedRequest()
        switch state.deadlinePassed(at: now) {
        case .wait: break
        case .close: end(.close, .completed)
        case .reset: end(.reset, .stalled)
        case .refuse: refuse(.timeout(head: failed.currentHead), failed)
        case .hold: parsedAhead = .failure(.timeout(head: nil), failed)
        case .failBody:
            failBody(.timeout(head: nil))
            deliverBody()
        }
        compactIfSmall()
        spoolIfLarge()
        settle()
    }
}
