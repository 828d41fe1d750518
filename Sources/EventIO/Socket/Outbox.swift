import Glibc

/// The small writes of one wake, sent together at its end.
///
/// A write to a socket whose reader sleeps wakes that reader, and the waking is a good part of what the write costs the
/// writer. At the end of a wake, one after another, most writes find their reader awake. Where one event comes at a
/// time, nothing waits.
///
/// Those to connected streams go first: an upstream works on its request while the answers to clients go out.
///
/// Loop-confined. When a wake writes more than it holds, all goes out and it begins anew: no answer waits for more than
/// a few others.
final class Outbox {
    private static let capacity = 64 << 10
    private static let streamLimit = 32
    /// Sockets that one system call looks at before they are written to.
    private static let groupLimit = 4
    /// Larger writes go out at once: to copy them would cost more than it saves.
    private static let largestWrite = 8 << 10

    private let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: 64)
    private var used = 0
    // Not retained: a stream is a member of its loop, which retains it to the end of the wake in which it is closed, and
    // `sendAll` comes before that end.
    private var connected: [Unmanaged<SocketStream>] = []
    private var accepted: [Unmanaged<SocketStream>] = []

    /// The sockets of a group whose peers have to be silent.
    private var asked: [pollfd] = []

    deinit {
        bytes.deallocate()
    }

    /// Room for a write of `stream`, behind what it has here: `keep` follows. `held` is where the bytes are that the stream
    /// has here.
    ///
    /// - Returns: nil when the stream has to write by itself, after what it has here.
    func room(
        for count: Int, of stream: SocketStream, _ held: inout Range<Int>
    ) -> UnsafeMutableRawBufferPointer? {
        guard count <= Self.largestWrite else { return nil }
        if held.isEmpty {
            if used &+ count > Self.capacity || connected.count &+ accepted.count == Self.streamLimit {
                sendAll()
            }
            if stream.isAccepted {
                accepted.append(Unmanaged.passUnretained(stream))
            } else {
                connected.append(Unmanaged.passUnretained(stream))
            }
            held = used..<used
        } else if held.upperBound != used || used &+ count > Self.capacity {
            return nil
        }
        return UnsafeMutableRawBufferPointer(rebasing: bytes[used..<used &+ count])
    }

    /// The first `count` bytes of the room that was given last are a write.
    func keep(_ count: Int, _ held: inout Range<Int>) {
        used &+= count
        held = held.lowerBound..<used
    }

    /// The bytes that a stream has here.
    func bytes(at range: Range<Int>) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes[range])
    }

    func sendAll() {
        guard used > 0 else { return }
        sendConnected()
        send(&accepted)
        used = 0
    }

    /// Sends in groups, so that little time lies between the look at a socket and its write.
    private func sendConnected() {
        var start = 0
        while start < connected.count {
            let end = min(start &+ Self.groupLimit, connected.count)
            askForSilence(start..<end)
            for index in start..<end { connected[index]._withUnsafeGuaranteedRef { _ = $0.sendHeld() } }
            start = end
        }
        connected.removeAll(keepingCapacity: true)
    }

    /// Looks at the sockets whose first write waits for their peers' silence: one system call for all of a group. A stream
    /// that is not silent looks once more, by itself, as it sends.
    private func askForSilence(_ group: Range<Int>) {
        asked.removeAll(keepingCapacity: true)
        for index in group {
            connected[index]._withUnsafeGuaranteedRef {
                guard $0.mayBeSilent else { return }
                asked.append(pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0))
            }
        }
        guard !asked.isEmpty, poll(&asked, nfds_t(asked.count), 0) >= 0 else { return }
        var next = 0
        for index in group {
            connected[index]._withUnsafeGuaranteedRef {
                guard $0.mayBeSilent else { return }
                if asked[next].revents == 0 { $0.needsSilence = false }
                next &+= 1
            }
        }
    }

    private func send(_ streams: inout [Unmanaged<SocketStream>]) {
        for stream in streams { stream._withUnsafeGuaranteedRef { _ = $0.sendHeld() } }
        streams.removeAll(keepingCapacity: true)
    }
}
