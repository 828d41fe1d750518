import EventIO
import Glibc
import TestSupport
import Testing

@Suite("Output held until the end of a wake", .timeLimit(.minutes(1)))
struct OutboxTests {
    @Test("Bytes the socket does not take are queued and reported, and go out in order")
    func queued() async throws {
        try await withLoop { loop in
            let (descriptor, peer) = RawSocket.pair()
            var size: Int32 = 4096
            setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<Int32>.size))
            let driven = try await StreamDriver.adopting(descriptor, loop: loop)
            let pieces = (0..<7).map { [UInt8](repeating: UInt8($0), count: 8000) }
            try await driven.on { stream in
                for piece in pieces { stream.write(piece[...]) }
                #expect(stream.queuedByteCount == 0)
                #expect(stream.bytesSent == 56_000, "held bytes count as sent")
            }
            #expect(try await driven.next() == .queued)
            let (sent, queued) = try await driven.on { ($0.bytesSent, $0.queuedByteCount) }
            #expect(queued > 0)
            #expect(Int(sent) + queued == 56_000)
            // This small write must follow the queued bytes.
            try await driven.on { $0.write(utf8("last")[...]) }
            let received = try await onThread { try peer.receive(exactly: 56_004) }
            #expect(received == pieces.flatMap { $0 } + utf8("last"))
            #expect(try await driven.next() == .flushed)
            #expect(try await driven.on { $0.bytesSent } == 56_004)
            peer.close()
        }
    }

    @Test("Small writes are held to the end of the wake and sent together")
    func together() async throws {
        try await withLoop { loop in
            let (descriptor, peer) = RawSocket.pair()
            let driven = try await StreamDriver.adopting(descriptor, loop: loop)
            try await driven.on { stream in
                stream.write(utf8("one ")[...])
                utf8("two ").withUnsafeBytes { stream.write($0) }
                stream.write(utf8("three")[...])
                #expect(peer.isQuiet)
            }
            #expect(try peer.receive() == utf8("one two three"))
            peer.close()
        }
    }

    @Test("Bytes written in place go out with the others, and a failed fill adds no bytes")
    func inPlace() async throws {
        try await withLoop { loop in
            let (descriptor, peer) = RawSocket.pair()
            let driven = try await StreamDriver.adopting(descriptor, loop: loop)
            try await driven.on { stream in
                let hasFailed = stream.writeInPlace(atMost: 20) { _ in 0 }
                #expect(hasFailed && stream.bytesSent == 0)
                stream.write(utf8("one ")[...])
                let isWritten = stream.writeInPlace(atMost: 20) { room in
                    room.copyBytes(from: utf8("two "))
                    return room.count - 16
                }
                #expect(isWritten)
                stream.write(utf8("three")[...])
                #expect(stream.bytesSent == 13)
                let isTooLarge = !stream.writeInPlace(atMost: 10_000) { _ in fatalError("no such room") }
                #expect(isTooLarge)
                #expect(peer.isQuiet)
            }
            #expect(try peer.receive() == utf8("one two three"))
            try await driven.on { stream in
                stream.shutdownWrite()
                let isOver = !stream.writeInPlace(atMost: 4) { _ in fatalError("no more is written") }
                #expect(isOver)
            }
            peer.close()
        }
    }

    @Test("A large write goes out at once, after the earlier small ones")
    func largeInBetween() async throws {
        try await withLoop { loop in
            let large = [UInt8](repeating: 7, count: 20_000)
            let (descriptor, peer) = RawSocket.pair()
            let driven = try await StreamDriver.adopting(descriptor, loop: loop)
            try await driven.on { stream in
                stream.write(utf8("before")[...])
                stream.write(large[...])
                stream.write(utf8("between")[...])
                stream.write([large[...], utf8("gathered")[...]])
                stream.write(utf8("after")[...])
            }
            let all = utf8("before") + large + utf8("between") + large + utf8("gathered") + utf8("after")
            #expect(try await onThread { try peer.receive(exactly: all.count) } == all)
            peer.close()
        }
    }

    enum Ending: CaseIterable { case close, shutdownWrite }

    @Test("An end requested in the same wake is sent after the writes", arguments: Ending.allCases)
    func endsAfter(_ ending: Ending) async throws {
        try await withLoop { loop in
            let (descriptor, peer) = RawSocket.pair()
            let driven = try await StreamDriver.adopting(descriptor, loop: loop)
            try await driven.on { stream in
                stream.write(utf8("good")[...])
                stream.write(utf8("bye")[...])
                switch ending {
                case .close: stream.close()
                case .shutdownWrite: stream.shutdownWrite()
                }
                stream.write(utf8("too late")[...])
            }
            #expect(try await onThread { try peer.receiveAll() } == utf8("goodbye"))
            peer.close()
        }
    }

    @Test("A reset in the same wake drops the writes")
    func resetDrops() async throws {
        try await withLoop { loop in
            try await withAccepted(loop: loop) { driven, peer in
                try await driven.on { stream in
                    stream.write(utf8("never")[...])
                    stream.reset()
                }
                let error = #expect(throws: SocketError.self) { try peer.receive() }
                #expect(error?.code == ECONNRESET)
                peer.close()
            }
        }
    }

    @Test("Each of many streams sends its bytes to its own socket, even if they do not fit at once")
    func manyStreams() async throws {
        try await withLoop { loop in
            let pairs = (0..<100).map { _ in RawSocket.pair() }
            try await loop.perform {
                let streams = pairs.map {
                    SocketStream(adopting: $0.stream, remoteAddress: .loopback(), loop: loop)
                }
                for stream in streams { stream.start(handler: Recorder()) }
                // Write in two rounds, so that other streams' bytes lie between the bytes of most streams.
                for round in 0..<2 {
                    for (index, stream) in streams.enumerated() {
                        stream.write([UInt8](repeating: UInt8(index + 100 * round), count: 3000)[...])
                    }
                }
            }
            for (index, pair) in pairs.enumerated() {
                let received = try await onThread { try pair.peer.receive(exactly: 6000) }
                let expected =
                    [UInt8](repeating: UInt8(index), count: 3000)
                    + [UInt8](repeating: UInt8(index + 100), count: 3000)
                #expect(received == expected, "stream \(index)")
                pair.peer.close()
            }
        }
    }
}
