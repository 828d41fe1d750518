import Glibc

extension SocketStream {
    // MARK: Writing

    /// Encrypts bytes as far as the socket takes them; the rest waits unencrypted.
    func writeSecured(_ bytes: UnsafeRawBufferPointer, _ tls: TLSEngine) {
        var rest = bytes
        if state == .open, tls.waiting.isEmpty {
            while !rest.isEmpty, queue.isEmpty, !isBroken {
                let count = min(rest.count, TLSEngine.recordLimit)
                guard encrypt(UnsafeRawBufferPointer(rebasing: rest[..<count]), tls) else { return }
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            }
        }
        guard !rest.isEmpty, !isBroken else { return }
        tls.waiting.append(ArraySlice(rest))
        if isOverHighWatermark { wasOverHighWatermark = true }
    }

    /// Writes a slice, which waits without being copied.
    func writeSecured(_ slice: ArraySlice<UInt8>, _ tls: TLSEngine) {
        if state == .open, tls.waiting.isEmpty, slice.count <= TLSEngine.recordLimit {
            return slice.withUnsafeBytes { writeSecured($0, tls) }
        }
        writeSecured([slice], tls)
    }

    /// Writes slices, which share records.
    func writeSecured(_ slices: [ArraySlice<UInt8>], _ tls: TLSEngine) {
        tls.waiting.append(slices, skipping: 0)
        if isOverHighWatermark { wasOverHighWatermark = true }
        if state == .open, queue.isEmpty { encryptWaiting() }
    }

    /// Encrypts waiting bytes until the socket is full. Returns whether bytes are queued for the socket.
    @discardableResult
    func encryptWaiting() -> Bool {
        guard let tls, state == .open else { return false }
        while queue.isEmpty, !tls.waiting.isEmpty, !isBroken {
            let front = tls.waiting.withFront(atMost: TLSEngine.recordLimit) { bytes in
                (count: bytes.count, isEncrypted: encrypt(bytes, tls))
            }
            guard let (count, isEncrypted) = front ?? encryptCopy(tls) else { return false }
            tls.waiting.consume(count)
            tls.takenOfWaiting &+= Int64(count)
            guard isEncrypted else { return false }
        }
        return !queue.isEmpty && !isBroken
    }

    /// Encrypts a record's worth of what waits: of a file, or of several slices. Returns nil if the file
    /// cannot be read.
    private func encryptCopy(_ tls: TLSEngine) -> (count: Int, isEncrypted: Bool)? {
        withUnsafeTemporaryAllocation(byteCount: TLSEngine.recordLimit, alignment: 16) { room in
            let count = tls.waiting.copyFront(to: room)
            guard count > 0 else {
                failLater(SocketError(.write, errno))
                return nil
            }
            return (count, encrypt(UnsafeRawBufferPointer(rebasing: room[..<count]), tls))
        }
    }

    /// Encrypts a small message that `fill` writes.
    func writeInPlaceSecured(
        atMost most: Int, _ tls: TLSEngine, _ fill: (UnsafeMutableRawBufferPointer) -> Int
    ) -> Bool {
        guard tls.waiting.isEmpty, most <= Outbox.largestWrite else { return false }
        withUnsafeTemporaryAllocation(byteCount: most, alignment: 16) { room in
            let count = fill(room)
            precondition(count <= most, "the closure wrote more than its room")
            guard count > 0 else { return }
            _ = encrypt(UnsafeRawBufferPointer(rebasing: room[..<count]), tls)
        }
        return true
    }

    private func encrypt(_ bytes: UnsafeRawBufferPointer, _ tls: TLSEngine) -> Bool {
        do throws(TLSError) {
            try tls.encrypt(bytes)
            return true
        } catch {
            failLater(SocketError(error, .write))
            return false
        }
    }

    // MARK: Ending

    /// Sends close_notify before this side ends. Returns whether it was sent. If it is queued, `flush` tries
    /// again.
    func sendCloseNotify(_ tls: TLSEngine) -> Bool {
        tls.sendCloseNotify()
        return !sendHeld() && queue.isEmpty
    }

    /// Sends close_notify before the stream closes, unless other output is still unsent.
    func endTLS(_ tls: TLSEngine) {
        tls.stopWaiting()
        if state == .open, !isBroken, queuedByteCount == 0 { tls.sendCloseNotify() }
    }
}
