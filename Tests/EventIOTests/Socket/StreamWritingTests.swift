import Glibc
import Testing

@testable import EventIO

@Suite("Writing to streams, and closing them", .timeLimit(.minutes(1)))
struct StreamWritingTests {
    @Test("Writing to a peer that has left reports one failure, from the loop, and raises no signal")
    func writeAfterPeerClosed() async throws {
        try await withLoop { loop in
            let (descriptor, peer) = RawSocket.pair()
            let driven = try await StreamDriver.adopting(descriptor, loop: loop)
            try await driven.on { stream in
                peer.shutDown()
                for _ in 0..<3 { stream.write(utf8("nobody hears")[...]) }
                #expect(stream.isOpen, "the failure must not be reported inside the call")
            }
            var failures = 0
            var ended = false
            while failures == 0 {
                switch try await driven.next() {
                case .reachedEnd: ended = true
                case .failed(let error):
                    #expect(error.isReset)
                    #expect(error.operation == .write)
                    failures += 1
                case let event: Issue.record("unexpected \(event)")
                }
            }
            #expect(ended, "the peer's end must be reported before the failure")
            #expect(try await driven.eventsUntilNow() == [])
        }
    }

    @Test("Bytes the peer sent before it broke the connection are delivered before the failure")
    func answerBeforeTheFailure() async throws {
        try await withLoop { loop in
            let (descriptor, peer) = RawSocket.pair()
            let driven = try await StreamDriver.adopting(descriptor, loop: loop)
            try await driven.on { stream in
                peer.send(utf8("413"))
                peer.shutDown()
                stream.write(utf8("a body nobody wants")[...])
            }
            let (bytes, event) = try await driven.nextAfterBytes()
            #expect(bytes == utf8("413"))
            #expect(event == .reachedEnd)
            guard case .failed(let error) = try await driven.next() else {
                Issue.record("no failure was reported")
                return
            }
            #expect(error.operation == .write)
        }
    }

    @Test("Short writes arrive in order, and are reported as drained, then flushed")
    func shortWrites() async throws {
        try await withLoop { loop in
            let payload = testBytes(8 << 20)
            try await withAccepted(loop: loop) { driven, peer in
                peer.fixReceiveBuffer(256 << 10)
                try await driven.on { stream in
                    stream.highWatermark = 1 << 20
                    stream.lowWatermark = 1 << 18
                    #expect(stream.isOverHighWatermark == false)
                    // In pieces of uneven size, more than fit in one gathered write.
                    var slices: [ArraySlice<UInt8>] = []
                    var start = 0
                    var length = 1
                    while start < payload.count {
                        let end = min(start + length, payload.count)
                        slices.append(payload[start..<end])
                        slices.append([])
                        start = end
                        length = (length * 3 + 17) % 300_000
                    }
                    stream.write(Array(slices[..<20]))
                    stream.write(Array(slices[20...]))
                    #expect(stream.isOverHighWatermark)
                    #expect(stream.queuedByteCount + Int(stream.bytesSent) == payload.count)
                }
                #expect(try await driven.eventsUntilNow() == [])
                let received = try await onThread { try peer.receive(exactly: payload.count) }
                let isWhole = received == payload
                #expect(isWhole)
                #expect(try await driven.next() == .drained)
                #expect(try await driven.next() == .flushed)
                #expect(try await driven.on { $0.bytesSent } == Int64(payload.count))
                #expect(try await driven.on { $0.queuedByteCount } == 0)
                // A second write shows that writability is watched again.
                try await driven.on { $0.write(payload[...]) }
                let hasArrived1 = try await onThread { try peer.receive(exactly: payload.count) } == payload
                #expect(hasArrived1)
                var event = try await driven.next()
                // `drained` comes first if enough bytes had to be queued.
                if event == .drained { event = try await driven.next() }
                #expect(event == .flushed)
                peer.close()
            }
        }
    }

    @Test("Short writes of raw bytes arrive in order over a Unix socket")
    func shortWritesUnix() async throws {
        try await withLoop { loop in
            let payload = testBytes(3 << 20)
            let (descriptor, peer) = RawSocket.pair()
            let driven = try await StreamDriver.adopting(descriptor, loop: loop)
            try await driven.on { stream in payload.withUnsafeBytes { stream.write($0) } }
            let hasArrived2 = try await onThread { try peer.receive(exactly: payload.count) } == payload
            #expect(hasArrived2)
            #expect(try await driven.next() == .drained)
            #expect(try await driven.next() == .flushed)
            peer.close()
        }
    }

    @Test("shutdownWrite sends the end after the queued bytes, and reading goes on")
    func shutdownAfterQueue() async throws {
        try await withLoop { loop in
            let payload = testBytes(4 << 20)
            try await withAccepted(loop: loop) { driven, peer in
                try await driven.on { stream in
                    stream.write(payload[...])
                    stream.shutdownWrite()
                    stream.write(utf8("too late")[...])
                }
                let hasArrived3 = try await onThread { try peer.receiveAll() } == payload
                #expect(hasArrived3)
                peer.send(utf8("still reading"))
                var (bytes, event): ([UInt8], StreamEvent?) = ([], nil)
                repeat {
                    (bytes, event) = try await driven.nextAfterBytes()
                } while event == .drained && bytes.isEmpty
                if bytes.isEmpty { bytes = try await driven.bytes(13) }
                #expect(bytes == utf8("still reading"))
                peer.close()
            }
        }
    }

    @Test("Resetting a stream shows the peer an error instead of an end")
    func reset() async throws {
        try await withLoop { loop in
            try await withAccepted(loop: loop) { driven, peer in
                try await driven.on { $0.reset() }
                let error = #expect(throws: SocketError.self) { try peer.receive() }
                #expect(error?.code == ECONNRESET)
                #expect(try await driven.eventsUntilNow() == [], "the owner that resets gets no callback")
                peer.close()
            }
        }
    }

    @Test("Closing a stream drops the queue, reports nothing, and may be repeated")
    func closeDropsTheQueue() async throws {
        try await withLoop { loop in
            let payload = testBytes(8 << 20)
            try await withAccepted(loop: loop) { driven, peer in
                let sent = try await driven.on { stream in
                    stream.write(payload[...])
                    stream.close()
                    stream.close()
                    stream.write(utf8("into the void")[...])
                    #expect(stream.queuedByteCount == 0)
                    return stream.bytesSent
                }
                let received = try await onThread { try peer.receiveAll() }
                #expect(received.count == Int(sent))
                #expect(try await driven.eventsUntilNow() == [])
                peer.close()
            }
        }
    }
}
