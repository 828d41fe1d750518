import TestSupport
import Testing

@testable import HTTPInbound

@Suite(.timeLimit(.minutes(1)), .bothCarriers)
struct OverloadTests {
    static let later = "GET /later HTTP/1.1\r\nHost: x\r\n\r\n"

    @Test("The limits have their documented defaults")
    func defaults() {
        let limits = InboundLimits()
        #expect(limits.requestsInFlight == 2048)
        #expect(limits.connections == 10_000)
        #expect(limits.connectionsAboveLimit == 32)
        #expect(limits.requestsPerConnection == 1000)
        #expect(limits.requestBody == 1 << 20)
        #expect(
            (limits.target, limits.headerBlock, limits.headerLine, limits.headerCount) == (
                8192, 16_384, 16_384, 100
            ))
        #expect(limits.drainDeadline == .seconds(30))
    }

    @Test(
        "Clients have half of a process's descriptors: 3/8 for connections, at most 10 000, and 1/8 for files"
    )
    func connectionLimit() {
        #expect(InboundLimits.connections(descriptors: 1_000_000) == 10_000)
        #expect(InboundLimits.connections(descriptors: 1024) == 384)
        #expect(InboundLimits.files(descriptors: 1024) == 128)
        #expect(InboundLimits.connections(descriptors: 1) == 1)
        #expect(InboundLimits.connections(100, descriptors: 1024) == 100)
        #expect(InboundLimits.connections(20_000, descriptors: 1_000_000) == 20_000)
    }

    @Test(
        "A request beyond the in-flight limit gets 503, and its connection stays open for later requests"
    )
    func inFlight() async throws {
        try await TestServer.run({ $0.requestsInFlight = 2 }) { server in
            let first = try server.client()
            let second = try server.client()
            first.send(Self.later)
            try await server.log.wait(for: "held 1")
            second.send(Self.later)
            try await server.log.wait(for: "held 2")
            let third = try server.client()
            third.send(KeepAliveTests.get)
            let reply = try third.reply()
            #expect(reply.status == 503)
            #expect(reply.text.hasPrefix("overloaded: "))
            // Answers of `decide` do not count as in flight.
            third.send("GET /missing HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(try third.reply().status == 404)
            try await server.on { _, handler in handler.answerLater("done") }
            #expect(try first.reply().text == "done")
            third.send(KeepAliveTests.get)
            #expect(try third.reply().text == "hello")
            second.reset()
            try await server.log.wait(for: "finished /later clientGone")
            #expect(try await server.on { server, _ in server.requestsInFlight } == 0)
        }
    }

    @Test("A request also gets 503 if the in-flight limit is reached while its body arrives")
    func inFlightAfterTheBody() async throws {
        try await TestServer.run({ $0.requestsInFlight = 1 }) { server in
            let slow = try server.client()
            slow.send("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\na")
            try await server.log.wait(for: "decide POST /echo")
            let other = try server.client()
            other.send(Self.later)
            try await server.log.wait(for: "held 1")
            slow.send("bc")
            #expect(try slow.reply().status == 503)
        }
    }

    @Test("A request with a body gets 503 beyond the in-flight limit before its body is asked for")
    func inFlightBeforeTheBody() async throws {
        try await TestServer.run({ $0.requestsInFlight = 1 }) { server in
            let other = try server.client()
            other.send(Self.later)
            try await server.log.wait(for: "held 1")
            for path in ["/echo", "/upload"] {
                let client = try server.client()
                client.send(
                    "POST \(path) HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n")
                // A 100 (Continue) would be the first reply.
                #expect(try client.reply().status == 503)
            }
        }
    }

    @Test("Hundreds of slow clients do not delay a fast one, and each of them times out")
    func slowClients() async throws {
        try await TestServer.run({
            $0.headerDeadline = .seconds(1)
            $0.bodyDeadline = .seconds(1)
        }) { server in
            let starts = ["GET / HT", "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nab", ""]
            let slow = try (0..<300).map { index in
                let client = try server.client()
                client.send(starts[index % 3])
                return client
            }
            let quick = try server.client()
            let clock = ContinuousClock()
            for _ in 0..<20 {
                let start = clock.now
                quick.send(KeepAliveTests.get)
                #expect(try quick.reply().text == "hello")
                let elapsed = clock.now - start
                #expect(elapsed < .seconds(1))
            }
            for (index, client) in slow.enumerated() {
                let text = String(decoding: client.readToEnd().bytes, as: UTF8.self)
                #expect(index % 3 == 2 ? text.isEmpty : text.hasPrefix("HTTP/1.1 408 "))
                client.close()
            }
        }
    }
}
