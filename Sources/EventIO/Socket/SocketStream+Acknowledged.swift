import CLinux

extension SocketStream {
    /// Bytes the kernel has taken. Unlike `bytesSent` it excludes bytes held to the end of the wake. Of an
    /// encrypted stream, the plaintext in them.
    public var bytesTaken: Int64 {
        guard let tls else { return wireTaken }
        return tls.marks.plaintext(within: wireTaken)
    }

    /// Bytes the peer has acknowledged; after `streamFailed`, the count at that moment. Of an encrypted
    /// stream, the plaintext in them. For Unix sockets, which have no acknowledgements, bytes the kernel has
    /// taken. Costs a system call.
    public var bytesAcknowledged: Int64 {
        guard isUp else { return acknowledgedAtFailure }
        let acknowledged = wireAcknowledged
        guard let tls else { return acknowledged }
        tls.marks.forget(before: acknowledged)
        return tls.marks.plaintext(within: acknowledged)
    }

    // MARK: Bytes on the wire

    private var wireTaken: Int64 { taken &- Int64(held.count) }

    /// Costs a system call.
    var wireAcknowledged: Int64 {
        guard !remoteAddress.isUnix else { return wireTaken }
        return wireTaken &- Int64(max(0, linux_unacknowledged(descriptor)))
    }

    /// Bytes written so far, sent or not.
    var wireCount: Int64 { taken &+ Int64(queue.byteCount) }

    var plaintextSent: Int64 { tls?.marks.plaintext(within: taken) ?? taken }

    /// Counts plaintext in `taken` from now on, because the stream has ended.
    func countPlaintext() {
        if tls != nil { taken = plaintextSent }
    }

    /// When the kernel last sent or resent bytes to the peer; nil if unknown. Costs a system call.
    public var lastSent: MonotonicTime? {
        guard isUp, !remoteAddress.isUnix else { return nil }
        let milliseconds = linux_since_last_sent(descriptor)
        return milliseconds >= 0 ? .clock() - TimeAmount.milliseconds(Int64(milliseconds)) : nil
    }

    /// Sends the output held to the end of the wake now. Queues what the socket does not take.
    public func sendNow() {
        if state == .open { sendHeld() }
    }
}
