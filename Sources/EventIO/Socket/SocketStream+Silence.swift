import Glibc

// Bytes that the peer sends before a request goes out on a reused connection cannot be its response.
extension SocketStream {
    /// Sends the next write only if the peer is silent when the kernel is offered it.
    ///
    /// Otherwise nothing is sent and nothing more can be written. `streamReceived`, `streamReachedEnd` or
    /// `streamFailed` reports what the peer did, while `isUnsent` is still true.
    public func sendOnlyIfSilent() { needsSilence = true }

    /// Whether the kernel has taken nothing since `sendOnlyIfSilent`.
    public var isUnsent: Bool { needsSilence }

    private enum Unread {
        case nothing
        case bytes
        case end
    }

    /// Costs one system call.
    private var unread: Unread {
        guard isOpen, !hasReachedEnd else { return .end }
        var byte: UInt8 = 0
        while true {
            let count = recv(descriptor, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT))
            if count > 0 { return .bytes }
            if count == 0 { return .end }
            if errno != EINTR { return errno == EAGAIN ? .nothing : .end }
        }
    }

    /// Whether, as far as the kernel knows, the peer has neither ended its side nor sent anything unread. TLS
    /// messages without content, such as session tickets, do not count.
    package var isSilent: Bool {
        switch unread {
        case .nothing: tls?.mayHaveUnread != true
        case .bytes: tls.map { !$0.mayHaveUnread && isSilentSecured($0) } ?? false
        case .end: false
        }
    }

    /// Whether the first write since `sendOnlyIfSilent` is in the outbox and TLS holds no unread bytes.
    var mayBeSilent: Bool { needsSilence && !held.isEmpty && tls?.mayHaveUnread != true }

    /// Returns whether the first write since `sendOnlyIfSilent` may be sent now. If not, drops or queues it.
    func maySendFirst(_ bytes: UnsafeRawBufferPointer) -> Bool {
        if case .nothing = unread, tls?.mayHaveUnread != true {
            needsSilence = false
            return true
        }
        return maySendFirstBehindTLS(bytes)
    }

    /// TLS may respond to unread input, such as a key update. That response must follow `bytes`, which are
    /// already encrypted, so they are queued and sent from there.
    @inline(never)
    private func maySendFirstBehindTLS(_ bytes: UnsafeRawBufferPointer) -> Bool {
        queue.append(ArraySlice(bytes))
        if tls != nil, isSilent {
            needsSilence = false
            watchWriting()
            runLater(.queued)
        } else {
            queue.removeAll()
            isBroken = true
            runLater(.read)
        }
        return false
    }

    func dropUnsent() {
        guard needsSilence, !held.isEmpty else { return }
        held = 0..<0
        // TLS has counted the dropped records, so the peer could not decrypt what follows.
        isBroken = true
    }
}
