import TestSupport
import Testing

@testable import HTTPInbound

@Suite(.timeLimit(.minutes(1)), .bothCarriers)
struct DrainTests {
    static let later = "GET /later HTTP/1.1\r\nHost: x\r\n\r\n"

    private func stopAccepting(_ server: TestServer) async throws {
        try await server.on { server, handler in
            server.onIdle = { handler.log.add("idle") }
            server.stopAccepting()
        }
    }

    @Test("After a drain is announced, every request is served with Connection: close")
    func announced() async throws {
        try await TestServer.run { server in
            let open = try server.client()
            open.send(KeepAliveTests.get)
            #expect(try open.reply().value("Connection") == nil)
            try await server.on { server, _ in server.beginDrain() }
            let new = try server.client()
            for client in [open, new] {
                client.send(KeepAliveTests.get)
                let reply = try client.reply()
                #expect(reply.status == 200)
                #expect(reply.value("Connection") == "close")
                #expect(client.readToEnd() == ([], .fin))
            }
        }
    }

    @Test(
        "Once the listener is closed, a further request on an open connection is served with Connection: close"
    )
    func furtherRequest() async throws {
        try await TestServer.run({ $0.drainGrace = .seconds(3600) }) { server in
            let client = try server.client()
            client.send(KeepAliveTests.get)
            _ = try client.reply()
            try await stopAccepting(server)
            client.send(KeepAliveTests.get)
            let reply = try client.reply()
            #expect(reply.status == 200)
            #expect(reply.value("Connection") == "close")
            #expect(client.readToEnd() == ([], .fin))
            client.close()
            try await server.log.wait(for: "idle")
        }
    }

    @Test("All requests that have arrived before an answer are answered, and the last of them closes")
    func pipelined() async throws {
        try await TestServer.run({ $0.drainGrace = .seconds(3600) }) { server in
            let client = try server.client()
            client.send(Self.later + Self.later + KeepAliveTests.get + KeepAliveTests.get)
            try await server.log.wait(for: "held 1")
            try await stopAccepting(server)
            for _ in 1...2 {
                try await server.on { _, handler in handler.answerLater("in time") }
                let reply = try client.reply()
                #expect(reply.text == "in time")
                #expect(reply.value("Connection") == nil)
            }
            #expect(try client.reply().value("Connection") == nil)
            #expect(try client.reply().value("Connection") == "close")
            #expect(client.readToEnd() == ([], .fin))
            client.close()
            try await server.log.wait(for: "idle")
        }
    }

    @Test("Connections in the backlog are accepted and served before the listener closes")
    func backlog() async throws {
        try await TestServer.run { server in
            let clients = try await server.whileBusy {
                try (0..<20).map { _ in
                    let client = try server.client()
                    client.send(KeepAliveTests.get)
                    return client
                }
            } then: { server, handler in
                #expect(server.connectionCount == 0)
                server.onIdle = { handler.log.add("idle") }
                server.stopAccepting()
                #expect(server.connectionCount == 20)
            }
            #expect(clients.count == 20)
            for client in clients {
                let reply = try client.reply()
                #expect(reply.status == 200)
                #expect(reply.value("Connection") == "close")
                client.close()
            }
            try await server.log.wait(for: "idle")
            #expect(throws: RawClient.Broken.self) { try server.client() }
        }
    }

    @Test("The server becomes idle after it sends a pending answer")
    func pending() async throws {
        try await TestServer.run { server in
            let client = try server.client()
            client.send(Self.later)
            try await server.log.wait(for: "held 1")
            try await stopAccepting(server)
            #expect(!server.log.events.contains("idle"))
            try await server.on { _, handler in handler.answerLater("in time") }
            let reply = try client.reply()
            #expect(reply.text == "in time")
            #expect(reply.value("Connection") == "close")
            client.close()
            try await server.log.wait(for: "idle")
        }
    }

    @Test("Idle and silent connections are closed after the drain grace")
    func idleConnections() async throws {
        try await TestServer.run({ $0.drainGrace = .milliseconds(30) }) { server in
            let idle = try server.client()
            idle.send(KeepAliveTests.get)
            _ = try idle.reply()
            let silent = try server.client()
            try await stopAccepting(server)
            #expect(idle.readToEnd() == ([], .fin))
            #expect(silent.readToEnd() == ([], .fin))
            try await server.log.wait(for: "idle")
        }
    }

    @Test("A server without connections becomes idle at once")
    func nobody() async throws {
        try await TestServer.run { server in
            try await stopAccepting(server)
            #expect(server.log.events == ["idle"])
        }
    }

    @Test("Connections still open at the drain deadline are reset")
    func deadline() async throws {
        try await TestServer.run({ $0.drainDeadline = .milliseconds(50) }) { server in
            let client = try server.client()
            client.send(Self.later)
            try await server.log.wait(for: "held 1")
            try await stopAccepting(server)
            try await server.log.wait(for: "idle")
            try await server.log.wait(for: "finished /later drain")
            #expect(client.readToEnd().end == .reset)
        }
    }

    @Test("close resets all connections at once, and the server becomes idle")
    func close() async throws {
        try await TestServer.run { server in
            let client = try server.client()
            client.send(Self.later)
            try await server.log.wait(for: "held 1")
            try await server.on { server, handler in
                server.onIdle = { handler.log.add("idle") }
                server.close()
            }
            #expect(client.readToEnd().end == .reset)
            try await server.log.wait(for: "idle")
        }
    }
}
