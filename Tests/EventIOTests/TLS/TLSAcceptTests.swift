import Dispatch
import Foundation
import Locking
import Testing

@testable import EventIO
@testable import TestSupport

@Suite("Streams that accept TLS", .timeLimit(.minutes(1)))
struct TLSAcceptTests {
    private static let identity = TestAuthority.shared.issue()

    @Test(
        "Bytes that are not TLS fail the handshake, and a broken record gets an alert",
        arguments: ["\u{16}\u{3}\u{1}\u{0}\u{5}hello", "\u{80}\u{1}\u{2}", "\r\n\r\n\r\n\r\n"])
    func garbage(text: String) async throws {
        try await withLoop { loop in
            try await withSecured(.serving(Self.identity), loop: loop) { driven, client in
                client.send(text + String(repeating: "x", count: 20))
                let error = try await driven.failure()
                #expect(error?.tls?.kind == .protocolError, "\(String(describing: error))")
                #expect(error?.operation == .handshake)
                // An alert is a record of type 21. Other bytes get no alert.
                let answer = client.readToEnd().bytes.first
                #expect(answer == 21 || answer == nil && text.utf8.first != 22)
            }
        }
    }

    @Test("A client that leaves in the handshake fails it", arguments: [true, false])
    func leaves(byReset: Bool) async throws {
        try await withLoop { loop in
            try await withSecured(.serving(Self.identity), loop: loop) { driven, client in
                client.send([22, 3, 1])
                if byReset { client.reset() } else { client.close() }
                let error = try await driven.failure()
                #expect(byReset ? error?.isReset == true : error?.tls?.kind == .truncated)
            }
        }
    }

    @Test("A client that has left before its ClientHello is read gets no answer to it")
    func leftBefore() async throws {
        try await withLoop { loop in
            try await withSecured(.serving(Self.identity), loop: loop) { driven, client in
                let tls = TLSClientConnection(.usual)
                _ = tls.handshake()
                let (isHeld, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
                loop.execute {
                    isHeld.signal()
                    _ = mayGoOn.wait(timeout: .now() + 30)
                }
                _ = await Task.detached { isHeld.wait(timeout: .now() + 30) }.value
                client.send(tls.takeOutput())
                client.shutdownWrite()
                mayGoOn.signal()
                let error = try await driven.failure()
                #expect(error?.tls?.kind == .truncated)
                #expect(client.readToEnd().bytes == [])
            }
        }
    }

    @Test(
        "Bytes go both ways, by TLS 1.3 with the first suite and group of the client",
        arguments: [true, false])
    func bothWays(is12: Bool) async throws {
        try await withLoop { loop in
            try await withSecured(.serving(Self.identity), loop: loop) { driven, client in
                try client.startTLS(TLSClient { $0.isOnly12 = is12 })
                client.send("hello")
                #expect(try await driven.next() == .connected)
                #expect(try await driven.bytes(5) == utf8("hello"))
                let facts = try await driven.on { ($0.tlsVersion, $0.isResumed, $0.applicationProtocol) }
                #expect(facts.0 == (is12 ? .tls12 : .tls13) && !facts.1 && facts.2 == "http/1.1")
                #expect(client.tls?.version == (is12 ? "TLSv1.2" : "TLSv1.3"))
                #expect(
                    client.tls?.cipher
                        == (is12 ? "ECDHE-ECDSA-AES256-GCM-SHA384" : "TLS_AES_256_GCM_SHA384"))
                try await driven.on {
                    $0.write(utf8("good")[...])
                    $0.shutdownWrite()
                }
                #expect(client.readToEnd() == (utf8("good"), .fin), "close_notify, then FIN")
            }
        }
    }

    @Test("Without ALPN the handshake succeeds; with other protocols only it ends with an alert")
    func protocols() async throws {
        try await withLoop { loop in
            let context = try TLSServerContext.serving(Self.identity)
            try await withSecured(context, loop: loop) { driven, client in
                try client.startTLS(TLSClient { $0.protocols = [] })
                #expect(try await driven.next() == .connected)
                #expect(try await driven.on { $0.applicationProtocol } == nil)
            }
            try await withSecured(context, loop: loop) { driven, client in
                #expect(
                    client.handshakeFailure(TLSClient { $0.protocols = ["ftp", "imap"] }).contains(
                        "no application protocol"))
                let error = try await driven.failure()
                #expect(error?.tls?.kind == .protocolError)
            }
            // Both are in the registry of RFC 7301.
            for (offered, chosen) in [
                (["http/1.0"], "http/1.0"), (["ftp", "http/1.0", "http/1.1"], "http/1.1"),
            ] {
                try await withSecured(context, loop: loop) { driven, client in
                    try client.startTLS(TLSClient { $0.protocols = offered })
                    #expect(try await driven.next() == .connected)
                    #expect(try await driven.on { $0.applicationProtocol } == chosen)
                }
            }
            let both = try TLSServerContext.serving(Self.identity) {
                $0.applicationProtocols = ["h2", "http/1.1"]
            }
            try await withSecured(both, loop: loop) { driven, client in
                try client.startTLS(TLSClient { $0.protocols = ["http/1.1", "h2"] })
                #expect(try await driven.next() == .connected)
                #expect(try await driven.on { $0.applicationProtocol } == "h2", "the server's order decides")
            }
        }
    }

    @Test("A server of TLS 1.3 refuses TLS 1.2 by the alert protocol_version")
    func minimum() async throws {
        try await withLoop { loop in
            let context = try TLSServerContext.serving(Self.identity) { $0.minimumVersion = .tls13 }
            try await withSecured(context, loop: loop) { driven, client in
                #expect(
                    client.handshakeFailure(TLSClient { $0.isOnly12 = true }).contains("protocol version"))
                let error = try await driven.failure()
                #expect(error?.tls?.reason == "unsupported protocol")
            }
        }
    }

    @Test("A FIN without close_notify is the end of what the client sends, and answers still go out")
    func truncated() async throws {
        try await withLoop { loop in
            try await withSecured(.serving(Self.identity), loop: loop) { driven, client in
                try client.startTLS()
                client.send("request")
                #expect(try await driven.next() == .connected)
                #expect(try await driven.bytes(7) == utf8("request"))
                client.finishWithoutGoodbye()
                #expect(try await driven.next() == .reachedEnd)
                try await driven.on {
                    $0.write(utf8("answer")[...])
                    $0.shutdownWrite()
                }
                #expect(client.readToEnd() == (utf8("answer"), .fin))
            }
        }
    }

    @Test("A handshake that its owner holds goes on when the owner lets it")
    func held() async throws {
        try await withLoop { loop in
            let context = try TLSServerContext.serving(Self.identity)
            let listener = try Listener(bind: .loopback())
            let accepted = Inbox<LoopBound<Holder>>()
            let asked = Signal()
            try await loop.perform {
                listener.start(loop: loop) { stream in
                    let holder = Holder(stream, asked)
                    stream.start(handler: holder)
                    stream.acceptTLS(context)
                    accepted.put(LoopBound(holder, loop: loop))
                }
            }
            let client = try RawClient(port: listener.address.port ?? 0, tls: .usual, patience: 10)
            let holder = try await accepted.next()
            try await asked.wait()
            let isConnected = try await loop.perform { holder.value.isConnected }
            #expect(!isConnected)
            client.send("early")
            try await loop.perform { holder.value.letGo() }
            #expect(try client.read(count: 4) == utf8("done"))
            try await loop.perform {
                #expect(holder.value.received == utf8("early"))
                holder.value.stream.close()
                listener.close()
            }
        }
    }

    private final class Holder: StreamHandler {
        let stream: SocketStream
        private let asked: Signal
        private var mayGo = false
        private(set) var isConnected = false
        private(set) var received: [UInt8] = []

        init(_ stream: SocketStream, _ asked: Signal) {
            self.stream = stream
            self.asked = asked
        }

        func streamMayHandshake() -> Bool {
            asked.fire()
            return mayGo
        }

        func letGo() {
            mayGo = true
            stream.continueHandshake()
        }

        func streamConnected() { isConnected = true }
        func streamReceived(_ bytes: UnsafeRawBufferPointer) {
            received += bytes
            stream.write(utf8("done")[...])
        }
        func streamReachedEnd() {}
        func streamFailed(_ error: SocketError) {}
    }

    // MARK: Hostile clients

    @Test("A client of TLS 1.2 that wants to renegotiate is refused, and the connection goes on")
    func renegotiation() async throws {
        try await withLoop { loop in
            try await withSecured(.serving(Self.identity), loop: loop) { driven, client in
                try client.startTLS(TLSClient { $0.isOnly12 = true })
                #expect(try await driven.next() == .connected)
                #expect(try #require(client.tls).renegotiate())
                client.send("")
                client.sendHeld()
                try await driven.on { $0.write(utf8("still here")[...]) }
                // OpenSSL's client takes the refusal for fatal, and ours would go on.
                let bytes = client.readToEnd().bytes
                #expect(bytes == utf8("still here") || bytes.isEmpty)
            }
        }
    }

    @Test("A client that floods the server with key updates is disconnected, without memory for answers")
    func keyUpdates() async throws {
        try await withLoop { loop in
            try await withSecured(.serving(Self.identity), loop: loop) { driven, client in
                try client.startTLS()
                #expect(try await driven.next() == .connected)
                for _ in 0..<50_000 {
                    guard client.tls?.updateKeys() == true, client.sendHeld() else { break }
                }
                var event = try await driven.next()
                while event == .queued || event == .flushed || event == .drained {
                    event = try await driven.next()
                }
                guard case .failed(let error) = event else {
                    Issue.record("\(event)")
                    return
                }
                #expect(error.tls?.kind == .protocolError)
            }
        }
    }

    @Test("A client with many key updates lets another client be read in between", arguments: [10, 1500])
    func turns(updates: Int) async throws {
        let order = Lock<[[UInt8]]>([])
        let note: @Sendable (SocketStream, StreamEvent) -> Void = { _, event in
            if case .received(let bytes) = event { order.withLock { $0.append(bytes) } }
        }
        try await withLoop { loop in
            try await withSecured(.serving(Self.identity), loop: loop, onEvent: note) { busy, flooding in
                try await withSecured(.serving(Self.identity), loop: loop, onEvent: note) { served, client in
                    try flooding.startTLS()
                    try client.startTLS()
                    #expect(try await busy.next() == .connected)
                    #expect(try await served.next() == .connected)
                    // While the loop is held, both clients send, first the one with the updates.
                    let (isHeld, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
                    loop.execute {
                        isHeld.signal()
                        _ = mayGoOn.wait(timeout: .now() + 30)
                    }
                    _ = await Task.detached { isHeld.wait(timeout: .now() + 30) }.value
                    for _ in 0..<updates { #expect(flooding.tls?.updateKeys() == true) }
                    flooding.send([1])
                    client.send([2])
                    mayGoOn.signal()
                    #expect(try await served.bytes(1) == [2])
                    #expect(try await busy.bytes(1) == [1])
                    #expect(order.withLock { $0 } == [[2], [1]])
                }
            }
        }
    }

    @Test("A request in records of one byte arrives whole")
    func tinyRecords() async throws {
        try await withLoop { loop in
            try await withSecured(.serving(Self.identity), loop: loop) { driven, client in
                try client.startTLS()
                let text = testBytes(5000)
                for byte in text { client.send([byte]) }
                #expect(try await driven.next() == .connected)
                let isWhole = try await driven.bytes(5000) == text
                #expect(isWhole)
            }
        }
    }

    // MARK: Counting

    @Test("Counts are of plaintext: sent, taken and acknowledged, and after the end")
    func counts() async throws {
        try await withLoop { loop in
            try await withSecured(.serving(Self.identity), loop: loop) { driven, client in
                try client.startTLS()
                #expect(try await driven.next() == .connected)
                #expect(
                    try await driven.on { [$0.bytesSent, $0.bytesTaken, $0.bytesAcknowledged] } == [0, 0, 0])
                try await driven.on { $0.write(testBytes(100_000)[...]) }
                let isWhole = try client.read(count: 100_000) == testBytes(100_000)
                #expect(isWhole)
                try await poll(while: try await driven.on { $0.bytesAcknowledged < 100_000 }) {
                    "unacknowledged"
                }
                #expect(
                    try await driven.on { [$0.bytesSent, $0.bytesTaken, $0.bytesAcknowledged] }
                        == [100_000, 100_000, 100_000])
                try await driven.on { stream in
                    stream.shutdownWrite()
                    stream.close()
                    #expect(stream.bytesSent == 100_000)
                }
            }
        }
    }

    @Test("While a reader is slow, the counts lie below what was written and never above what it can read")
    func slowReader() async throws {
        try await withLoop { loop in
            let context = try TLSServerContext.serving(Self.identity)
            try await withSecured(context, loop: loop, receiveBuffer: 4096) { driven, client in
                try client.startTLS()
                #expect(try await driven.next() == .connected)
                let count = 16 << 20
                try await driven.on { $0.write(testBytes(count)[...]) }
                let (sent, taken, acknowledged) = try await driven.on {
                    ($0.bytesSent, $0.bytesTaken, $0.bytesAcknowledged)
                }
                #expect(acknowledged <= taken && taken <= sent && sent < count)
                let (queued, buffered) = try await driven.on { ($0.queuedByteCount, $0.bufferedByteCount) }
                #expect(queued > 0 && buffered == queued)
                let isWhole = try client.read(count: count) == testBytes(count)
                #expect(isWhole)
                try await poll(while: try await driven.on { $0.bytesAcknowledged < count }) {
                    "unacknowledged"
                }
                #expect(try await driven.on { $0.bytesSent } == count)
            }
        }
    }

    @Test("A small message is written in place and encrypted at once; behind others it is written as usual")
    func inPlace() async throws {
        try await withLoop { loop in
            let context = try TLSServerContext.serving(Self.identity)
            try await withSecured(context, loop: loop, receiveBuffer: 4096) { driven, client in
                try client.startTLS()
                #expect(try await driven.next() == .connected)
                let isWritten = try await driven.on { stream in
                    stream.writeInPlace(atMost: 100) { room in
                        room.copyBytes(from: utf8("in place"))
                        return 8
                    }
                }
                #expect(isWritten)
                #expect(try client.read(count: 8) == utf8("in place"))
                #expect(try await driven.on { $0.bytesSent } == 8)
                let isLater = try await driven.on { stream in
                    stream.write(testBytes(16 << 20)[...])
                    return stream.writeInPlace(atMost: 100) { _ in
                        Issue.record("it overtook what waits")
                        return 0
                    }
                }
                #expect(!isLater)
            }
        }
    }

    @Test("Waiting plaintext moves to a file, and arrives once and in order with what is written later")
    func spooled() async throws {
        try await withLoop { loop in
            let context = try TLSServerContext.serving(Self.identity)
            try await withSecured(context, loop: loop, receiveBuffer: 4096) { driven, client in
                try client.startTLS()
                #expect(try await driven.next() == .connected)
                let count = 8 << 20
                try await driven.on { $0.write(testBytes(count)[...]) }
                let told = Inbox<SocketError?>()
                let moved = try await driven.on { stream in stream.spool(to: "/var/tmp") { told.put($0) } }
                #expect(moved > 0)
                #expect(try await told.next() == nil)
                #expect(
                    try await driven.on { $0.bufferedByteCount } < 64 << 10,
                    "at most what is encrypted already stays in memory")
                try await driven.on { $0.write(testBytes(1 << 20, from: count)[...]) }
                let again = try await driven.on { stream in stream.spool(to: "/var/tmp") { told.put($0) } }
                #expect(again == 1 << 20)
                #expect(try await told.next() == nil)
                let whole = count + 1 << 20
                let isWhole = try client.read(count: whole) == testBytes(whole)
                #expect(isWhole)
            }
        }
    }
}
