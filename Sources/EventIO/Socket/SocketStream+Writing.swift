import CLibevent
import Glibc

// Small writes are held to the end of the wake, larger ones are tried at once, and the rest is queued.
extension SocketStream {
    /// Bytes that were written and not yet taken by the socket.
    public var queuedByteCount: Int {
        guard let tls else { return queue.byteCount }
        return queue.byteCount + tls.waiting.byteCount
    }

    /// Whether the writer should wait for `streamDrained`. The stream itself refuses nothing. True once a
    /// write has failed: `streamFailed` follows, and a writer that does not wait would keep the loop from
    /// calling it.
    public var isOverHighWatermark: Bool { isBroken || queuedByteCount >= highWatermark }

    /// Whether a write has failed. What is written then is dropped, so that nothing is queued; `streamFailed`
    /// follows.
    public var hasFailed: Bool { isBroken }

    /// Writes `bytes` by the end of this wake, as far as the socket takes them. `streamQueued` reports the
    /// rest, `streamFailed` a failure; both are called later. Bytes written while connecting are sent once
    /// connected. Has no effect after `shutdownWrite` or `close`.
    public func write(_ bytes: UnsafeRawBufferPointer) {
        guard mayWrite, !bytes.isEmpty else { return }
        if let tls { return writeSecured(bytes, tls) }
        writeWire(bytes)
    }

    func writeWire(_ bytes: UnsafeRawBufferPointer) {
        guard !isBroken else { return }
        var sent = 0
        if isUp, queue.isEmpty {
            isQuiet = false
            if hold(bytes) { return }
            if !held.isEmpty, !needsSilence { return sendHeld(with: bytes) }
            if !sendHeld() {
                if needsSilence, !maySendFirst(bytes) { return }
                sent = VectoredWrite.send(bytes, to: descriptor)
                guard accountFor(&sent) else { return }
                if sent == bytes.count { return }
            }
        }
        enqueue { $0.append(copyOf: UnsafeRawBufferPointer(rebasing: bytes[sent...])) }
    }

    /// Writes a slice, of which the queue keeps a reference instead of a copy.
    public func write(_ slice: ArraySlice<UInt8>) {
        guard mayWrite, !slice.isEmpty else { return }
        if let tls { return writeSecured(slice, tls) }
        var sent = 0
        if state == .open, queue.isEmpty {
            isQuiet = false
            if slice.withUnsafeBytes({ hold($0) }) { return }
            if !sendHeld() {
                if needsSilence, !slice.withUnsafeBytes(maySendFirst) { return }
                sent = slice.withUnsafeBytes { VectoredWrite.send($0, to: descriptor) }
                guard accountFor(&sent) else { return }
                if sent == slice.count { return }
            }
        }
        enqueue { $0.append(slice, taken: sent) }
    }

    /// Writes slices in order, by one system call if the socket takes them.
    public func write(_ slices: [ArraySlice<UInt8>]) {
        guard mayWrite else { return }
        if let tls { return writeSecured(slices, tls) }
        var total = 0
        if state == .open, queue.isEmpty, !sendHeld() {
            isQuiet = false
            if needsSilence, !maySendFirst(UnsafeRawBufferPointer(start: nil, count: 0)) { return }
            var next = 0
            while next < slices.count {
                var (sent, offered, end) = VectoredWrite.send(slices, from: next, to: descriptor)
                guard accountFor(&sent) else { return }
                total += sent
                guard sent == offered else { break }
                next = end
            }
            if next == slices.count { return }
        }
        enqueue { $0.append(slices, skipping: total) }
    }

    /// Holds a small write to the end of the wake. It counts as sent until then.
    private func hold(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let room = outbox.room(for: bytes.count, of: self) else { return false }
        room.copyMemory(from: bytes)
        keep(bytes.count)
        return true
    }

    private func keep(_ count: Int) {
        outbox.keep(count, of: self)
        taken &+= Int64(count)
    }

    /// Lets `fill` write up to `most` bytes into the outbox directly, which saves a buffer and a copy. `fill`
    /// returns the number of bytes written, 0 if it failed, and must not call the stream. Returns false,
    /// without calling `fill`, if the bytes must be written the usual way. An encrypted stream encrypts them
    /// at once.
    public func writeInPlace(atMost most: Int, _ fill: (UnsafeMutableRawBufferPointer) -> Int) -> Bool {
        guard state == .open, queue.isEmpty, mayWrite else { return false }
        if let tls { return writeInPlaceSecured(atMost: most, tls, fill) }
        guard let room = outbox.room(for: most, of: self) else { return false }
        isQuiet = false
        let count = fill(room)
        precondition(count <= most, "the closure wrote more than its room")
        keep(count)
        return true
    }

    /// Sends what is held. Queues what the socket does not take, and reports that later. Returns true if
    /// bytes are queued or the stream broke, so that nothing else may be sent.
    @discardableResult
    func sendHeld() -> Bool {
        guard !held.isEmpty else { return false }
        let bytes = outbox.bytes(at: held)
        held = 0..<0
        taken &-= Int64(bytes.count)
        if needsSilence, !maySendFirst(bytes) { return true }
        var sent = VectoredWrite.send(bytes, to: descriptor)
        guard accountFor(&sent) else { return true }
        guard sent < bytes.count else { return false }
        enqueue { $0.append(ArraySlice(UnsafeRawBufferPointer(rebasing: bytes[sent...]))) }
        runLater(.queued)
        return true
    }

    /// Sends what is held, such as the head of an answer, and more bytes with one system call. Queues what
    /// the socket does not take.
    private func sendHeld(with more: UnsafeRawBufferPointer) {
        let first = outbox.bytes(at: held)
        held = 0..<0
        taken &-= Int64(first.count)
        var sent = VectoredWrite.send(first, more, to: descriptor)
        guard accountFor(&sent), sent < first.count &+ more.count else { return }
        if sent < first.count {
            enqueue { $0.append(ArraySlice(UnsafeRawBufferPointer(rebasing: first[sent...]))) }
        }
        let rest = UnsafeRawBufferPointer(rebasing: more[max(0, sent &- first.count)...])
        enqueue { $0.append(copyOf: rest) }
        runLater(.queued)
    }

    var mayWrite: Bool {
        (state == .open || state == .connecting || state == .securing) && !endsAfterFlush && !isBroken
    }

    /// Counts the bytes a write took. Returns false when the stream broke.
    private func accountFor(_ sent: inout Int) -> Bool {
        guard sent < 0 else {
            taken &+= Int64(sent)
            return true
        }
        sent = 0
        guard errno != EAGAIN else { return true }
        failLater(SocketError(.write, errno))
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
            // Edge-triggered like the read event: libevent refuses to mix both kinds on a descriptor.
            writeEvent = EventHandle(
                loop.base, descriptor, EV_WRITE | EV_ET | EV_PERSIST, streamIsReady, context)
        }
        isWriteEventAdded = true
        if writeEvent?.add() != true { failLater(SocketError(.register, errno)) }
    }

    /// Writes the queue until the socket is full. Called from the loop only.
    func flush() {
        var hasProgressed = false
        repeat {
            while !queue.isEmpty {
                var sent = queue.send(to: descriptor)
                guard accountFor(&sent) else { return }
                queue.consume(sent)
                // Only EAGAIN arms the edge again, so keep writing until it comes.
                if sent == 0 {
                    watchWriting()
                    reportIfDrained()
                    if hasProgressed { handler?.streamProgressed() }
                    return
                }
                hasProgressed = true
            }
            // Small records are held, even in a flush.
        } while tls != nil && (encryptWaiting() || sendHeld())
        if isWriteEventAdded {
            writeEvent?.remove()
            isWriteEventAdded = false
        }
        reportIfDrained()
        guard state == .open, queuedByteCount == 0 else { return }
        if endsAfterFlush { endNow() }
        handler?.streamFlushed()
    }

    private func reportIfDrained() {
        guard wasOverHighWatermark, queuedByteCount <= lowWatermark else { return }
        wasOverHighWatermark = false
        handler?.streamDrained()
    }
}
