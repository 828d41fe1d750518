import Dispatch
import EventIO
import Glibc
import Locking
import LoopScheduling
import Rx
import TestSupport
import Testing

@Suite("Reading from streams, and their ends", .timeLimit(.minutes(1)))
struct StreamReadingTests {
    @Test("FIN is reported after all bytes, and writing still works")
    func finAfterData() async throws {
        try await withLoop { loop in
            try await withAccepted(loop: loop) { driven, peer in
                peer.send(utf8("last words"))
                peer.endWriting()
                let (bytes, event) = try await driven.nextAfterBytes()
                #expect(bytes == utf8("last words"))
                #expect(event == .reachedEnd)
                try await driven.on { $0.write(utf8("answer")[...]) }
                #expect(try peer.receive(exactly: 6) == utf8("answer"))
                peer.close()
            }
        }
    }

    @Test("FIN with unread bytes is reported at once while paused, and the bytes arrive after resuming")
    func finWithUnreadData() async throws {
        try await withLoop { loop in
            try await withAccepted(loop: loop) { driven, peer in
                try await driven.on { $0.pauseReading() }
                peer.send(utf8("unread"))
                peer.endWriting()
                #expect(try await driven.next() == .peerLeft)
                #expect(try await driven.eventsUntilNow() == [])
                try await driven.on { $0.resumeReading() }
                let (bytes, event) = try await driven.nextAfterBytes()
                #expect(bytes == utf8("unread"))
                #expect(event == .reachedEnd)
                peer.close()
            }
        }
    }

    @Test("RST is no orderly end, even if a write has taken its error")
    func resetSeenByWrite() async throws {
        try await withLoop { loop in
            try await withAccepted(loop: loop) { driven, peer in
                // Within one turn of the loop, so that the write is the first to see it.
                try await driven.on { stream in
                    peer.send(utf8("half"))
                    peer.reset()
                    stream.write([UInt8](repeating: 0, count: 64 << 10)[...])
                }
                let (bytes, event) = try await driven.nextAfterBytes()
                #expect(bytes == utf8("half"))
                guard case .failed(let error) = event else {
                    Issue.record("\(event) was reported")
                    return
                }
                #expect(error.isReset)
                #expect(error.operation == .write)
            }
        }
    }

    @Test("RST fails the stream and does not spin the loop")
    func reset() async throws {
        try await withLoop { loop in
            try await withAccepted(loop: loop) { driven, peer in
                peer.reset()
                guard case .failed(let error) = try await driven.next() else {
                    Issue.record("no failure was reported")
                    return
                }
                #expect(error.isReset)
                #expect(error.operation == .read)
                #expect(try await driven.on { !$0.isOpen })
                let wakes = try await loop.perform { loop.wakeCount }
                await pass(.milliseconds(50))
                #expect(try await loop.perform { loop.wakeCount } - wakes <= 2)
            }
        }
    }

    @Test("RST is reported at once while paused, even behind unread bytes")
    func resetWhilePaused() async throws {
        try await withLoop { loop in
            try await withAccepted(loop: loop) { driven, peer in
                try await driven.on { $0.pauseReading() }
                peer.send(utf8("never read"))
                peer.reset()
                guard case .failed(let error) = try await driven.next() else {
                    Issue.record("no failure was reported")
                    return
                }
                #expect(error.code == ECONNRESET)
            }
        }
    }

    @Test("An RST that arrives together with bytes is reported after them, within 100 ms", arguments: 1...10)
    func resetBehindData(_: Int) async throws {
        try await withLoop { loop in
            let order = LockBox(Lock<[String]>([]))
            let passed = Signal()
            try await withAccepted(
                loop: loop,
                onEvent: { _, event in
                    guard case .received = event else {
                        order.lock.withLock { $0.append("end") }
                        return
                    }
                    order.lock.withLock { $0.append("data") }
                    // The timer runs on the loop too, so that a busy machine delays both.
                    _ = loop.scheduleRelative((), dueTime: .milliseconds(100)) { _ in
                        order.lock.withLock { $0.append("100 ms") }
                        passed.fire()
                        return Disposables.create()
                    }
                },
                { driven, peer in
                    // Keep the loop busy while both arrive, so that it sees one edge.
                    loop.execute {
                        peer.send(utf8("request"))
                        peer.reset()
                    }
                    let (bytes, event) = try await driven.nextAfterBytes()
                    #expect(bytes == utf8("request"))
                    guard case .failed(let error) = event else {
                        Issue.record("no failure was reported")
                        return
                    }
                    #expect(error.code == ECONNRESET)
                    try await passed.wait()
                    #expect(order.lock.withLock { $0 } == ["data", "end", "100 ms"])
                })
        }
    }

    @Test("RST after FIN fails a stream that is still open for writing")
    func resetAfterFin() async throws {
        try await withLoop { loop in
            try await withAccepted(loop: loop) { driven, peer in
                peer.endWriting()
                #expect(try await driven.next() == .reachedEnd)
                peer.reset()
                guard case .failed(let error) = try await driven.next() else {
                    Issue.record("no failure was reported")
                    return
                }
                #expect(error.isReset)
            }
        }
    }

    @Test("A paused stream delivers nothing, and resuming reads waiting bytes without a new edge")
    func pauseAndResume() async throws {
        try await withLoop { loop in
            try await withAccepted(loop: loop) { driven, peer in
                try await driven.on { $0.pauseReading() }
                peer.send(utf8("one"))
                peer.send(utf8("two"))
                // A round trip shows that the loop had a turn.
                try await loop.perform {}
                await pass(.milliseconds(20))
                #expect(try await driven.eventsUntilNow() == [])
                try await driven.on { $0.resumeReading() }
                #expect(try await driven.bytes(6) == utf8("onetwo"))
                peer.send(utf8("three"))
                #expect(try await driven.bytes(5) == utf8("three"), "edges must work after resuming")
                peer.close()
                #expect(try await driven.next() == .reachedEnd)
            }
        }
    }

    @Test("Pausing inside the handler stops reading at once, and resuming loses nothing")
    func pauseInsideTheHandler() async throws {
        try await withLoop { loop in
            let payload = (0..<400_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            try await withAccepted(
                loop: loop,
                onEvent: { stream, event in
                    guard case .received = event else { return }
                    stream.pauseReading()
                    loop.execute { [stream = LoopBound(stream, loop: loop)] in stream.value.resumeReading() }
                },
                { driven, peer in
                    await onThread {
                        var sent = 0
                        while sent < payload.count { sent += peer.send(Array(payload[sent...])) }
                        peer.endWriting()
                    }
                    var (bytes, event) = try await driven.nextAfterBytes()
                    if event == .peerLeft {
                        // The end was reported while reading was paused midway, and the rest follows.
                        let rest = try await driven.nextAfterBytes()
                        bytes += rest.bytes
                        event = rest.event
                    }
                    let isWhole = bytes == payload
                    #expect(isWhole, "\(bytes.count) of \(payload.count) bytes")
                    #expect(event == .reachedEnd)
                    peer.close()
                })
        }
    }

    @Test("Closing inside the handler ends all callbacks and frees the stream")
    func closeInsideTheHandler() async throws {
        try await withLoop { loop in
            let (descriptor, peer) = RawSocket.pair()
            let driven = try await StreamDriver.adopting(descriptor, loop: loop) { stream, event in
                if case .received = event { stream.close() }
            }
            peer.send(utf8("x"))
            #expect(try await driven.next() == .received(utf8("x")))
            peer.send(utf8("y"))
            peer.close()
            #expect(try await driven.eventsUntilNow() == [])
            let weakStream = try await loop.perform { LoopBound(WeakBox(driven.stream), loop: loop) }
            try await driven.forget()
            // The quiet watch may retain it for one period.
            await pass(.milliseconds(60))
            #expect(try await loop.perform { weakStream.value.object == nil })
        }
    }

    @Test("An endless sender does not starve other work of the loop")
    func endlessSender() async throws {
        try await withLoop { loop in
            let (descriptor, peer) = RawSocket.pair()
            let driven = try await StreamDriver.adopting(descriptor, loop: loop)
            async let writer: Void = onThread {
                let block = [UInt8](repeating: 7, count: 1 << 20)
                for _ in 0..<32 {
                    var sent = 0
                    while sent < block.count { sent += max(1, peer.send(Array(block[sent...]))) }
                }
                peer.close()
            }
            for _ in 0..<50 { try await loop.perform {} }
            await writer
            let (bytes, event) = try await driven.nextAfterBytes()
            #expect(bytes.count == 32 << 20)
            #expect(event == .reachedEnd)
        }
    }

    @Test("A loop that ends closes its streams with an error")
    func loopEnds() async throws {
        let group = try EventLoopGroup(count: 1)
        let (descriptor, peer) = RawSocket.pair()
        let driven = try await StreamDriver.adopting(descriptor, loop: group.loops[0])
        await shutDown(group)
        guard case .failed(let error) = try await driven.next() else {
            Issue.record("no failure was reported")
            return
        }
        #expect(error.kind == .loopEnded)
        #expect(try peer.receive() == [])
        peer.close()
    }
}

final class WeakBox {
    weak var object: AnyObject?
    init(_ object: AnyObject?) { self.object = object }
}
