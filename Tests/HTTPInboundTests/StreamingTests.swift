import EventIO
import HTTPModel
import TestSupport
import Testing

@testable import HTTPInbound

@Suite(.timeLimit(.minutes(1)), .bothCarriers)
struct StreamingTests {
    static func get(_ path: String, version: String = "1.1") -> String {
        "GET \(path) HTTP/\(version)\r\nHost: x\r\n\r\n"
    }

    static func bytes(_ text: String) -> ArraySlice<UInt8> { Array(text.utf8)[...] }

    @Test("A stream that fails midway resets the connection")
    func fails() async throws {
        try await TestServer.run { server in
            let client = try server.client()
            client.send(Self.get("/stream"))
            try await server.log.wait(for: "streaming 1")
            try await server.on { _, handler in handler.writers[0].write(Self.bytes("half")) }
            _ = try client.read(through: "half\r\n")
            try await server.on { _, handler in handler.writers[0].fail() }
            #expect(client.readToEnd().end == .reset)
            try await server.log.wait(for: "finished /stream aborted")
        }
    }

    @Test("Releasing a writer fails its stream")
    func dropped() async throws {
        try await TestServer.run { server in
            let client = try server.client()
            client.send(Self.get("/stream"))
            _ = try client.read(through: "\r\n\r\n")
            try await server.on { _, handler in handler.forget() }
            #expect(client.readToEnd().end == .reset)
            #expect(try await server.on { server, _ in server.requestsInFlight } == 0)
        }
    }

    @Test(
        "A streamed body shorter or longer than its Content-Length resets the connection",
        arguments: ["short", "much too long"])
    func wrongLength(text: String) async throws {
        try await TestServer.run { server in
            let client = try server.client()
            client.send(Self.get("/counted"))
            _ = try client.read(through: "Content-Length: 10\r\n")
            _ = try client.read(through: "\r\n")
            try await server.on { _, handler in
                handler.writers[0].write(Self.bytes(text))
                handler.writers[0].finish()
            }
            #expect(client.readToEnd().end == .reset)
        }
    }

    @Test("An HTTP/1.1 client gets chunks, and its connection stays open")
    func chunked() async throws {
        try await TestServer.run { server in
            let client = try server.client()
            client.send(Self.get("/stream"))
            try await server.log.wait(for: "streaming 1")
            try await server.on { _, handler in
                handler.writers[0].write(Self.bytes("one "))
                handler.writers[0].write([])
                handler.writers[0].write(Self.bytes("two"))
                handler.writers[0].finish()
                handler.writers[0].write(Self.bytes("too late"))
                handler.writers[0].fail()
            }
            let reply = try client.reply()
            #expect(reply.value("Transfer-Encoding") == "chunked")
            #expect(reply.values("Content-Length") == [])
            #expect(reply.text == "one two")
            client.send(KeepAliveTests.get)
            #expect(try client.reply().text == "hello")
        }
    }

    @Test("An HTTP/1.0 client gets an unframed body that the close delimits")
    func untilClose() async throws {
        try await TestServer.run { server in
            let client = try server.client()
            client.send(Self.get("/stream", version: "1.0"))
            try await server.log.wait(for: "streaming 1")
            try await server.on { _, handler in
                handler.writers[0].write(Self.bytes("one "))
                handler.writers[0].write(Self.bytes("two"))
                handler.writers[0].finish()
            }
            let reply = try client.reply()
            #expect(reply.values("Transfer-Encoding") == [])
            #expect(reply.value("Connection") == "close")
            #expect(reply.text == "one two")
        }
    }

    @Test("A stream of known length carries Content-Length")
    func counted() async throws {
        try await TestServer.run { server in
            let client = try server.client()
            client.send(Self.get("/counted"))
            try await server.log.wait(for: "streaming 1")
            try await server.on { _, handler in
                handler.writers[0].write(Self.bytes("01234"))
                handler.writers[0].write(Self.bytes("56789"))
                handler.writers[0].finish()
            }
            let reply = try client.reply()
            #expect(reply.values("Content-Length") == ["10"])
            #expect(reply.text == "0123456789")
            client.send(KeepAliveTests.get)
            #expect(try client.reply().text == "hello")
        }
    }

    @Test("A HEAD request for a stream gets only the head")
    func head() async throws {
        try await TestServer.run { server in
            let client = try server.client()
            client.send("HEAD /stream HTTP/1.1\r\nHost: x\r\n\r\n")
            try await server.log.wait(for: "streaming 1")
            try await server.on { _, handler in
                handler.writers[0].write(Self.bytes("nobody reads this"))
                handler.writers[0].finish()
            }
            _ = try client.reply(toHead: true)
            client.send(KeepAliveTests.get)
            #expect(try client.reply().text == "hello")
        }
    }

    @Test("The writer learns when the reader falls behind and when it has caught up")
    func backpressure() async throws {
        try await TestServer.run { server in
            let client = try server.client(receiveBuffer: 4096)
            client.send(Self.get("/stream"))
            try await server.log.wait(for: "streaming 1")
            let written = try await server.on { _, handler in
                let writer = handler.writers[0]
                writer.onDrain = { handler.log.add("drained") }
                var written = 0
                while !writer.isOverHighWatermark, written < 100 << 20 {
                    writer.write(TestHandler.large[written / 65_536 % 64])
                    written += 65_536
                }
                return written
            }
            // The kernel's buffers and the server's queue are bounded, whatever the client does.
            #expect(written < 16 << 20)
            #expect(server.log.count("drained") == 0)
            _ = try client.read(count: written)
            try await server.log.wait(for: "drained")
            try await server.on { _, handler in
                #expect(!handler.writers[0].isOverHighWatermark)
                handler.writers[0].finish()
            }
            _ = try client.read(through: "\r\n0\r\n\r\n")
        }
    }

    @Test("A writer is told to wait in the turn of the loop in which its client leaves")
    func nobodyReads() async throws {
        try await TestServer.run { server in
            let client = try server.client()
            client.send(Self.get("/stream"))
            try await server.log.wait(for: "streaming 1")
            nonisolated(unsafe) let leaving = client
            let written = try await server.on { _, handler in
                // The loop learns of it only by a failed write.
                leaving.reset()
                return Self.writeAll(to: handler.writers[0])
            }
            #expect(written < 16 << 20)
            try await server.log.wait(for: "finished /stream clientGone")
            #expect(try await server.on { _, handler in Self.writeAll(to: handler.writers[0]) } == 0)
        }
    }

    /// Writes until the writer is told to wait. Returns the number of bytes.
    private static func writeAll(to writer: BodyWriter) -> Int {
        var written = 0
        while !writer.isOverHighWatermark, written < 100 << 20 {
            writer.write(TestHandler.large[written / 65_536 % 64])
            written += 65_536
        }
        return written
    }

    @Test(
        "A large body arrives complete at a fast reader and at a slow one",
        arguments: [nil, 4096])
    func large(receiveBuffer: Int32?) async throws {
        try await TestServer.run { server in
            let client = try server.client(receiveBuffer: receiveBuffer)
            client.send(Self.get("/large"))
            #expect(try client.reply().body == TestHandler.large.flatMap { $0 })
            client.send(KeepAliveTests.get)
            #expect(try client.reply().text == "hello")
            try await server.log.wait(for: "finished /large completed")
        }
    }

    @Test("A client that takes no byte of an answer is reset")
    func stalled() async throws {
        try await TestServer.run({ $0.sendStall = .milliseconds(40) }) { server in
            let client = try server.client(receiveBuffer: 4096)
            client.send(Self.get("/large"))
            try await server.log.wait(for: "finished /large stalled")
            #expect(client.readToEnd().end == .reset)
            #expect(try await server.on { server, _ in server.connectionCount } == 0)
        }
    }

    @Test(
        "When too many bytes wait, the slowest reader is reset and others are served"
    )
    func waitingAnswersAreBounded() async throws {
        try await TestServer.run({
            $0.waitingAnswers = 12 << 20
            $0.spoolDirectory = nil
        }) { server in
            // The kernel takes little of each 4 MiB answer, so three of eight may wait.
            let slow = try (0..<8).map { _ in try server.client(receiveBuffer: 4096) }
            for client in slow { client.send(Self.get("/large")) }
            try await server.log.wait(for: "finished /large stalled")
            #expect(slow[0].readToEnd().end == .reset)
            let reader = try server.client()
            reader.send(Self.get("/large"))
            #expect(try reader.reply().body == TestHandler.large.flatMap { $0 })
            let (waiting, connections) = try await server.on { server, _ in
                (server.waitingBytes, server.connectionCount)
            }
            #expect(waiting > 0)
            #expect(waiting <= 12 << 20)
            #expect(connections < 9)
            for client in slow { client.close() }
            reader.close()
            try await server.connectionsLeft()
            #expect(try await server.on { server, _ in server.waitingBytes } == 0)
        }
    }

    @Test("Bytes of an answer that are held until they are written count as bytes that wait for the client")
    func held() async throws {
        try await TestServer.run { server in
            let client = try server.client()
            client.send(Self.get("/stream"))
            try await server.log.wait(for: "streaming 1")
            let counts = try await server.on { server, handler in
                let writer = handler.writers[0]
                writer.hold(8 << 20)
                let held = server.waitingBytes
                writer.write(Self.bytes("piece"))
                writer.hold(1 << 20)
                let left = server.waitingBytes
                writer.finish()
                return [held, left, server.waitingBytes]
            }
            #expect(counts == [8 << 20, 1 << 20, 0])
            #expect(try client.reply().text == "piece")
        }
    }

    @Test("An answer moves to a file once its writer holds no more of it")
    func heldAndSpooled() async throws {
        try await TestServer.run({
            $0.residentAnswer = 1 << 16
            $0.waitingAnswers = 24 << 20
        }) { server in
            let client = try server.client(receiveBuffer: 4096)
            client.send(Self.get("/stream"))
            try await server.log.wait(for: "streaming 1")
            let pieces = TestHandler.large.flatMap { $0 }
            // Memory is short, so what waits moves at once.
            let spooled = try await server.on { server, handler in
                let writer = handler.writers[0]
                writer.hold(13 << 20)
                for _ in 0..<2 { writer.write(pieces[...]) }
                defer { writer.finish() }
                return server.spooledBytes
            }
            #expect(spooled == 0)
            #expect(try await server.isSpooled())
            #expect(try client.reply().body == pieces + pieces)
            client.close()
            try await server.connectionsLeft()
        }
    }

    @Test("Holding more bytes than may wait resets the connection, and gives the bytes back")
    func heldTooMuch() async throws {
        try await TestServer.run { server in
            let client = try server.client()
            client.send(Self.get("/stream"))
            try await server.log.wait(for: "streaming 1")
            let waiting = try await server.on { server, handler in
                handler.writers[0].hold(server.limits.waitingAnswers + 1)
                return server.waitingBytes
            }
            #expect(waiting == 0)
            try await server.log.wait(for: "finished /stream stalled")
            #expect(client.readToEnd().end == .reset)
        }
    }

    @Test("What many small queues free counts as large memory once it is, so that the loop returns it")
    func freedTogether() async throws {
        try await TestServer.run { server in
            let loop = server.loop
            let timers = try await server.on { server, _ in
                let part = EventLoop.largeMemory / 4
                server.waitingChanged(by: 8 * part)
                return (0..<8).map { _ in
                    server.waitingChanged(by: -part)
                    return loop.timerCount
                }
            }
            // The timer that returns memory is set once.
            #expect(timers.map { $0 - timers[0] } == [0, 0, 0, 1, 1, 1, 1, 1])
        }
    }

    @Test(
        "Large answers move to disk when memory runs short, and no connection is reset")
    func spooledAtOnce() async throws {
        try await TestServer.run({
            $0.waitingAnswers = 24 << 20
            $0.residentAnswer = 1 << 16
        }) { server in
            // Each answer is 4 MiB, so six of them fill the memory.
            var clients: [RawClient] = []
            for number in 1...12 {
                let client = try server.client(receiveBuffer: 4096)
                client.send(Self.get("/large"))
                clients.append(client)
                try await poll(
                    while: try await server.on { server, handler in
                        // A missing connection was reset.
                        handler.log.events.count { $0.hasPrefix("decide ") } < number
                            || (server.connectionCount == number
                                && (server.unwrittenBytes > 0
                                    || server.waitingBytes + server.spooledBytes < number * 3 << 20))
                    }
                ) {
                    try await server.on { server, _ in
                        "\(server.connectionCount) of \(number) connections, \(server.waitingBytes) bytes in"
                            + " memory, \(server.spooledBytes) on disk, \(server.unwrittenBytes) unwritten"
                    }
                }
            }
            for client in clients {
                #expect(try client.reply().body == TestHandler.large.flatMap { $0 })
                client.close()
            }
            try await server.connectionsLeft()
        }
    }

    @Test("A large answer waits on disk for a slow client, and arrives complete")
    func spooled() async throws {
        try await TestServer.run({ $0.residentAnswer = 1 << 16 }) { server in
            let client = try server.client(receiveBuffer: 4096)
            client.send(Self.get("/large"))
            #expect(try await server.isSpooled())
            let (waiting, spooled) = try await server.on { inbound, _ in
                (inbound.waitingBytes - server.residentRecords(inbound), inbound.spooledBytes)
            }
            #expect(waiting <= 0)
            #expect(spooled > 1 << 16)
            #expect(try client.reply().body == TestHandler.large.flatMap { $0 })
            client.send(KeepAliveTests.get)
            #expect(try client.reply().text == "hello")
            try await server.log.wait(for: "finished /large completed")
            #expect(try await server.on { server, _ in server.spooledBytes + server.unwrittenBytes } == 0)
        }
    }

    @Test("A client that has its share of files keeps its answer in memory; another one's goes to disk")
    func sharesOfFiles() async throws {
        let descriptors = FileDescriptors(limit: 4)
        let greedy = AddressPrefix(try #require(SocketAddress(host: "127.0.0.1", port: 80)))
        var held = (0..<2).map { _ in descriptors.take(for: greedy) }
        #expect(!held.contains { $0 == nil })
        try await TestServer.run(
            {
                // Memory is short with one answer, so it moves at once.
                $0.waitingAnswers = 6 << 20
                $0.residentAnswer = 1 << 16
            }, fileDescriptors: descriptors
        ) { server in
            func spooled() async throws -> [Bool] {
                try await server.on { server, _ in server.serving.map { ($0?.spooledBytes ?? 0) > 0 } }
            }
            let other = try server.client(receiveBuffer: 4096, host: 2)
            other.send(Self.get("/large"))
            #expect(try await server.isSpooled())
            let client = try server.client(receiveBuffer: 4096)
            client.send(Self.get("/large"))
            try await server.outputWaits()
            #expect(try await spooled() == [true, false])
            held.removeLast()
            #expect(try await server.isSpooled())
            #expect(try await spooled() == [true, true])
            for reader in [other, client] {
                #expect(try reader.reply().body == TestHandler.large.flatMap { $0 })
            }
            // The closed files give their places back.
            try await poll(while: descriptors.take(for: greedy) == nil) { "no place for a file" }
        }
    }

    @Test(
        "A client that takes no byte of an answer on disk is reset, and the disk space is freed")
    func spooledAndStalled() async throws {
        try await TestServer.run({
            $0.residentAnswer = 1 << 16
            $0.sendStall = .seconds(2)
        }) { server in
            let client = try server.client(receiveBuffer: 4096)
            client.send(Self.get("/large"))
            #expect(try await server.isSpooled())
            try await server.log.wait(for: "finished /large stalled")
            #expect(client.readToEnd().end == .reset)
            #expect(try await server.on { server, _ in server.spooledBytes + server.unwrittenBytes } == 0)
        }
    }

    @Test("If the spool is unusable or full, answers wait in memory, and a failure is reported once")
    func notSpooled() async throws {
        try await TestServer.run({
            $0.residentAnswer = 1 << 16
            $0.sendStall = .milliseconds(200)
            $0.spoolDirectory = "/nonexistent"
        }) { server in
            try await server.on { server, handler in
                let log = handler.log
                server.onSpoolFailed = { log.add("\($0)") }
            }
            let clients = try (0..<2).map { _ in try server.client(receiveBuffer: 4096) }
            for client in clients { client.send(Self.get("/large")) }
            try await server.log.wait(for: "spool /nonexistent: No such file or directory")
            try await server.connectionsLeft()
            for client in clients { #expect(client.readToEnd().end == .reset) }
            #expect(server.log.count("spool /nonexistent: No such file or directory") == 1)
            #expect(try await server.on { server, _ in server.spooledBytes + server.unwrittenBytes } == 0)
        }
        try await TestServer.run({
            $0.residentAnswer = 1 << 16
            $0.sendStall = .milliseconds(200)
            $0.spooledAnswers = 1 << 16
        }) { server in
            let client = try server.client(receiveBuffer: 4096)
            client.send(Self.get("/large"))
            try await server.log.wait(for: "finished /large stalled")
            #expect(client.readToEnd().end == .reset)
            #expect(try await server.on { server, _ in server.spooledBytes + server.unwrittenBytes } == 0)
        }
    }
}
