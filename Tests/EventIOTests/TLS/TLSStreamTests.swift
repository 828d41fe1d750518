import EventIO
import TestSupport
import Testing

@Suite("Streams over TLS", .timeLimit(.minutes(1)))
struct TLSStreamTests {
    @Test("Bytes go both ways, including those written while connecting")
    func bothWays() async throws {
        try await withServer(.init(), .read(11), .send("hello"), .close) { server, loop in
            let driven = try await StreamDriver.securing(server, loop: loop) { stream in
                stream.write(utf8("early ")[...])
                stream.write([utf8("bi")[...], utf8("rd.")[...]])
            }
            #expect(try await driven.next() == .connected)
            #expect(try await driven.next() == .flushed)
            let (bytes, event) = try await driven.nextAfterBytes()
            #expect(bytes == utf8("hello"))
            #expect(event == .reachedEnd, "close_notify is an orderly end")
            #expect(server.requests == ["early bird."])
            #expect(server.handshakes.map(\.version) == ["TLSv1.3"])
            #expect(try await driven.on { $0.peerHasLeft })
            try await driven.on { $0.close() }
        }
    }

    @Test("An end without close_notify is reported as truncation, after the bytes before it")
    func truncation() async throws {
        try await withServer(.init(), .send("half"), .cut) { server, loop in
            let driven = try await StreamDriver.securing(server, loop: loop)
            #expect(try await driven.next() == .connected)
            let (bytes, event) = try await driven.nextAfterBytes()
            #expect(bytes == utf8("half"))
            guard case .failed(let error) = event else {
                Issue.record("\(String(describing: event))")
                return
            }
            #expect(error.tls?.kind == .truncated)
            #expect(
                error.description
                    == "read 127.0.0.1:\(server.port): TLS truncated: the connection ended without close_notify"
            )
        }
    }

    @Test("Closing sends close_notify")
    func goodbye() async throws {
        let ended = Signal()
        // The signal fires only for a close_notify, not for a cut.
        try await withServer(.init(), .awaitGoodbye(ended)) { server, loop in
            let driven = try await StreamDriver.securing(server, loop: loop)
            #expect(try await driven.next() == .connected)
            try await driven.on { $0.close() }
            try await ended.wait()
        }
    }

    @Test("The client may end its side first and go on reading")
    func halfClose() async throws {
        let ended = Signal()
        try await withServer(.init(), .awaitGoodbye(ended), .send("still here"), .close) { server, loop in
            let driven = try await StreamDriver.securing(server, loop: loop)
            #expect(try await driven.next() == .connected)
            try await driven.on { $0.shutdownWrite() }
            let (bytes, event) = try await driven.nextAfterBytes()
            #expect(bytes == utf8("still here") && event == .reachedEnd)
            try await driven.on { $0.close() }
        }
    }

    @Test("A reset by the server is an error, and a reset by the client ends the connection")
    func reset() async throws {
        try await withServer(.init(), .send("half"), .reset) { server, loop in
            let driven = try await StreamDriver.securing(server, loop: loop)
            #expect(try await driven.next() == .connected)
            let (_, event) = try await driven.nextAfterBytes()
            guard case .failed(let error) = event else {
                Issue.record("\(String(describing: event))")
                return
            }
            #expect(error.isReset && error.tls == nil, "\(error)")
        }
        try await withServer(.init(), .awaitEnd) { server, loop in
            let driven = try await StreamDriver.securing(server, loop: loop)
            #expect(try await driven.next() == .connected)
            try await driven.on { $0.reset() }
            try await server.clientEnded.wait()
        }
    }

    @Test("Megabytes arrive complete and in order in both directions, and drains are reported")
    func megabytes() async throws {
        // Much more than the few megabytes that the kernel buffers.
        let count = 24 << 20
        let go = Signal()
        try await withServer(
            .init(), .wait(go), .readSame(testBytes(count)), .sendBytes(testBytes(count)), .close
        ) {
            server, loop in
            let driven = try await StreamDriver.securing(server, loop: loop)
            #expect(try await driven.next() == .connected)
            try await driven.on { stream in
                for start in stride(from: 0, to: count, by: 100_003) {
                    stream.write(testBytes(min(100_003, count - start), from: start)[...])
                }
                #expect(stream.isOverHighWatermark)
                #expect(stream.queuedByteCount > count / 2, "bytes that wait to be encrypted are counted")
            }
            go.fire()
            var event = try await driven.next()
            // The kernel may have taken all that was encrypted by the end of the wake, or not.
            if event == .queued { event = try await driven.next() }
            #expect(event == .drained)
            #expect(try await driven.next() == .flushed)
            #expect(try await driven.on { $0.queuedByteCount } == 0)
            let (bytes, end) = try await driven.nextAfterBytes()
            // An expectation would print the difference of the arrays, which takes minutes.
            let isWhole = bytes == testBytes(count)
            #expect(isWhole)
            #expect(end == .reachedEnd)
            try await driven.on { $0.close() }
        }
    }

    @Test("A paused stream delivers nothing, and loses nothing when it resumes")
    func pausing() async throws {
        let count = 1 << 20
        try await withServer(.init(), .sendBytes(testBytes(count)), .close) { server, loop in
            let driven = try await StreamDriver.securing(server, loop: loop) { stream in stream.pauseReading()
            }
            #expect(try await driven.next() == .connected)
            #expect(try await driven.eventsUntilNow().allSatisfy { $0 == .peerLeft })
            var bytes: [UInt8] = []
            var hasEnded = false
            while bytes.count < count {
                try await driven.on { $0.resumeReading() }
                // The peer's end may be reported before its bytes.
                while true {
                    guard case .received(let some) = try await driven.next() else { continue }
                    bytes += some
                    break
                }
                try await driven.on { $0.pauseReading() }
                for event in try await driven.eventsUntilNow() {
                    if case .received(let more) = event { bytes += more }
                    if event == .reachedEnd { hasEnded = true }
                }
            }
            #expect(bytes == testBytes(count))
            try await driven.on { $0.resumeReading() }
            while !hasEnded { hasEnded = try await driven.next() == .reachedEnd }
            try await driven.on { $0.close() }
        }
    }

    @Test("A handler that pauses at every piece receives each byte once")
    func pausingInside() async throws {
        let count = 300_000
        try await withServer(.init(), .sendBytes(testBytes(count)), .close) { server, loop in
            let context = try TLSContext(.trusting())
            let port = Int(server.port)
            let (handler, ended) = (Pausing.Box(), Signal())
            try await loop.perform {
                let stream = SocketStream.connect(to: .loopback(port: port), loop: loop, timeout: patience)
                stream.startTLS(context, host: "localhost", deadline: loop.now + patience)
                handler.value = Pausing(stream, ended)
                stream.handler = handler.value
            }
            try await ended.wait()
            #expect(try await loop.perform { handler.value?.bytes } == testBytes(count))
        }
    }

    @Test("isSilent ignores session tickets, and is false once a byte or the end arrives")
    func silence() async throws {
        let go = Signal()
        try await withServer(.init(), .wait(go), .send("x"), .awaitEnd) { server, loop in
            let driven = try await StreamDriver.securing(server, loop: loop)
            #expect(try await driven.next() == .connected)
            #expect(try await driven.on { $0.isSilent })
            // Keep the loop from reading, so that the byte waits in the kernel.
            let wasSilent = try await driven.on { stream in
                go.fire()
                try spin(while: stream.isSilent) { "no byte has arrived" }
                return stream.isSilent
            }
            #expect(!wasSilent)
            #expect(try await driven.bytes(1) == utf8("x"))
            #expect(try await driven.on { $0.isSilent })
            try await driven.on { $0.close() }
        }
        try await withServer(.init(), .close) { server, loop in
            let driven = try await StreamDriver.securing(server, loop: loop)
            #expect(try await driven.next() == .connected)
            #expect(try await driven.next() == .reachedEnd)
            #expect(try await driven.on { !$0.isSilent })
            try await driven.on { $0.close() }
        }
    }

    @Test("An open stream can start TLS, as in a tunnel, after plain bytes in both directions")
    func tunnel() async throws {
        let server = try ScriptedUpstream(
            tls: TLSServer(), isSecure: false,
            [.read(5), .send("plain"), .secure, .read(6), .send("secret"), .close])
        try await withLoop { loop in
            let context = try TLSContext(.trusting())
            let port = Int(server.port)
            let driven = try await StreamDriver.connecting(loop: loop) {
                SocketStream.connect(to: .loopback(port: port), loop: loop, timeout: patience, handler: $0)
            }
            #expect(try await driven.next() == .connected)
            try await driven.on { $0.write(utf8("hello")[...]) }
            #expect(try await driven.bytes(5) == utf8("plain"))
            try await driven.on { stream in
                stream.startTLS(context, host: "localhost", deadline: loop.now + patience)
                #expect(!stream.isOpen)
                stream.write(utf8("secret")[...])
            }
            #expect(try await driven.next() == .connected)
            #expect(try await driven.next() == .flushed)
            let (bytes, event) = try await driven.nextAfterBytes()
            #expect(bytes == utf8("secret") && event == .reachedEnd)
            #expect(server.requests == ["hello", "secret"])
            try await driven.on { $0.close() }
        }
        server.stop()
    }

    @Test("Key updates that the server requests do not disturb the connection", arguments: [1, 30])
    func keyUpdates(times: Int) async throws {
        try await withServer(
            .init(), .send("before"), .updateKeys(times), .send("after"), .read(4), .close
        ) { server, loop in
            let driven = try await StreamDriver.securing(server, loop: loop)
            #expect(try await driven.next() == .connected)
            #expect(try await driven.bytes(11) == utf8("beforeafter"))
            try await driven.on { $0.write(utf8("done")[...]) }
            #expect(try await driven.next() == .reachedEnd)
            #expect(server.requests == ["done"])
            try await driven.on { $0.close() }
        }
    }
}

/// Pauses at every piece and resumes in the next turn of the loop.
private final class Pausing: StreamHandler {
    final class Box: @unchecked Sendable {
        // Used on the loop only.
        var value: Pausing?
    }

    private let stream: SocketStream
    private let ended: Signal
    var bytes: [UInt8] = []

    init(_ stream: SocketStream, _ ended: Signal) {
        self.stream = stream
        self.ended = ended
    }

    func streamConnected() { pause() }

    func streamReceived(_ piece: UnsafeRawBufferPointer) {
        bytes += piece
        pause()
    }

    private func pause() {
        stream.pauseReading()
        let (stream, loop) = (LoopBound(stream, loop: stream.loop), stream.loop)
        loop.execute { stream.value.resumeReading() }
    }

    func streamReachedEnd() { end() }
    func streamFailed(_: SocketError) { end() }

    private func end() {
        stream.close()
        ended.fire()
    }
}
