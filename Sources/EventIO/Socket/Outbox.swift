import Glibc

/// Collects the small writes of a wake and sends them together at its end. Used on the loop only.
///
/// Waking a sleeping reader is a large part of what a write costs. When the writes of a wake follow one
/// another, most find their reader awake. A wake with a single event delays nothing.
///
/// Connected streams go first, so that upstreams work on their requests while the answers to clients go out.
/// When a wake writes more than fits, everything is sent, so no answer waits for more than a few others.
final class Outbox {
    private static let capacity = 64 << 10
    private static let streamLimit = 32
    /// Sockets that one system call checks before they are written to.
    private static let groupLimit = 4
    /// Larger writes go out at once, since copying them would cost more than it saves.
    static let largestWrite = 8 << 10

    private let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: 64)
    private var used = 0
    // Unretained: the loop's members retain a stream to the end of its last wake, and `sendAll` runs before
    // that.
    private var connected: [Unmanaged<SocketStream>] = []
    private var accepted: [Unmanaged<SocketStream>] = []

    private var polled: [pollfd] = []

    deinit {
        bytes.deallocate()
    }

    /// Returns room for a write of `stream`, after its earlier writes. Call `keep` next. Returns nil if the
    /// stream must send its earlier writes and this one itself.
    func room(for count: Int, of stream: SocketStream) -> UnsafeMutableRawBufferPointer? {
        guard count <= Self.largestWrite else { return nil }
        if stream.held.isEmpty {
            if used &+ count > Self.capacity || connected.count &+ accepted.count == Self.streamLimit {
                sendAll()
            }
            if stream.isAccepted {
                accepted.append(Unmanaged.passUnretained(stream))
            } else {
                connected.append(Unmanaged.passUnretained(stream))
            }
            stream.held = used..<used
        } else if stream.held.upperBound != used || used &+ count > Self.capacity {
            return nil
        }
        return UnsafeMutableRawBufferPointer(rebasing: bytes[used..<used &+ count])
    }

    /// Commits the first `count` bytes of the room returned last.
    func keep(_ count: Int, of stream: SocketStream) {
        used &+= count
        stream.held = stream.held.lowerBound..<used
    }

    func bytes(at range: Range<Int>) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes[range])
    }

    func sendAll() {
        guard used > 0 else { return }
        sendConnected()
        send(&accepted)
        used = 0
    }

    /// Sends in groups, so that little time passes between the check of a socket and its write.
    private func sendConnected() {
        guard !connected.isEmpty else { return }
        var start = 0
        while start < connected.count {
            let end = min(start &+ Self.groupLimit, connected.count)
            pollForSilence(start..<end)
            for index in start..<end { connected[index]._withUnsafeGuaranteedRef { _ = $0.sendHeld() } }
            start = end
        }
        connected.clear()
    }

    /// Checks the sockets whose first write requires a silent peer, with one system call per group. A stream
    /// that fails the check repeats it when it sends.
    private func pollForSilence(_ group: Range<Int>) {
        polled.clear()
        for index in group {
            connected[index]._withUnsafeGuaranteedRef {
                guard $0.mayBeSilent else { return }
                polled.append(pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0))
            }
        }
        guard !polled.isEmpty, poll(&polled, nfds_t(polled.count), 0) >= 0 else { return }
        var next = 0
        for index in group {
            connected[index]._withUnsafeGuaranteedRef {
                guard $0.mayBeSilent else { return }
                if polled[next].revents == 0 { $0.needsSilence = false }
                next &+= 1
            }
        }
    }

    private func send(_ streams: inout [Unmanaged<SocketStream>]) {
        for stream in streams { stream._withUnsafeGuaranteedRef { _ = $0.sendHeld() } }
        streams.clear()
    }
}
