import HTTPModel
import TestSupport
import Testing

@testable import HTTPInbound

@Suite(.timeLimit(.minutes(1)), .bothCarriers)
struct LeavingClientTests {
    enum Leave: Sendable, CaseIterable {
        case fin
        case reset
        case close
    }

    private func leave(_ client: RawClient, _ how: Leave) {
        switch how {
        case .fin: client.shutdownWrite()
        case .reset: client.reset()
        case .close: client.close()
        }
    }

    @Test(
        "A client that leaves while its answer is pending is reported to the handler once",
        arguments: Leave.allCases)
    func pending(how: Leave) async throws {
        try await TestServer.run { server in
            let client = try server.client()
            client.send("GET /later HTTP/1.1\r\nHost: x\r\n\r\n")
            try await server.log.wait(for: "held 1")
            leave(client, how)
            try await server.log.wait(for: "finished /later clientGone")
            #expect(server.log.count("gone /later") == 1)
            try await server.on { server, handler in
                #expect(server.connectionCount == 0)
                #expect(server.requestsInFlight == 0)
                #expect(handler.held[0].isOver)
                // The client has left, so this has no effect.
                handler.answerLater("too late")
            }
            #expect(server.log.count("finished /later clientGone") == 1)
            if how == .fin { #expect(client.readToEnd() == ([], .fin)) }
        }
    }

    @Test("A client that leaves while further requests wait is reported once", arguments: Leave.allCases)
    func pendingWithMoreBehind(how: Leave) async throws {
        try await TestServer.run { server in
            let client = try server.client()
            client.send("GET /later HTTP/1.1\r\nHost: x\r\n\r\n" + KeepAliveTests.get + KeepAliveTests.get)
            try await server.log.wait(for: "held 1")
            leave(client, how)
            try await server.log.wait(for: "finished /later clientGone")
            #expect(server.log.count("gone /later") == 1)
            #expect(!server.log.events.contains("decide GET /hello"))
            #expect(try await server.on { server, _ in server.connectionCount } == 0)
        }
    }

    @Test("A client is reported as gone if its requests and its FIN arrive together")
    func everythingAtOnce() async throws {
        try await TestServer.run { server in
            let client = try server.client()
            client.send(KeepAliveTests.get)
            _ = try client.reply()
            try await server.whileBusy {
                client.send(
                    "GET /later HTTP/1.1\r\nHost: x\r\n\r\n" + KeepAliveTests.get + KeepAliveTests.get)
                client.shutdownWrite()
            }
            try await server.log.wait(for: "finished /later clientGone")
            #expect(server.log.count("gone /later") == 1)
        }
    }

    @Test("A client that leaves during a stream is reported to the handler", arguments: Leave.allCases)
    func streaming(how: Leave) async throws {
        try await TestServer.run { server in
            let client = try server.client()
            client.send("GET /stream HTTP/1.1\r\nHost: x\r\n\r\n")
            _ = try client.read(through: "\r\n\r\n")
            leave(client, how)
            try await server.log.wait(for: "finished /stream clientGone")
            #expect(server.log.count("gone /stream") == 1)
            try await server.on { _, handler in
                handler.writers[0].write(Array("nobody".utf8)[...])
                handler.writers[0].finish()
            }
        }
    }

    @Test(
        "A client that leaves before or during its request gets no error",
        arguments: ["", "GET / HT", "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nabc"])
    func withinRequest(sent: String) async throws {
        try await TestServer.run { server in
            let client = try server.client()
            client.send(sent)
            client.shutdownWrite()
            #expect(client.readToEnd() == ([], .fin))
            #expect(!server.log.events.contains { $0.hasPrefix("refused") || $0.hasPrefix("gone") })
            #expect(try await server.on { server, _ in server.connectionCount } == 0)
        }
    }

    @Test(
        "A client that leaves during its request body is reported once, without an answer",
        arguments: Leave.allCases)
    func withinBody(how: Leave) async throws {
        try await TestServer.run { server in
            let client = try server.client()
            client.send("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nabc")
            try await server.log.wait(for: "decide POST /echo")
            leave(client, how)
            try await server.log.wait(for: "direct POST 0 clientGone")
            try await server.on { _, handler in
                #expect(handler.direct.count == 1)
                #expect(handler.direct[0].head?.target.path == "/echo")
                #expect(handler.direct[0].response == nil)
            }
        }
    }

    @Test("A client that closes its side while an answer is being sent gets the rest of it")
    func halfClosedWhileWriting() async throws {
        try await TestServer.run { server in
            let client = try server.client(receiveBuffer: 4096)
            client.send("GET /large HTTP/1.1\r\nHost: x\r\n\r\n")
            _ = try client.read(through: "\r\n\r\n")
            client.shutdownWrite()
            #expect(client.readToEnd() == (TestHandler.large.flatMap { $0 }, .fin))
            try await server.log.wait(for: "finished /large completed")
            #expect(server.log.count("gone /large") == 0)
        }
    }

    @Test("A client that resets before it takes the whole answer is reported as gone")
    func resetWhileWriting() async throws {
        try await TestServer.run { server in
            let client = try server.client(receiveBuffer: 4096)
            client.send("GET /large HTTP/1.1\r\nHost: x\r\n\r\n")
            _ = try client.read(through: "\r\n\r\n")
            client.reset()
            try await server.log.wait(for: "finished /large clientGone")
            #expect(try await server.on { server, _ in server.connectionCount } == 0)
        }
    }
}
