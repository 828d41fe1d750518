internal import EventIO

/// Output in memory that waits for a slow client.
extension InboundConnection {
    /// Updates `waitingBytes`. In response the server may end connections, including this one.
    func countWaiting() {
        let change = stream.residentByteCount &+ heldBytes &+ unreadBytes &- waitingBytes
        guard change != 0 else { return }
        waitingBytes += change
        if spoolableBytes <= server.limits.residentAnswer {
            largeSince = nil
        } else {
            largeSince = largeSince ?? now
        }
        server.waitingChanged(by: change)
    }

    /// The part of `waitingBytes` that may move to a file.
    private var spoolableBytes: Int { waitingBytes &- unreadBytes }

    /// Copies a short rest of an answer whose client has been behind for a while, because the memory that
    /// holds it may be larger: the whole answer, or the response of an upstream.
    func compactIfSmall() {
        guard isOpen, stream.bufferedByteCount <= server.limits.residentAnswer else { return }
        stream.compactQueue()
        countWaiting()
    }

    /// Moves a large answer to a file if its client has been behind for a while, or at once if memory is
    /// short. Waits for the rest that its writer holds, so that one file holds all of it.
    func spoolIfLarge() {
        countWaiting()
        guard isOpen, heldBytes == 0, let since = largeSince,
            server.isShortOfMemory || now >= since + server.stateLimits.sendCheckInterval,
            let directory = server.spoolDirectory(for: spoolableBytes),
            let place = server.fileDescriptors.take(for: client)
        else { return }
        var count = 0
        count = stream.spool(to: directory, keeping: place) { [self] error in spooled(count, error) }
        spooledBytes += count
        server.spoolBegan(count)
    }

    /// The file was written or failed, perhaps after the connection ended.
    private func spooled(_ count: Int, _ error: SocketError?) {
        server.spoolEnded(count, error)
        guard isOpen else { return }
        if error != nil { releaseSpool(atMost: count) }
        countWaiting()
    }

    func releaseSpool(atMost most: Int = .max) {
        let count = min(most, spooledBytes)
        server.spoolReleased(count)
        spooledBytes -= count
    }
}
