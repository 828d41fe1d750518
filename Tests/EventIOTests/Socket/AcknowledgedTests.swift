import Glibc
import Locking
import TestSupport
import Testing

@testable import EventIO

@Suite("Acknowledged output", .timeLimit(.minutes(1)))
struct AcknowledgedTests {
    /// The progress of a stream's output.
    private struct Extent: Equatable, Sendable {
        var sent: Int64
        var taken: Int64
        var acknowledged: Int64

        init(_ stream: SocketStream) {
            sent = stream.bytesSent
            taken = stream.bytesTaken
            acknowledged = stream.bytesAcknowledged
        }
    }

    /// Runs `body` with an accepted stream and a peer with a small receive buffer.
    private func withReader(
        _ body: (LoopBound<SocketStream>, RawSocket, FailureLog) async throws -> Void
    ) async throws {
        try await withLoop { loop in
            let listener = try Listener(bind: .loopback())
            let streams = Inbox<LoopBound<SocketStream>>()
            let log = FailureLog()
            try await loop.perform {
                listener.start(loop: loop) { stream in
                    stream.start(handler: Noting(stream, log))
                    streams.put(LoopBound(stream, loop: loop))
                }
            }
            let peer = try RawSocket(connectedTo: listener.address)
            peer.fixReceiveBuffer(4096)
            try await body(try await streams.next(), peer, log)
            try await loop.perform { listener.close() }
        }
    }

    private final class FailureLog: Sendable {
        let failed = Lock<Extent?>(nil)
    }

    private final class Noting: StreamHandler {
        let stream: SocketStream
        let log: FailureLog

        init(_ stream: SocketStream, _ log: FailureLog) {
            self.stream = stream
            self.log = log
        }

        func streamReceived(_ bytes: UnsafeRawBufferPointer) {}
        func streamReachedEnd() {}
        func streamFailed(_ error: SocketError) {
            let extent = Extent(stream)
            log.failed.withLock { $0 = extent }
        }
    }

    private func extent(_ stream: LoopBound<SocketStream>) async throws -> Extent {
        try await stream.loop.perform { Extent(stream.value) }
    }

    @Test("bytesAcknowledged keeps its value after a failure")
    func afterAFailure() async throws {
        try await withReader { stream, peer, log in
            try await stream.loop.perform { stream.value.write([UInt8](repeating: 1, count: 1 << 20)[...]) }
            _ = try peer.receive(exactly: 10_000)
            peer.reset()
            try await poll(while: log.failed.withLock { $0 == nil }) {
                "no failure; \(try await extent(stream))"
            }
            let failed = try #require(log.failed.withLock { $0 })
            #expect(failed.acknowledged >= 10_000)
            #expect(failed.acknowledged < failed.taken)
        }
    }

    @Test("Accepted sockets inherit the listener's limit for unsent bytes")
    func unsentLimit() async throws {
        try await withReader { stream, _, _ in
            let option = try await stream.loop.perform {
                RawSocket(stream.value.descriptor).option(TCP_NOTSENT_LOWAT, level: Int32(IPPROTO_TCP))
            }
            #expect(option == 256 * 1024)
            try await stream.loop.perform { stream.value.write([UInt8](repeating: 1, count: 8 << 20)[...]) }
            #expect(try await extent(stream).taken < 1 << 20)
        }
    }

    @Test("bytesAcknowledged grows long before the socket becomes writable again")
    func progress() async throws {
        try await withReader { stream, peer, _ in
            try await stream.loop.perform { stream.value.write([UInt8](repeating: 1, count: 1 << 20)[...]) }
            var before = try await extent(stream)
            // Wait until the bytes in flight have arrived.
            while true {
                let now = try await extent(stream)
                if now == before { break }
                before = now
            }
            #expect(before.taken == before.sent)
            _ = try peer.receive(exactly: Int(before.acknowledged) + 1)
            try await poll(while: try await extent(stream).acknowledged == before.acknowledged) {
                "still \(before)"
            }
            #expect(try await extent(stream).taken == before.taken)
        }
    }

    @Test("Held output is neither taken nor acknowledged until sendNow, and a reset drops it")
    func held() async throws {
        try await withReader { stream, peer, _ in
            let (held, sent) = try await stream.loop.perform {
                stream.value.write([1, 2, 3][...])
                let held = Extent(stream.value)
                stream.value.sendNow()
                return (held, Extent(stream.value))
            }
            #expect(held.sent == 3 && held.taken == 0 && held.acknowledged == 0)
            #expect(sent.sent == 3 && sent.taken == 3)
            #expect(try peer.receive(exactly: 3) == [1, 2, 3])
            try await poll(while: try await extent(stream).acknowledged < 3) {
                "\(try await extent(stream))"
            }

            // A reset drops held output.
            let thrownAway = try await stream.loop.perform {
                stream.value.write([4, 5][...])
                stream.value.reset()
                return stream.value.bytesTaken
            }
            #expect(thrownAway == 3)
        }
    }

    @Test("On a Unix socket, bytes count as acknowledged once the kernel has taken them")
    func unixSocket() async throws {
        try await withLoop { loop in
            let path = "/tmp/sluice-acknowledged-\(getpid()).sock"
            let address = try SocketAddress(unixPath: path)
            let (descriptor, peer) = RawSocket.pair()
            let extent = try await loop.perform {
                let stream = SocketStream(adopting: descriptor, remoteAddress: address, loop: loop)
                stream.start(handler: Noting(stream, FailureLog()))
                stream.write([1, 2, 3][...])
                stream.sendNow()
                defer { stream.close() }
                return Extent(stream)
            }
            #expect(extent.taken == 3 && extent.acknowledged == 3)
            peer.close()
        }
    }

    @Test("afterWrites work runs after the writes of a wake, and its own writes go out too")
    func afterWrites() async throws {
        try await withReader { stream, peer, _ in
            let follow = try await stream.loop.perform {
                let follow = Following(stream.value)
                follow.stream.write([1][...])
                stream.loop.afterWrites(follow)
                return LoopBound(follow, loop: stream.loop)
            }
            #expect(try await onThread { try peer.receive(exactly: 2) } == [1, 2])
            #expect(try await stream.loop.perform { follow.value.takenBefore } == 1)
        }
    }

    private final class Following: DeferredWork {
        let stream: SocketStream
        var takenBefore: Int64?

        init(_ stream: SocketStream) {
            self.stream = stream
        }

        func runDeferred() {
            takenBefore = stream.bytesTaken
            stream.write([2][...])
        }
    }
}
