import EventIO
import Glibc
import Locking
import Testing

@Suite("Out of descriptors", .timeLimit(.minutes(1)))
struct ExhaustionTests {
    @Test("Nobody spins, one who waits is told, those who are served go on, and all recovers by itself")
    func outOfDescriptors() async {
        // In a process of its own: the limit holds for all of it.
        await #expect(processExitsWith: .success) {
            try await ExhaustionTests.runOutOfDescriptors()
        }
    }

    private static func runOutOfDescriptors() async throws {
        let group = try EventLoopGroup(count: 1)
        let loop = group.loops[0]
        let listener = try Listener(bind: .loopback())
        let reports = LockBox(Lock<[Int]>([]))
        // Everybody who will wait is connected before descriptors run out.
        var peers: [RawSocket] = []
        for _ in 0..<40 { peers.append(try RawSocket(connectedTo: listener.address)) }
        // Dispatch opens descriptors of its own for its first timer.
        await pass(.milliseconds(1))
        // One descriptor for the reserve, two for connections, and no more. Not the next three numbers: what the process
        // inherited may leave gaps.
        let free = [dup(2), dup(2), dup(2)]
        for descriptor in free { close(descriptor) }
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        let before = limit
        limit.rlim_cur = rlim_t(free[2]) + 1
        precondition(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)

        try await loop.perform {
            listener.onExhausted = { error, shed in
                precondition(error.code == EMFILE, "\(error)")
                reports.lock.withLock { $0.append(shed) }
            }
            listener.start(loop: loop) { stream in stream.start(handler: Echo(stream)) }
        }
        // Two are served, and are served on while the rest waits.
        for peer in peers[..<2] {
            peer.send(utf8("in"))
            let echo = try peer.receive(exactly: 2)
            precondition(echo == utf8("in"), "an accepted connection is served")
        }
        // The third was taken with the reserve and closed: an end, not a silence.
        let end = try peers[2].receive()
        precondition(end.isEmpty, "the shed connection sees its end")
        let (start, wakes) = try await loop.perform { (MonotonicTime.clock(), loop.wakeCount) }
        await pass(.milliseconds(350))
        let woken = try await loop.perform { loop.wakeCount } - wakes
        let elapsed = (MonotonicTime.clock() - start).nanoseconds / 1_000_000
        precondition(woken < 10 + elapsed / 25, "woke \(woken) times in \(elapsed) ms")
        let told = reports.lock.withLock { $0 }
        precondition(told.count >= 1 && told.count <= 2 + elapsed / 1_000, "reports: \(told)")
        precondition(told[0] == 1, "it says how many were shed")

        // Descriptors are there again: the last one, who is still waiting, is served.
        limit.rlim_cur = before.rlim_cur
        precondition(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
        peers[39].send(utf8("back"))
        let echo = try peers[39].receive(exactly: 4)
        precondition(echo == utf8("back"), "recovers by itself")
        await shutDown(group)
    }
}
