import Glibc
import Locking
import TestSupport
import Testing

@testable import EventIO

@Suite("Out of descriptors", .timeLimit(.minutes(1)))
struct ExhaustionTests {
    @Test(
        "A listener that runs out of descriptors sheds a connection, serves the open ones, does not spin, and recovers"
    )
    func outOfDescriptors() async {
        // Runs in its own process, because the limit applies to the whole process.
        await #expect(processExitsWith: .success) {
            try await ExhaustionTests.runOutOfDescriptors()
        }
    }

    @Test("Writing a file beyond RLIMIT_FSIZE fails, and the process goes on")
    func fileTooLarge() async {
        await #expect(processExitsWith: .success) {
            try await ExhaustionTests.runOutOfFileSize()
        }
    }

    @Test("Connections leave enough descriptors for Dispatch")
    func dispatchGoesOn() async {
        await #expect(processExitsWith: .success) {
            try await ExhaustionTests.runWithBusyThreadPool()
        }
    }

    /// Connects peers, then lowers the descriptor limit so that a listener can accept only two of them.
    ///
    /// - Returns: the peers, and the limit.
    private static func takeDescriptors(of listener: Listener) async throws -> ([RawSocket], DescriptorLimit)
    {
        // 60 peers keep the limit above 64. Below 64, fewer than `Descriptor.spare` descriptors are kept.
        var peers: [RawSocket] = []
        for _ in 0..<60 { peers.append(try RawSocket(connectedTo: listener.address)) }
        // Dispatch opens descriptors of its own for its first timer.
        await pass(.milliseconds(1))
        return (peers, DescriptorLimit(leaving: 2, and: Int(Descriptor.spare)))
    }

    private static func runOutOfFileSize() async throws {
        // Unblock the signal, as in a program's main thread. Test threads block it, and new threads inherit
        // that.
        signal(SIGXFSZ, SIG_DFL)
        var blocked = sigset_t()
        sigaddset(&blocked, SIGXFSZ)
        pthread_sigmask(SIG_UNBLOCK, &blocked, nil)
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
        limit.rlim_cur = 100_000
        precondition(setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
        let group = try EventLoopGroup(count: 1)
        let loop = group.loops[0]
        let folder = ScratchFolder()
        let failure = Lock<SocketError?>(nil)
        let failed = Signal()
        let sink = try await loop.perform {
            let sink = FileSink(path: folder.file("large"), on: loop)
            sink.failed = { error in
                failure.withLock { $0 = error }
                failed.fire()
            }
            [UInt8](repeating: 1, count: 200_000).withUnsafeBytes { _ = sink.write($0) }
            return LoopBound(sink, loop: loop)
        }
        try await failed.wait()
        precondition(failure.withLock { $0?.code } == EFBIG, "the write must fail with EFBIG")
        withExtendedLifetime(sink) {}
        await shutDown(group)
    }

    private static func runWithBusyThreadPool() async throws {
        let group = try EventLoopGroup(count: 1)
        let loop = group.loops[0]
        let listener = try Listener(bind: .loopback())
        let (peers, _) = try await takeDescriptors(of: listener)
        try await loop.perform {
            listener.start(loop: loop) { stream in stream.start(handler: Echo(stream)) }
        }
        let end = try peers[2].receive()
        precondition(end.isEmpty, "the shed connection must end")
        // Dispatch checks its threads once a second if more work waits than they can do, so keep them busy
        // for longer.
        let tasks = (0..<4 * ProcessLimits.usableCores()).map { _ in
            Task.detached {
                while !Task.isCancelled { await Task.yield() }
            }
        }
        await pass(.milliseconds(1_300))
        for task in tasks { task.cancel() }
        peers[0].send(utf8("in"))
        let echo = try peers[0].receive(exactly: 2)
        precondition(echo == utf8("in"), "an open connection must be served")
        await shutDown(group)
    }

    private static func runOutOfDescriptors() async throws {
        let group = try EventLoopGroup(count: 1)
        let loop = group.loops[0]
        let listener = try Listener(bind: .loopback())
        let reports = LockBox(Lock<[Int]>([]))
        // All peers connect before descriptors run out.
        let (peers, limit) = try await takeDescriptors(of: listener)

        try await loop.perform {
            listener.onExhausted = { error, shed in
                precondition(error.code == EMFILE, "\(error)")
                reports.lock.withLock { $0.append(shed) }
            }
            listener.start(loop: loop) { stream in stream.start(handler: Echo(stream)) }
        }
        // Two are served, and stay served while the rest waits.
        for peer in peers[..<2] {
            peer.send(utf8("in"))
            let echo = try peer.receive(exactly: 2)
            precondition(echo == utf8("in"), "an accepted connection must be served")
        }
        // The third was accepted and closed.
        let end = try peers[2].receive()
        precondition(end.isEmpty, "the shed connection must end")
        let (start, wakes) = try await loop.perform { (MonotonicTime.clock(), loop.wakeCount) }
        await pass(.milliseconds(350))
        let woken = try await loop.perform { loop.wakeCount } - wakes
        let elapsed = (MonotonicTime.clock() - start).nanoseconds / 1_000_000
        precondition(woken < 10 + elapsed / 25, "woke \(woken) times in \(elapsed) ms")
        let told = reports.lock.withLock { $0 }
        precondition(told.count >= 1 && told.count <= 2 + elapsed / 1_000, "reports: \(told)")
        precondition(told[0] == 1, "the first report must say that one was shed")

        // With descriptors available again, the last peer, which still waits, is served.
        limit.restore()
        peers[59].send(utf8("back"))
        let echo = try peers[59].receive(exactly: 4)
        precondition(echo == utf8("back"), "the listener must accept again")
        await shutDown(group)
    }
}
