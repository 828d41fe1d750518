import EventIO
import HTTPModel
import TestSupport
import Testing

@testable import HTTPInbound

@Suite("Answers that need no body", .timeLimit(.minutes(1)), .bothCarriers)
struct EarlyAnswerTests {
    private static func post(_ fields: String, to path: String = "/missing") -> String {
        "POST \(path) HTTP/1.1\r\nHost: x\r\n\(fields)\r\n\r\n"
    }

    private static let chunked = post("Transfer-Encoding: chunked")

    struct Body: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var field: String
        var bytes: String

        static let all = [
            Body(testDescription: "3 bytes", field: "Content-Length: 3", bytes: "abc"),
            Body(
                testDescription: "1 000 000 bytes", field: "Content-Length: 1000000",
                bytes: String(repeating: "GET / HTT\n", count: 100_000)),
            Body(
                testDescription: "chunks", field: "Transfer-Encoding: chunked",
                bytes: "3\r\nabc\r\n0\r\nTrailer: t\r\n\r\n"),
        ]
    }

    @Test(
        "The answer comes before a byte of the body, and the next request is found behind the body",
        arguments: Body.all)
    func first(body: Body) async throws {
        try await TestServer.run({ $0.discardTime = .seconds(300) }) { server in
            let client = try server.client()
            for round in 1...2 {
                client.send(Self.post(body.field))
                let reply = try client.reply()
                #expect(reply.status == 404)
                #expect(reply.text == "no such")
                #expect(reply.values("Connection") == [])
                try await server.log.wait(for: "direct POST 404 completed")
                client.send(body.bytes + KeepAliveTests.get)
                #expect(try client.reply().text == "hello")
                #expect(try await server.on { server, _ in server.bodyBytes } == 0)
                #expect(try await server.on { _, handler in handler.direct.count } == round)
            }
        }
    }

    @Test("The answer reports the bytes of its request that have arrived")
    func bytesReceived() async throws {
        try await TestServer.run { server in
            let client = try server.client()
            let head = Self.post("Content-Length: 3")
            client.send(head + "a")
            #expect(try client.reply().status == 404)
            try await server.log.wait(for: "direct POST 404 completed")
            #expect(
                try await server.on { _, handler in handler.direct[0].bytesReceived } == head.utf8.count + 1)
        }
    }

    @Test("A body that never comes ends the connection, and no second answer follows", arguments: Body.all)
    func never(body: Body) async throws {
        try await TestServer.run({
            $0.discardTime = .milliseconds(30)
            $0.bodyRateGrace = .milliseconds(1)
        }) { server in
            let client = try server.client()
            client.send(Self.post(body.field) + body.bytes.prefix(1))
            #expect(try client.reply().status == 404)
            #expect(client.readToEnd() == ([], .fin))
            try await server.connectionsLeft()
            #expect(server.log.events == ["decide POST /missing", "direct POST 404 completed"])
        }
    }

    @Test("A client that sends 2 MB before it reads gets its answer, and the answer to its next request")
    func largeChunks() async throws {
        try await TestServer.run({ $0.discardTime = .seconds(300) }) { server in
            let client = try server.client()
            client.send(Self.chunked)
            let chunk = Array("10000\r\n".utf8) + [UInt8](repeating: 0x61, count: 65_536) + [13, 10]
            for _ in 0..<32 { #expect(client.send(chunk)) }
            #expect(client.send("0\r\n\r\n" + KeepAliveTests.get))
            #expect(try client.reply().status == 404)
            #expect(try client.reply().text == "hello")
        }
    }

    @Test("A Content-Length beyond the limit of bodies ends the connection, but the client gets its answer")
    func largeLength() async throws {
        try await TestServer.run({ $0.discardTime = .seconds(300) }) { server in
            let client = try server.client()
            client.send(Self.post("Content-Length: 2097152"))
            #expect(client.send([UInt8](repeating: 0x61, count: 2 << 20)))
            let reply = try client.reply()
            #expect(reply.status == 404)
            #expect(reply.value("Connection") == "close")
            #expect(client.readToEnd() == ([], .fin))
        }
    }

    @Test("A body that is longer than what is discarded ends the connection")
    func tooMuch() async throws {
        try await TestServer.run({
            $0.discardTime = .seconds(300)
            $0.discardedBytes = 10
        }) { server in
            let client = try server.client()
            client.send(Self.chunked)
            #expect(try client.reply().status == 404)
            client.send("a\r\n0123456789\r\n")
            #expect(try await server.connectionCount == 1)
            client.send("1\r\nx\r\n")
            #expect(client.readToEnd() == ([], .fin))
            #expect(!server.log.events.contains { $0.hasPrefix("refused") })
        }
    }

    @Test("Requests behind a body that was late are answered in their order")
    func pipelined() async throws {
        try await TestServer.run({ $0.discardTime = .seconds(300) }) { server in
            let client = try server.client()
            client.send(KeepAliveTests.get + Self.post("Content-Length: 38") + "GET /late HTTP/1.1\r\n")
            #expect(try client.reply().text == "hello")
            #expect(try client.reply().status == 404)
            client.send(
                "Host: nobody\r\n\r\n\r\n" + PipelineTests.post("one") + Self.chunked
                    + "3\r\nabc\r\n0\r\n\r\n"
                    + PipelineTests.post("two") + Self.post("Content-Length: 1"))
            #expect(try client.reply().text == "one")
            #expect(try client.reply().status == 404)
            #expect(try client.reply().text == "two")
            #expect(try client.reply().status == 404)
            client.send("x" + KeepAliveTests.get)
            #expect(try client.reply().text == "hello")
            #expect(!server.log.events.contains("decide GET /late"))
        }
    }

    @Test(
        "A malformed chunk behind the answer ends the connection, and nothing behind it is a request",
        arguments: ["zz\r\n\r\n", "3\r\nabcd\r\n0\r\n\r\n", "0\r\nNo Trailer: t\r\n\r\n"])
    func malformed(rest: String) async throws {
        try await TestServer.run({ $0.discardTime = .seconds(300) }) { server in
            let client = try server.client()
            client.send(Self.chunked)
            #expect(try client.reply().status == 404)
            client.send(rest + KeepAliveTests.get)
            #expect(client.readToEnd() == ([], .fin))
            // What follows is discarded.
            #expect(client.send([UInt8](repeating: 0x61, count: 100_000)))
            client.close()
            try await server.connectionsLeft()
            #expect(server.log.events == ["decide POST /missing", "direct POST 404 completed"])
        }
    }

    @Test("A HEAD request with a body gets the head of its answer first")
    func head() async throws {
        try await TestServer.run { server in
            let client = try server.client()
            client.send("HEAD /missing HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\n")
            let reply = try client.reply(toHead: true)
            #expect(reply.status == 404)
            #expect(reply.value("Content-Length") == "7")
            client.send("abc" + KeepAliveTests.get)
            #expect(try client.reply().text == "hello")
        }
    }

    @Test("The 204 to OPTIONS does not wait for a body either")
    func options() async throws {
        try await TestServer.run { server in
            let client = try server.client()
            client.send("OPTIONS /hello HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
            #expect(try client.reply().status == 204)
            client.send("0\r\n\r\n" + KeepAliveTests.get)
            #expect(try client.reply().text == "hello")
        }
    }

    @Test("An answer that ends its connection comes first as well, and the body is discarded")
    func closing() async throws {
        for head in [
            "POST /missing HTTP/1.0\r\nContent-Length: 300000\r\n\r\n",
            "POST /missing HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 300000\r\n\r\n",
        ] {
            try await TestServer.run({ $0.discardTime = .seconds(300) }) { server in
                let client = try server.client()
                client.send(head)
                let reply = try client.reply()
                #expect(reply.status == 404)
                #expect(reply.value("Connection") == "close")
                #expect(client.readToEnd() == ([], .fin))
                #expect(client.send([UInt8](repeating: 0x61, count: 300_000)))
                client.close()
                try await server.connectionsLeft()
                #expect(server.log.count("direct POST 404 completed") == 1)
            }
        }
    }

    @Test("A request without room is refused before its body, and its connection stays open")
    func overload() async throws {
        try await TestServer.run({ $0.requestsInFlight = 1 }) { server in
            let first = try server.client()
            first.send(OverloadTests.later)
            try await server.log.wait(for: "held 1")
            let second = try server.client()
            second.send(Self.post("Content-Length: 3", to: "/echo"))
            let refusal = try second.reply()
            #expect(refusal.status == 503)
            #expect(refusal.values("Connection") == [])
            try await server.on { _, handler in handler.answerLater("done") }
            #expect(try first.reply().text == "done")
            second.send("abc" + PipelineTests.post("now"))
            #expect(try second.reply().text == "now")
        }
    }

    @Test("A client that leaves behind its answer is not reported again", arguments: [true, false])
    func leaves(isReset: Bool) async throws {
        try await TestServer.run({ $0.discardTime = .seconds(300) }) { server in
            let client = try server.client()
            client.send(Self.post("Content-Length: 3") + "a")
            #expect(try client.reply().status == 404)
            try await server.log.wait(for: "direct POST 404 completed")
            if isReset { client.reset() } else { client.close() }
            try await server.connectionsLeft()
            #expect(server.log.events == ["decide POST /missing", "direct POST 404 completed"])
        }
    }

    // MARK: Drain

    @Test("During a drain the answer before the body ends the connection, which discards the body")
    func drain() async throws {
        try await TestServer.run({
            $0.discardTime = .seconds(300)
            $0.drainGrace = .seconds(300)
        }) { server in
            let client = try server.idleClient()
            try await server.on { server, handler in
                server.onIdle = { handler.log.add("idle") }
                server.stopAccepting()
            }
            client.send(Self.post("Content-Length: 300000"))
            let reply = try client.reply()
            #expect(reply.status == 404)
            #expect(reply.value("Connection") == "close")
            #expect(client.readToEnd() == ([], .fin))
            #expect(client.send([UInt8](repeating: 0x61, count: 300_000)))
            client.close()
            try await server.log.wait(for: "idle")
        }
    }

    @Test("A drain does not wait for a body whose answer is out and that never comes")
    func drainWithoutBody() async throws {
        try await TestServer.run({ $0.discardTime = .milliseconds(100) }) { server in
            let client = try server.client()
            client.send(Self.post("Content-Length: 3"))
            #expect(try client.reply().status == 404)
            try await server.on { server, handler in
                server.onIdle = { handler.log.add("idle") }
                server.stopAccepting()
            }
            #expect(client.readToEnd() == ([], .fin))
            try await server.log.wait(for: "idle")
        }
    }

    @Test("A drain discards a body whose answer is out, and serves a request behind it")
    func drainWithBody() async throws {
        try await TestServer.run({
            $0.discardTime = .seconds(300)
            $0.drainGrace = .seconds(300)
        }) { server in
            let client = try server.client()
            client.send(Self.post("Content-Length: 3"))
            #expect(try client.reply().status == 404)
            try await server.on { server, _ in server.stopAccepting() }
            client.send("abc" + KeepAliveTests.get)
            let reply = try client.reply()
            #expect(reply.text == "hello")
            #expect(reply.value("Connection") == "close")
            #expect(client.readToEnd() == ([], .fin))
        }
    }

    // MARK: Exchanges

    @Test(
        "An exchange without its body starts before the body, and answers before or after it",
        arguments: [true, false])
    func ignored(isEarly: Bool) async throws {
        try await TestServer.run({ $0.discardTime = .seconds(300) }) { server in
            let client = try server.client()
            client.send(Self.post("Transfer-Encoding: chunked", to: "/ignored"))
            try await server.log.wait(for: "held 1")
            if !isEarly {
                client.send("3\r\nabc\r\n0\r\n\r\n" + KeepAliveTests.get)
                try await server.on { server, _ in #expect(server.requestsInFlight == 1) }
            }
            try await server.on { _, handler in
                #expect(handler.held[0].request.body.isEmpty)
                handler.answerLater("ignored")
            }
            let reply = try client.reply()
            #expect(reply.text == "ignored")
            #expect(reply.values("Connection") == [])
            if isEarly { client.send("3\r\nabc\r\n0\r\n\r\n" + KeepAliveTests.get) }
            #expect(try client.reply().text == "hello")
            #expect(try await server.on { server, _ in server.bodyBytes } == 0)
        }
    }

    @Test(
        "A malformed or endless body that nobody reads leaves the answer as it is, and ends the connection",
        arguments: ["zz\r\n\r\n", "b\r\n0123456789x\r\n0\r\n\r\n"])
    func ignoredFailure(rest: String) async throws {
        try await TestServer.run({
            $0.discardTime = .seconds(300)
            $0.discardedBytes = 10
        }) { server in
            let client = try server.client()
            client.send(Self.post("Transfer-Encoding: chunked", to: "/ignored"))
            try await server.log.wait(for: "held 1")
            client.send(rest + KeepAliveTests.get)
            // The loop reads what has arrived.
            try await poll(
                while: try await server.on { server, _ in server.serving[0]?.state.isClosing == false }
            ) {
                "the body is still read"
            }
            try await server.on { _, handler in handler.answerLater("ignored") }
            let reply = try client.reply()
            #expect(reply.text == "ignored")
            #expect(reply.value("Connection") == "close")
            #expect(client.readToEnd() == ([], .fin))
            #expect(!server.log.events.contains("decide GET /hello"))
        }
    }

    @Test(
        "The connection ends after an answer that its client takes slowly, although its body has failed by then",
        arguments: ["zz\r\n\r\n", "b\r\n0123456789x\r\n0\r\n\r\n"])
    func slowReader(rest: String) async throws {
        try await TestServer.run({
            $0.discardTime = .seconds(300)
            $0.discardedBytes = 10
        }) { server in
            let client = try server.client(receiveBuffer: 4096)
            client.send(Self.post("Transfer-Encoding: chunked", to: "/ignored"))
            try await server.log.wait(for: "held 1")
            let text = String(repeating: "x", count: 4 << 20)
            try await server.on { _, handler in handler.answerLater(text) }
            try await server.outputWaits()
            client.send(rest)
            try await poll(
                while: try await server.on { server, _ in server.serving[0]?.state.isClosing == false }
            ) {
                "the body is still read"
            }
            #expect(try client.reply().text == text)
            #expect(client.readToEnd() == ([], .fin))
        }
    }

    @Test("A body that nobody reads and that never comes delays no answer, and ends the connection after it")
    func ignoredSilence() async throws {
        try await TestServer.run({
            $0.discardTime = .milliseconds(30)
            $0.bodyDeadline = .milliseconds(1)
        }) { server in
            let client = try server.client()
            client.send(Self.post("Content-Length: 3", to: "/ignored"))
            try await server.log.wait(for: "held 1")
            try await server.on { _, handler in handler.answerLater("ignored") }
            #expect(try client.reply().text == "ignored")
            #expect(client.readToEnd() == ([], .fin))
            try await server.log.wait(for: "finished /ignored completed")
            #expect(!server.log.events.contains { $0.hasPrefix("refused") || $0.hasPrefix("direct") })
        }
    }

    @Test("A client that leaves before the answer is reported as gone, once")
    func ignoredAndGone() async throws {
        try await TestServer.run { server in
            let client = try server.client()
            client.send(Self.post("Content-Length: 3", to: "/ignored") + "a")
            try await server.log.wait(for: "held 1")
            client.close()
            try await server.log.wait(for: "finished /ignored clientGone")
            #expect(try await server.on { _, handler in handler.direct.count } == 0)
        }
    }
}
