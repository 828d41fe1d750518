import CLibevent
import Glibc

// Writing: what is small is held to the end of the wake, what is larger is tried at once, and what the socket does not
// take is queued.
extension SocketStream {
    /// Bytes that the socket did not take and that wait for it.
    public var queuedByteCount: Int {
        guard let tls else { return queue.byteCount }
        return queue.byteCount + tls.waiting.byteCount
    }

    /// Whether the writer should wait for `streamDrained`. Nothing is refused: the bound is the writer's to keep.
    public var isOverHighWatermark: Bool { queuedByteCount >= highWatermark }

    /// Writes in order, by the end of the present wake as far as the socket takes it. A failure is told later, by
    /// `streamFailed`; bytes that the socket does not take, by `streamQueued`.
    /// Nothing happens after `shutdownWrite` or when closed. Bytes written while connecting are sent then.
    public func write(_ bytes: UnsafeRawBufferPointer) {
        guard mayWrite, !bytes.isEmpty else { return }
        if let tls { return writeSecured(bytes, tls) }
        writeWire(bytes)
    }

    /// Writes what the socket is to carry.
    func writeWire(_ bytes: UnsafeRawBufferPointer) {
        guard !isBroken else { return }
        var sent = 0
        if isUp, queue.isEmpty {
            isQuiet = false
            if hold(bytes) { return }
            if !sendHeld() {
                if needsSilence, !maySendFirst(bytes) { return }
                sent = Gather.send(bytes, to: descriptor)
                guard accountFor(&sent) else { return }
                if sent == bytes.count { return }
            }
        }
        enqueue { $0.append(ArraySlice(UnsafeRawBufferPointer(rebasing: bytes[sent...]))) }
    }

    public func write(_ slice: ArraySlice<UInt8>) {
        guard mayWrite, !slice.isEmpty else { return }
        if let tls { return writeSecured(slice, tls) }
        var sent = 0
        if state == .open, queue.isEmpty {
            isQuiet = false
            if slice.withUnsafeBytes({ hold($0) }) { return }
            if !sendHeld() {
                if needsSilence, !slice.withUnsafeBytes(maySendFirst) { return }
                sent = slice.withUnsafeBytes { Gather.send($0, to: descriptor) }
                guard accountFor(&sent) else { return }
                if sent == slice.count { return }
            }
        }
        enqueue { $0.append(slice.dropFirst(sent)) }
    }

    /// One gathered write for all slices, at once.
    public func write(_ slices: [ArraySlice<UInt8>]) {
        guard mayWrite else { return }
        if let tls { return writeSecured(slices, tls) }
        var total = 0
        if state == .open, queue.isEmpty, !sendHeld() {
            isQuiet = false
            if needsSilence, !maySendFirst(UnsafeRawBufferPointer(start: nil, count: 0)) { return }
            var next = 0
            while next < slices.count {
                var (sent, offered, end) = Gather.send(slices, from: next, to: descriptor)
                guard accountFor(&sent) else { return }
                total += sent
                guard sent == offered else { break }
                next = end
            }
            if next == slices.count { return }
        }
        enqueue { $0.append(slices, skipping: total) }
    }

    /// Leaves a write to the end of the wake, if it is small. Until then it counts as sent.
    private func hold(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let room = outbox.room(for: bytes.count, of: self, &held) else { return false }
        room.copyMemory(from: bytes)
        keep(bytes.count)
        return true
    }

    private func keep(_ count: Int) {
        outbox.keep(count, &held)
        taken &+= Int64(count)
    }

    /// Writes what `fill` puts together, where small writes wait for the end of the wake: no other buffer and no copy.
    ///
    /// - Parameters:
    ///   - most: room for what `fill` writes.
    ///   - fill: gives the bytes written; none where it failed. It calls nothing of the stream's.
    /// - Returns: false, and `fill` is not called, where this has to be written as all else is.
    public func writeInPlace(atMost most: Int, _ fill: (UnsafeMutableRawBufferPointer) -> Int) -> Bool {
        guard state == .open, queue.isEmpty, mayWrite, tls == nil,
            let room = outbox.room(for: most, of: self, &held)
        else { return false }
        isQuiet = false
        let count = fill(room)
        precondition(count <= most, "more was written than there was room for")
        keep(count)
        return true
    }

    /// Sends what is held. What the socket does not take is queued, and its owner told from the loop.
    ///
    /// - Returns: whether something is queued now, or the stream broken, so that nothing else may be sent.
    @discardableResult
    func sendHeld() -> Bool {
        guard !held.isEmpty else { return false }
        let bytes = outbox.bytes(at: held)
        held = 0..<0
        taken &-= Int64(bytes.count)
        if needsSilence, !maySendFirst(bytes) { return true }
        var sent = Gather.send(bytes, to: descriptor)
        guard accountFor(&sent) else { return true }
        guard sent < bytes.count else { return false }
        enqueue { $0.append(ArraySlice(UnsafeRawBufferPointer(rebasing: bytes[sent...]))) }
        soon(.queued)
        return true
    }

    var mayWrite: Bool {
        (state == .open || state == .connecting || state == .securing) && !endsAfterFlush && !isBroken
    }

    /// Turns a write's result into bytes taken. False when the stream broke.
    private func accountFor(_ sent: inout Int) -> Bool {
        guard sent < 0 else {
            taken &+= Int64(sent)
            return true
        }
        sent = 0
        guard errno != EAGAIN else { return true }
        failSoon(SocketError(.write, errno))
        return false
    }

    private func enqueue(_ append: (inout WriteQueue) -> Void) {
        guard !isBroken else { return }
        append(&queue)
        if isOverHighWatermark { wasOverHighWatermark = true }
        if isUp { watchWriting() }
    }

    func watchWriting() {
        guard !watchesWriting, !isWriteEventAdded, isUp else { return }
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
        repeat {
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
        } while tls != nil && encryptWaiting()
        if isWriteEventAdded {
            writeEvent?.remove()
            isWriteEventAdded = false
        }
        toldIfDrained()
        guard state == .open, queuedByteCount == 0 else { return }
        if endsAfterFlush { endNow() }
        handler?.streamFlushed()
    }

    private func toldIfDrained() {
        guard wasOverHighWatermark, queuedByteCount <= lowWatermark else { return }
        wasOverHighWatermark = false
        handler?.streamDrained()
    }
}
