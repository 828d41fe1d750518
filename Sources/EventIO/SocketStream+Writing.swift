import CLibevent
import Glibc

// Writing: tried at once, queued where the socket does not take it.
extension SocketStream {
    /// Bytes that wait for the socket.
    public var queuedByteCount: Int { queue.byteCount }

    /// Whether the writer should wait for `streamDrained`. Nothing is refused: the bound is the writer's to keep.
    public var isOverHighWatermark: Bool { queue.byteCount >= highWatermark }

    /// Writes in order, at once as far as the socket takes it. A failure is told later, by `streamFailed`.
    /// Nothing happens after `shutdownWrite` or when closed. Bytes written while connecting are sent then.
    public func write(_ bytes: UnsafeRawBufferPointer) {
        guard mayWrite, !bytes.isEmpty else { return }
        var sent = 0
        if state == .open, queue.isEmpty {
            isQuiet = false
            sent = Gather.send(bytes, to: descriptor)
            if sent == bytes.count {
                bytesSent &+= Int64(sent)
                return
            }
            guard accountFor(&sent) else { return }
        }
        enqueue { $0.append(ArraySlice(UnsafeRawBufferPointer(rebasing: bytes[sent...]))) }
    }

    public func write(_ slice: ArraySlice<UInt8>) {
        guard mayWrite, !slice.isEmpty else { return }
        var sent = 0
        if state == .open, queue.isEmpty {
            isQuiet = false
            sent = slice.withUnsafeBytes { Gather.send($0, to: descriptor) }
            if sent == slice.count {
                bytesSent &+= Int64(sent)
                return
            }
            guard accountFor(&sent) else { return }
        }
        enqueue { $0.append(slice.dropFirst(sent)) }
    }

    /// One gathered write for all slices.
    public func write(_ slices: [ArraySlice<UInt8>]) {
        guard mayWrite else { return }
        var total = 0
        if state == .open, queue.isEmpty {
            isQuiet = false
            var next = 0
            while next < slices.count {
                var (sent, offered, end) = Gather.send(slices, from: next, to: descriptor)
                if sent == offered {
                    bytesSent &+= Int64(sent)
                    total += sent
                    next = end
                    continue
                }
                guard accountFor(&sent) else { return }
                total += sent
                break
            }
            if next == slices.count { return }
        }
        enqueue { $0.append(slices, skipping: total) }
    }

    var mayWrite: Bool {
        (state == .open || state == .connecting) && !endsAfterFlush && !isBroken
    }

    /// Turns a write's result into bytes taken. False when the stream broke.
    private func accountFor(_ sent: inout Int) -> Bool {
        guard sent < 0 else {
            bytesSent &+= Int64(sent)
            return true
        }
        sent = 0
        guard errno != EAGAIN else { return true }
        failSoon(SocketError(.write, errno))
        return false
    }

    private func enqueue(_ append: (inout WriteQueue) -> Void) {
        append(&queue)
        if isOverHighWatermark { wasOverHighWatermark = true }
        if state == .open { watchWriting() }
    }

    private func watchWriting() {
        guard !watchesWriting, !isWriteEventAdded, state == .open else { return }
        if writeEvent == nil {
            let context = Unmanaged.passUnretained(self).toOpaque()
            // Edge-triggered as the read event is: libevent refuses to mix the two on a descriptor.
            writeEvent = EventHandle(
                loop.base, descriptor, EV_WRITE | EV_ET | EV_PERSIST, streamIsReady, context)
        }
        isWriteEventAdded = true
        if writeEvent?.add() != true { failSoon(SocketError(.register, errno)) }
    }

    /// Writes what is queued until the socket is full or the queue empty. From the loop only.
    func flush() {
        while !queue.isEmpty {
            var sent = queue.send(to: descriptor)
            guard accountFor(&sent) else { return }
            queue.consume(sent)
            // Short or not, the next call tells EAGAIN: what an edge needs to come again.
            if sent == 0 {
                watchWriting()
                return toldIfDrained()
            }
        }
        if isWriteEventAdded {
            writeEvent?.remove()
            isWriteEventAdded = false
        }
        toldIfDrained()
        guard state == .open, queue.isEmpty else { return }
        if closesAfterFlush { return close() }
        if endsAfterFlush { endNow() }
        handler?.streamFlushed()
    }

    private func toldIfDrained() {
        guard wasOverHighWatermark, queue.byteCount <= lowWatermark else { return }
        wasOverHighWatermark = false
        handler?.streamDrained()
    }
}
