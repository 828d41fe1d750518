import Glibc

/// One relayed connection. Used by the relay's thread only.
final class LinkConnection {
    let toTarget: LinkDirection
    let toClient: LinkDirection
    private let client: Int32
    private let target: Int32

    init(client: Int32, target: Int32) {
        self.client = client
        self.target = target
        for descriptor in [client, target] {
            var one: Int32 = 1
            setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        }
        toTarget = LinkDirection(from: client, to: target)
        toClient = LinkDirection(from: target, to: client)
    }

    /// Closes the connection if both directions have ended or one has failed. Returns whether it did.
    func closeIfOver() -> Bool {
        let isBroken = toTarget.isBroken || toClient.isBroken
        guard isBroken || toTarget.isFinished && toClient.isFinished else { return false }
        if isBroken {
            // Resets what the peers still wait for.
            var linger = linger(l_onoff: 1, l_linger: 0)
            for descriptor in [client, target] {
                setsockopt(
                    descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
            }
        }
        close()
        return true
    }

    func close() {
        Glibc.close(client)
        Glibc.close(target)
    }
}

/// One direction of a relayed connection.
final class LinkDirection {
    /// The bytes of a packet on Ethernet.
    fileprivate static let packet = 1448

    fileprivate struct Packet {
        let due: Int64
        /// Empty for the end of the stream.
        var bytes: ArraySlice<UInt8>
    }

    let source: Int32
    let sink: Int32
    private var packets: [Packet] = []
    /// The packets before it have been sent.
    private var first = 0
    private var queued = 0
    private var chunk = [UInt8](repeating: 0, count: 64 << 10)
    private var count = 0
    private var hasEnded = false
    private(set) var isFinished = false
    private(set) var isBroken = false
    /// Whether the sink takes no bytes at present.
    private(set) var isBlocked = false
    private(set) var mostQueued = 0

    init(from source: Int32, to sink: Int32) {
        self.source = source
        self.sink = sink
    }

    /// Returns the bytes read since the last call.
    func takeCount() -> Int {
        defer { count = 0 }
        return count
    }

    /// When the next packet arrives; never without a packet, or while the sink is blocked.
    var nextDue: Int64 { first < packets.count && !isBlocked ? packets[first].due : .max }
}

extension LinkDirection {
    /// Whether it reads at present.
    func wantsBytes(_ limit: Int) -> Bool { !hasEnded && !isBroken && queued < limit }

    /// Reads what has come, and sends what has arrived by now.
    func move(at now: Int64, over link: inout LinkModel, limit: Int) {
        read(at: now, over: &link, limit: limit)
        send(at: now)
    }

    private func read(at now: Int64, over link: inout LinkModel, limit: Int) {
        guard wantsBytes(limit) else { return }
        let most = min(chunk.count, limit - queued)
        let got = Glibc.read(source, &chunk, most)
        if got > 0 {
            let bytes = Array(chunk[..<got])
            for start in stride(from: 0, to: got, by: Self.packet) {
                let bytes = bytes[start..<min(start + Self.packet, got)]
                packets.append(Packet(due: link.arrival(of: bytes.count, at: now), bytes: bytes))
            }
            queued += got
            count += got
            mostQueued = max(mostQueued, queued)
        } else if got == 0 {
            hasEnded = true
            packets.append(Packet(due: link.arrival(of: 0, at: now), bytes: []))
        } else {
            isBroken = errno != EAGAIN && errno != EINTR
        }
    }

    private func send(at now: Int64) {
        isBlocked = false
        while !isBroken, !isBlocked, first < packets.count, packets[first].due <= now {
            let bytes = packets[first].bytes
            if bytes.isEmpty {
                shutdown(sink, Int32(SHUT_WR))
                isFinished = true
                first += 1
                continue
            }
            let sent = bytes.withUnsafeBytes {
                Glibc.send(sink, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if sent < 0 {
                isBlocked = errno == EAGAIN || errno == EINTR
                isBroken = !isBlocked
                break
            }
            queued -= sent
            packets[first].bytes = bytes.dropFirst(sent)
            // An empty packet would end the stream.
            if sent == bytes.count { first += 1 }
        }
        if first > 64 || first == packets.count {
            packets.removeFirst(first)
            first = 0
        }
    }
}
