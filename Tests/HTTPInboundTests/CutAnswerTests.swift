import EventIO
import HTTPModel
import TestSupport
import Testing

@testable import HTTPInbound

/// Tests the byte counts reported for answers that were cut short. After a reset the client can still read
/// the bytes it has acknowledged, which the tests compare with the reported count.
@Suite("Answers cut short", .timeLimit(.minutes(1)), .bothCarriers)
struct CutAnswerTests {
    private static let large = "GET /large HTTP/1.1\r\nHost: x\r\n\r\n"
    private static let whole = TestHandler.large.reduce(0) { $0 + $1.count }

    /// The size of the answer to `KeepAliveTests.get`.
    private static let hello = 80

    /// Whether `bytes` is a plausible acknowledged count when the client received `received` bytes:
    /// acknowledgements may be a segment or two behind. Over TLS it cannot decrypt a part of a record.
    private static func isAcknowledged(_ bytes: Int, of received: Int) -> Bool {
        let record = Carrier.current == .plain ? 0 : 16_384
        return bytes > 0 && (bytes - record...bytes + 8192).contains(received)
    }

    /// The bytes reported for each answer, in order.
    private static func sent(_ server: TestServer) -> [Int] {
        server.log.events.compactMap { $0.hasPrefix("sent ") ? Int($0.dropFirst(5)) : nil }
    }

    @Test("When a stalled reader is reset, the server reports the bytes it acknowledged")
    func stalled() async throws {
        try await TestServer.run({ $0.sendStall = .milliseconds(200) }) { server in
            let client = try server.client(receiveBuffer: 4096)
            client.send(Self.large)
            try await server.log.wait(for: "finished /large stalled")
            let (bytes, end) = client.readToEnd()
            #expect(end == .reset)
            let sent = Self.sent(server)
            #expect(sent.count == 1)
            #expect(Self.isAcknowledged(sent[0], of: bytes.count))
        }
    }

    @Test("The count of a cut answer excludes earlier answers on the connection")
    func pipelined() async throws {
        try await TestServer.run({ $0.sendStall = .milliseconds(200) }) { server in
            let client = try server.client(receiveBuffer: 4096)
            client.send(KeepAliveTests.get + Self.large)
            try await server.log.wait(for: "finished /large stalled")
            let (bytes, _) = client.readToEnd()
            let sent = Self.sent(server)
            #expect(sent.count == 2)
            #expect(sent[0] == Self.hello)
            #expect(Self.isAcknowledged(sent[0] + sent[1], of: bytes.count))
            #expect(server.log.count("finished /hello completed") == 1)
        }
    }

    @Test("A reader below the minimum rate is reset, even if it keeps reading")
    func belowRate() async throws {
        try await TestServer.run({
            $0.sendRate = .max
            $0.sendRateGrace = .zero
        }) { server in
            let client = try server.client(receiveBuffer: 4096)
            client.send(Self.large)
            try await server.outputWaits()
            // It takes some of the output, but never fast enough. On a busy machine it may be reset before
            // that.
            let wasEarly = (try? client.read(count: 100_000)) == nil
            try await server.log.wait(for: "finished /large stalled")
            #expect(wasEarly || client.readToEnd().end == .reset)
        }
    }

    @Test("An answer cut at the drain deadline has the outcome drain")
    func drain() async throws {
        try await TestServer.run({ $0.drainDeadline = .milliseconds(100) }) { server in
            let client = try server.client(receiveBuffer: 4096)
            client.send(Self.large)
            _ = try client.read(through: "\r\n\r\n")
            try await server.on { server, _ in server.stopAccepting() }
            try await server.log.wait(for: "finished /large drain")
            let sent = Self.sent(server)
            #expect(sent.count == 1)
            #expect(sent[0] > 0 && sent[0] < Self.whole)
        }
    }

    @Test("Stopping the loop aborts its answers")
    func loopEnds() async throws {
        var events: [String] = []
        // A stopped loop cannot shut down cleanly.
        try? await TestServer.run { server in
            let client = try server.client(receiveBuffer: 4096)
            client.send(Self.large)
            _ = try client.read(through: "\r\n\r\n")
            try await server.on { server, _ in server.loop.stop() }
            try await server.log.wait(for: "finished /large aborted")
            events = server.log.events
            #expect(client.readToEnd().end != .silence)
        }
        #expect(events.contains("finished /large aborted"))
    }

    @Test("An answer that the kernel refuses counts no bytes and is not completed")
    func refusedByTheKernel() async throws {
        try await TestServer.run { server in
            let client = try server.client()
            client.send("GET /later HTTP/1.1\r\nHost: x\r\n\r\n")
            try await server.log.wait(for: "held 1")
            try await server.whileBusy {
                client.reset()
            } then: { _, handler in
                handler.answerLater("too late")
            }
            try await server.log.wait(for: "finished /later clientGone")
            #expect(server.log.count("finished /later completed") == 0)
            #expect(Self.sent(server) == [0])
        }
    }

    @Test(
        "Pipelined answers are completed up to the one that the kernel took only in part"
    )
    func manySmall() async throws {
        try await TestServer.run({
            $0.sendStall = .milliseconds(300)
            $0.requestsPerConnection = .max
        }) { server in
            let client = try server.client(receiveBuffer: 4096)
            // The answers far exceed what the kernel buffers.
            let requests = Array(repeating: KeepAliveTests.get, count: 8000).joined()
            client.send(requests)
            try await server.log.wait(for: "finished /hello stalled")
            try await server.connectionsLeft()
            let (bytes, _) = client.readToEnd()
            let completed = server.log.count("finished /hello completed")
            let cut = server.log.count("finished /hello stalled")
            #expect(cut >= 1)
            #expect(completed * Self.hello >= bytes.count)
            #expect(Self.sent(server).count == completed + cut)
            // No answer after the first cut one is completed.
            let order = server.log.events.filter { $0.hasPrefix("finished ") }
            #expect(
                order.lastIndex(of: "finished /hello completed") ?? 0 < order.firstIndex(
                    of: "finished /hello stalled") ?? 0)
        }
    }

    @Test("Answers are removed in order, each once the kernel has taken its last byte")
    func order() throws {
        var unsentAnswers = UnsentAnswers()
        #expect(unsentAnswers.isEmpty)
        for end in [10, 20, 20, 35] as [Int64] {
            unsentAnswers.append(.direct(Self.direct(bytes: Int(end))), end: end)
        }
        func taken(_ count: Int64) -> [Int64] {
            var ends: [Int64] = []
            while let (_, end) = unsentAnswers.removeFirst(within: count) { ends.append(end) }
            return ends
        }
        #expect(taken(9).isEmpty)
        #expect(taken(10) == [10])
        #expect(taken(34) == [20, 20])
        unsentAnswers.append(.direct(Self.direct(bytes: 5)), end: 40)
        #expect(taken(.max) == [35, 40])
        #expect(unsentAnswers.isEmpty)
    }

    @Test("The acknowledged count of an answer stays between zero and its size")
    func parts() {
        let delivery = Delivery(taken: 150, acknowledged: 120)
        #expect(delivery.acknowledged(of: 50, end: 150) == 20)
        #expect(delivery.acknowledged(of: 50, end: 170) == 0)
        #expect(delivery.acknowledged(of: 50, end: 120) == 50)
        #expect(delivery.acknowledged(of: 50, end: 60) == 50)
        #expect(delivery.hasBegun(50, end: 150))
        #expect(!delivery.hasBegun(50, end: 200))
        #expect(delivery.hasBegun(51, end: 200))
    }

    private static func direct(bytes: Int) -> DirectAnswer {
        DirectAnswer(
            remoteAddress: .loopback(), remoteText: "127.0.0.1:1", clientText: "127.0.0.1",
            receivedAt: .init(nanoseconds: 0), bytesReceived: 0, bytesSent: bytes,
            hasBegun: true, outcome: .completed)
    }
}
