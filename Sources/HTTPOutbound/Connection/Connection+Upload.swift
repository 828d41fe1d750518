internal import EventIO

// A request's body that goes out in pieces.
extension Connection {
    /// The body follows its head. The head leaves first: pieces of the body may be had only once, so the connection has
    /// to turn out stale, if it is, before any is taken.
    func begin(_ upload: OutboundBodyWriter) {
        stream?.sendNow()
        if stream?.isUnsent == false { upload.begin() }
    }

    /// A piece was asked for, or given to the socket.
    func bodyMoved() {
        guard let stream else { return }
        let now = loop.wakeTime
        guard let call else { return }
        if call.mayStream, let upload { call.bodySent(max(0, upload.count - Int64(stream.queuedByteCount))) }
        call.bodyMoved(
            isQueued: stream.queuedByteCount > 0, bytesSent: stream.bytesSent, now: now)
        // Its last byte is out, though its stream has not said yet that there is no more: the answer may come before that.
        if upload?.isOut == true { bodyIsOut(now) }
    }

    /// The socket was given all of it.
    func bodyIsWhole() {
        if stream?.queuedByteCount == 0 { bodyIsWritten() } else { bodyMoved() }
    }

    /// The socket has taken what waited for it.
    func uploadFlushed(_ upload: OutboundBodyWriter) {
        if upload.isWhole { bodyIsWritten() } else { upload.socketMoved() }
    }

    private func bodyIsWritten() {
        if let upload, let call, call.mayStream { call.bodySent(upload.count) }
        endUpload()
        let now = loop.wakeTime
        bodyIsOut(now)
        call?.bodyEnded(isWithinResponse: response.head != nil, now: now)
    }

    private func bodyIsOut(_ now: MonotonicTime) {
        guard !state.isWritten else { return }
        state.requestWritten()
        call?.requestIsOut(now: now)
    }

    /// The upstream has answered and wants no more of it. The connection is used no more.
    func dropUpload() {
        endUpload()
        state.bodyIsCut()
        call?.bodyEnded(isWithinResponse: true, now: loop.wakeTime)
    }
}
