internal import EventIO

/// Making room for a newcomer at the connection limit.
extension InboundConnection {
    /// Costs a system call unless the connection is busy.
    var evictability: Evictability {
        guard state.isIdle || state.awaitsHead, !awaitsTurn else { return .busy }
        return stream.bytesTaken == bytesWritten && stream.isSilent ? .evictable : .active
    }

    var isServed: Bool { state.isDiscarding }

    /// Tells the server since when it may be closed. The server finds out by itself when that is over.
    @inline(__always)
    func reportWaiting() {
        let now = now
        // Most requests cost no more than this.
        if now < idleReportExpiry, state.isIdle { return }
        reportWaiting(since: now)
    }

    @inline(never)
    private func reportWaiting(since now: MonotonicTime) {
        if state.isIdle {
            server.order.becameIdle(index, at: now)
            idleReportExpiry = now + EvictionOrder.precision
        } else if state.awaitsHead {
            server.order.waitsForHead(index, at: now)
            forgetIdleReport()
        }
    }

    func forgetIdleReport() { idleReportExpiry = MonotonicTime(nanoseconds: 0) }

    /// Closes for a newcomer. The FIN goes first: if the client's next request arrives at this moment, the
    /// kernel resets the connection, but the client sees the end before the reset.
    func giveWay() {
        stream.shutdownWrite()
        end(.close, .completed)
    }
}
