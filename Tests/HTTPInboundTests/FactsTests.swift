import EventIO
import HTTPModel
import TestSupport
import Testing

@testable import HTTPInbound

/// Tests the facts that the server reports about a request for logs and counters.
@Suite(.timeLimit(.minutes(1)), .bothCarriers)
struct FactsTests {
    @Test("An exchange reports its byte counts, its client's address and the method the client sent")
    func exchange() async throws {
        try await TestServer.run { server in
            let client = try server.client()
            // Two requests arrive in one read; their bytes are counted separately.
            let first =
                "POST /later HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"
            let second = "HEAD /later HTTP/1.1\r\nHost: example\r\n\r\n"
            client.send(first + second)
            try await server.log.wait(for: "held 1")
            try await server.on { _, handler in
                let exchange = handler.held[0]
                #expect(exchange.method == .post)
                #expect(exchange.bytesReceived == first.utf8.count)
                #expect(exchange.request.body == [97, 98, 99])
                #expect(exchange.remoteAddress.host == "127.0.0.1")
                #expect(exchange.receivedAt <= exchange.loop.now)
                #expect(exchange.loop.isCurrent)
                handler.answerLater("one")
            }
            let answer = try client.reply()
            try await server.log.wait(for: "sent \(answer.head.utf8.count + 4 + 3)")
            try await server.on { _, handler in
                let exchange = handler.held[0]
                #expect(exchange.method == .head)
                #expect(exchange.request.head.method == .get)
                #expect(exchange.bytesReceived == second.utf8.count)
                handler.answerLater("two")
            }
            let head = try client.reply(toHead: true)
            try await server.log.wait(for: "sent \(head.head.utf8.count + 4)")
        }
    }

    @Test("The exchange that decide makes gets its own request")
    func own() async throws {
        try await TestServer.run { server in
            let client = try server.client()
            // Both heads are parsed before the first body is complete.
            client.send(
                "POST /noted?one HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc"
                    + "GET /noted?two HTTP/1.1\r\nHost: x\r\n\r\nGET /later HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(try client.reply().text == "one")
            #expect(try client.reply().text == "two")
            try await server.log.wait(for: "held 1")
            try await server.on { _, handler in
                #expect(handler.held[0].request.head.target.path == "/later")
                handler.answerLater("three")
            }
        }
    }

    @Test("The byte count of a streamed answer includes its framing")
    func streamed() async throws {
        try await TestServer.run { server in
            let client = try server.client()
            client.send("GET /stream HTTP/1.1\r\nHost: x\r\n\r\n")
            try await server.log.wait(for: "streaming 1")
            try await server.on { _, handler in
                handler.writers[0].write([97, 98])
                handler.writers[0].finish()
            }
            let reply = try client.reply()
            try await server.log.wait(
                for: "sent \(reply.head.utf8.count + 4 + "2\r\nab\r\n0\r\n\r\n".utf8.count)")
        }
    }

    @Test("An answer sent without an exchange is reported with its request")
    func direct() async throws {
        try await TestServer.run { server in
            let client = try server.client()
            client.send("HEAD /missing HTTP/1.1\r\nHost: x\r\n\r\n")
            _ = try client.reply(toHead: true)
            try await server.log.wait(for: "direct HEAD 404 completed")
            client.send("POST /small HTTP/1.1\r\nHost: x\r\nContent-Length: 11\r\n\r\n")
            #expect(try client.reply().status == 413)
            try await server.log.wait(for: "direct POST 413 completed")
        }
    }

    @Test("A request that fails in its head is reported with its method, byte count and start time")
    func brokenHead() async throws {
        try await TestServer.run({ $0.headerDeadline = .milliseconds(30) }) { server in
            let client = try await server.whileBusy {
                let client = try server.client()
                client.send("POST /x HT")
                return client
            }
            #expect(try client.reply().status == 408)
            try await server.log.wait(for: "direct POST 408 completed")
            try await server.on { server, handler in
                #expect(handler.direct.map(\.bytesReceived) == [10])
                guard let late = handler.direct.first else { return }
                #expect((server.loop.now - late.receivedAt).nanoseconds >= 30_000_000)
                #expect(late.head == nil)
            }
        }
        try await TestServer.run { server in
            // The request comes in two pieces, after an answered one.
            let other = try server.client()
            let (start, rest) = ("PUT /later HTTP/1.1\r\nHo", "st : x\r\n\r\n")
            other.send("GET /hello HTTP/1.1\r\nHost: x\r\n\r\n" + start)
            #expect(try other.reply().text == "hello")
            other.send(rest)
            #expect(try other.reply().status == 400)
            try await server.log.wait(for: "direct PUT 400 completed")
            try await server.on { server, handler in
                #expect(handler.direct.map(\.bytesReceived) == [(start + rest).utf8.count])
                #expect(handler.direct.allSatisfy { $0.head == nil })
            }
        }
    }

    @Test(
        "A request whose client leaves within its head is reported, and a client that has sent nothing is not"
    )
    func abandonedHead() async throws {
        try await TestServer.run { server in
            try server.client().close()
            let client = try server.client()
            client.send("POST /x HT")
            client.close()
            try await server.log.wait(for: "direct POST 0 clientGone")
            try await server.connectionsLeft()
            try await server.on { _, handler in #expect(handler.direct.map(\.bytesReceived) == [10]) }
        }
    }

    @Test("A request that a drain cuts within its head is reported")
    func drainedHead() async throws {
        try await TestServer.run({ $0.drainDeadline = .milliseconds(50) }) { server in
            let client = try server.client()
            client.send("POST /x HT")
            try await server.on { server, _ in server.stopAccepting() }
            try await server.log.wait(for: "direct POST 0 drain")
            #expect(client.readToEnd().end == .reset)
        }
    }

    @Test("A request that times out in its body is reported with its head")
    func lateBody() async throws {
        try await TestServer.run({ $0.bodyDeadline = .milliseconds(30) }) { server in
            let client = try server.client()
            let request = "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nabc"
            client.send(request)
            #expect(try client.reply().status == 408)
            try await server.log.wait(for: "direct POST 408 completed")
            try await server.on { _, handler in
                #expect(handler.direct[0].head?.target.path == "/echo")
                #expect(handler.direct[0].bytesReceived == request.utf8.count)
            }
        }
    }

    @Test("The counts return to zero when all clients have left")
    func counts() async throws {
        try await TestServer.run { server in
            for index in 1...3 {
                let client = try server.client()
                client.send("GET /later HTTP/1.1\r\nHost: x\r\n\r\n")
                try await server.log.wait(for: "held \(index)")
                client.reset()
            }
            try await server.connectionsLeft()
            try await server.on { server, handler in
                #expect(server.requestsInFlight == 0)
                #expect(!handler.held.contains { !$0.isOver })
                // Each of the three had a timer; the remaining one may be the loop's own.
                #expect(server.loop.timerCount <= 1)
            }
        }
    }
}
