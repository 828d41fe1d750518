import Glibc

// A request goes out only where the peer has said nothing yet: what it said before cannot be the response.
extension SocketStream {
    /// Has the next write checked as it leaves for the kernel: it goes out only if the peer is silent at that moment.
    ///
    /// Otherwise nothing is sent and nothing can be written any more; `streamReceived`, `streamReachedEnd` or
    /// `streamFailed` tells what the peer did, while `isUnsent` is still true.
    public func sendOnlyIfSilent() { needsSilence = true }

    /// Whether the kernel has taken nothing since `sendOnlyIfSilent`.
    public var isUnsent: Bool { needsSilence }

    /// What a look at the socket finds, without reading it.
    private enum Unread {
        case nothing
        case bytes
        case end
    }

    /// One system call.
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

    /// Whether the peer has neither sent anything that was not read yet nor ended its side, as far as the kernel knows
    /// now. TLS messages without content, such as session tickets, do not count.
    package var isSilent: Bool {
        switch unread {
        case .nothing: tls?.isBehind != true
        case .bytes: tls.map { !$0.isBehind && isSilentSecured($0) } ?? false
        case .end: false
        }
    }

    /// Whether its first write since `sendOnlyIfSilent` waits in the outbox, and TLS holds nothing unread.
    var mayBeSilent: Bool { needsSilence && !held.isEmpty && tls?.isBehind != true }

    /// Decides whether the first write since `sendOnlyIfSilent` goes out. False: it does not, or waits in the queue.
    func maySendFirst(_ bytes: UnsafeRawBufferPointer) -> Bool {
        if case .nothing = unread, tls?.isBehind != true {
            needsSilence = false
            return true
        }
        return maySendFirstBehindTLS(bytes)
    }

    /// TLS may answer what it finds unread, a key update for example. That answer belongs behind `bytes`, which are
    /// encrypted already: they wait in the queue meanwhile, and leave from there.
    @inline(never)
    private func maySendFirstBehindTLS(_ bytes: UnsafeRawBufferPointer) -> Bool {
        queue.append(ArraySlice(bytes))
        if tls != nil, isSilent {
            needsSilence = false
            watchWriting()
            soon(.queued)
        } else {
            queue.removeAll()
            isBroken = true
            soon(.read)
        }
        return false
    }

    /// Drops an unsent write as the stream closes.
    func dropUnsent() {
        guard needsSilence, !held.isEmpty else { return }
        held = 0..<0
        // TLS has counted the dropped records: the peer could not decrypt what followed them.
        isBroken = true
    }
}
