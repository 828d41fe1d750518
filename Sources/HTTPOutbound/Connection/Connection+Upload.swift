internal import EventIO

extension Connection {
    /// Starts the body once its head is sent. Some sources provide a piece only once, so none is taken while
    /// the connection may still turn out to be stale.
    func begin(_ upload: OutboundBodyWriter) {
        stream?.sendNow()
        if stream?.isUnsent == false { upload.begin() }
    }

    /// A piece was requested, or given to the socket.
    func bodyProgressed() {
        guard let stream else { return }
        let now = loop.wakeTime
        guard let call else { return }
        if call.mayStream, let upload { call.bodySent(max(0, upload.count - Int64(stream.queuedByteCount))) }
        call.bodyProgressed(
            isQueued: stream.queuedByteCount > 0, bytesSent: stream.bytesSent, now: now)
        // The last byte is sent, although the stream has not finished yet. The response may come before it
        // does.
        if upload?.isSent == true { requestTaken() }
    }

    /// The socket has taken some of a request in memory.
    func streamProgressed() {
        guard let call, call.mayStream, upload == nil, !state.isBodyDropped, let stream else { return }
        // The body is the last in the queue.
        call.bodyWaits(stream.queuedByteCount)
    }

    func bodyFinished() {
        if let stream, stream.queuedByteCount == 0, !stream.hasFailed {
            bodySentWhole()
        } else {
            bodyProgressed()
        }
    }

    /// The socket has taken all that was queued.
    func uploadFlushed(_ upload: OutboundBodyWriter) {
        if upload.isFinished, stream?.hasFailed == false {
            bodySentWhole()
        } else {
            upload.socketProgressed()
        }
    }

    private func bodySentWhole() {
        if let upload, let call, call.mayStream { call.bodySent(upload.count) }
        endUpload()
        let now = loop.wakeTime
        requestTaken()
        if early != nil { return finishEarly() }
        call?.bodyEnded(isWithinResponse: response.head != nil, now: now)
    }

    private func requestTaken() {
        if !state.isWritten { state.requestWritten() }
    }

    /// Drops the rest of the body, since the upstream has answered already. The connection cannot be used
    /// again.
    func dropUpload() {
        if upload?.awaitsPiece == true { call?.lacksBody = true }
        endUpload()
        state.bodyDropped()
        call?.bodyEnded(isWithinResponse: true, now: loop.wakeTime)
    }
}
