import CLinux

// How far output has got: to the kernel, and to the peer.
extension SocketStream {
    /// Bytes that the kernel has taken so far. Unlike `bytesSent` it leaves out what waits for the end of the wake.
    public var bytesTaken: Int64 { taken &- Int64(held.count) }

    /// Bytes that the peer has acknowledged so far; on a Unix socket, which acknowledges nothing, the bytes that the
    /// kernel has taken. Costs a system call. After `streamFailed`: the bytes acknowledged by then.
    public var bytesAcknowledged: Int64 {
        guard isUp else { return acknowledgedAtFailure }
        guard !remoteAddress.isUnix else { return bytesTaken }
        return bytesTaken &- Int64(max(0, linux_unacknowledged(descriptor)))
    }

    /// When the kernel last sent bytes of this side to the peer, or sent them again; nil where it does not say. Costs a system
    /// call.
    public var lastSent: MonotonicTime? {
        guard isUp, !remoteAddress.isUnix else { return nil }
        let milliseconds = linux_since_last_sent(descriptor)
        return milliseconds >= 0 ? .clock() - TimeAmount.milliseconds(Int64(milliseconds)) : nil
    }

    /// Offers the socket at once what would go out at the end of the wake. What it does not take is queued.
    public func sendNow() {
        if state == .open { sendHeld() }
    }
}
