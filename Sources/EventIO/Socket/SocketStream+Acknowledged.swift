import CLinux

extension SocketStream {
    /// Bytes the kernel has taken. Unlike `bytesSent` it excludes bytes held to the end of the wake.
    public var bytesTaken: Int64 { taken &- Int64(held.count) }

    /// Bytes the peer has acknowledged; after `streamFailed`, the count at that moment. For Unix sockets,
    /// which have no acknowledgements, bytes the kernel has taken. Costs a system call.
    public var bytesAcknowledged: Int64 {
        guard isUp else { return acknowledgedAtFailure }
        guard !remoteAddress.isUnix else { return bytesTaken }
        return bytesTaken &- Int64(max(0, linux_unacknowledged(descriptor)))
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
