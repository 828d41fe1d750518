import EventIO
import TestSupport
import Testing

@testable import HTTPInbound

@Suite(.timeLimit(.minutes(1)), .bothCarriers)
struct PipelineTests {
    static func post(_ text: String) -> String {
        "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)"
    }

    @Test(
        "After a malformed pipelined request the server answers the earlier ones, sends the error and closes")
    func malformedAmongMany() async throws {
        try await TestServer.run { server in
            let client = try server.client()
            client.send(
                KeepAliveTests.get + "GET  /hello HTTP/1.1\r\nHost: x\r\n\r\n"
                    + String(repeating: KeepAliveTests.get, count: 998))
            #expect(try client.reply().status == 200)
            let refusal = try client.reply()
            #expect(refusal.status == 400)
            #expect(refusal.value("Connection") == "close")
            #expect(client.readToEnd() == ([], .fin))
        }
    }

    @Test("The error for a malformed request waits for the pending answer before it")
    func malformedBehindPending() async throws {
        try await TestServer.run { server in
            let client = try server.client()
            client.send("GET /later HTTP/1.1\r\nHost: x\r\n\r\nBAD\r\n\r\n")
            try await server.log.wait(for: "held 1")
            try await server.on { _, handler in handler.answerLater("first") }
            #expect(try client.reply().text == "first")
            #expect(try client.reply().status == 400)
            #expect(client.readToEnd() == ([], .fin))
        }
    }

    @Test("Requests that arrive together are answered in order, each with its body")
    func inOrder() async throws {
        try await TestServer.run { server in
            let client = try server.client()
            client.send((0..<500).map { Self.post("body \($0)") }.joined())
            for index in 0..<500 { #expect(try client.reply().text == "body \(index)") }
        }
    }

    @Test("A request is handled only after the previous one is answered")
    func oneAtATime() async throws {
        try await TestServer.run { server in
            let client = try server.client()
            let later = "GET /later HTTP/1.1\r\nHost: x\r\n\r\n"
            client.send(later + Self.post("between") + later + KeepAliveTests.get)
            try await server.log.wait(for: "held 1")
            #expect(try await server.on { _, handler in handler.held.count } == 1)
            #expect(server.log.events == ["decide GET /later", "held 1"])
            try await server.on { _, handler in handler.answerLater("one") }
            #expect(try client.reply().text == "one")
            #expect(try client.reply().text == "between")
            try await server.log.wait(for: "decide GET /later")
            try await server.on { _, handler in handler.answerLater("three") }
            #expect(try client.reply().text == "three")
            #expect(try client.reply().text == "hello")
        }
    }

    @Test("While a request waits behind another, further input stays in the kernel")
    func pausesReading() async throws {
        try await TestServer.run({ $0.requestsPerConnection = .max }) { server in
            let client = try server.client()
            client.send("GET /later HTTP/1.1\r\nHost: x\r\n\r\n")
            try await server.log.wait(for: "held 1")
            let sent = Array(String(repeating: KeepAliveTests.get, count: 5000).utf8)
            #expect(client.send(sent))
            // The loop gets several turns, in which it could read everything.
            for _ in 0..<10 { try await server.on { _, _ in } }
            #expect(try await server.on { server, _ in server.serving[0]?.pending.count ?? 0 } <= 65_536)
            try await server.on { _, handler in handler.answerLater("first") }
            #expect(try client.reply().text == "first")
            for _ in 0..<5000 { #expect(try client.reply().text == "hello") }
        }
    }

    @Test("The server stops reading from a client that does not read its answers")
    func backpressure() async throws {
        try await TestServer.run { server in
            let client = try server.client(receiveBuffer: 4096)
            // Each answer is 4 MiB, so the second one does not begin while the first waits for the client.
            client.send(String(repeating: "GET /large HTTP/1.1\r\nHost: x\r\n\r\n", count: 100))
            try await server.log.wait(for: "decide GET /large")
            #expect(try await server.on { server, _ in server.requestsInFlight } == 0)
            #expect(server.log.count("decide GET /large") == 1)
            for _ in 0..<3 { #expect(try client.reply().body == TestHandler.large.flatMap { $0 }) }
        }
    }

    @Test("A 100 waits for the previous answer")
    func continueInOrder() async throws {
        try await TestServer.run { server in
            let client = try server.client()
            client.send(
                "GET /later HTTP/1.1\r\nHost: x\r\n\r\n"
                    + "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n")
            try await server.log.wait(for: "held 1")
            #expect(!server.log.events.contains("decide POST /echo"))
            try await server.on { _, handler in handler.answerLater("first") }
            #expect(try client.reply().text == "first")
            #expect(try client.reply().status == 100)
            client.send("abc")
            #expect(try client.reply().text == "abc")
        }
    }
}
