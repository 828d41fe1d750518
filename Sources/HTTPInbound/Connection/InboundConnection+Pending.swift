internal import HTTPModel

/// Input that was read but may not be parsed yet, behind a request whose answer is pending, or in a later
/// turn of the loop.
extension InboundConnection {
    /// Keeps more of it. Without memory for it, the request that waits is refused after the current answer,
    /// and what follows is dropped.
    func keepPending(_ bytes: UnsafeRawBufferPointer) {
        if server.bodies.reserve(bytes.count) {
            pendingBytes += bytes.count
            return pending.append(bytes)
        }
        if case .request(let head, _, let headBytes) = parsedAhead {
            var failed = RequestInProgress(receivedAt: now)
            failed.head = head
            failed.method = head.method
            failed.bytesReceived = headBytes + pending.count + bytes.count
            parsedAhead = .failure(.overloaded(.bodyMemory, head: head), failed)
        } else if awaitsTurn {
            fail(
                with: .overloaded(.bodyMemory, head: nil),
                failedRequest(unread: pending.count + bytes.count))
        }
        pending.removeAll()
    }

    /// Changes how many bytes of it the server counts.
    func countPending(_ count: Int) {
        guard count != pendingBytes else { return }
        server.bodies.add(count - pendingBytes)
        pendingBytes = count
    }
}
