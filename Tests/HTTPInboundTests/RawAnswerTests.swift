import TestSupport
import Testing

@testable import HTTPInbound

@Suite(.timeLimit(.minutes(1)), .bothCarriers)
struct RawAnswerTests {
    @Test("abort resets the connection")
    func abort() async throws {
        try await TestServer.run { server in
            let client = try server.client()
            client.send("GET /abort HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(client.readToEnd() == ([], .reset))
            try await server.log.wait(for: "finished /abort aborted")
            #expect(try await server.on { server, _ in server.connectionCount } == 0)
        }
    }

    @Test("Raw bytes are sent unchanged, and closeRaw closes the connection")
    func raw() async throws {
        try await TestServer.run { server in
            let client = try server.client()
            client.send("GET /raw HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(client.readToEnd() == (Array("not HTTP at all".utf8), .fin))
            try await server.log.wait(for: "finished /raw completed")
        }
    }

    @Test("Raw bytes may be sent in several writes")
    func trickle() async throws {
        try await TestServer.run { server in
            let client = try server.client()
            client.send("GET /later HTTP/1.1\r\nHost: x\r\n\r\n")
            try await server.log.wait(for: "held 1")
            for letter in ["a", "b", "c"] {
                try await server.on { _, handler in handler.held[0].writeRaw(Array(letter.utf8)[...]) }
                #expect(try client.read(count: 1) == Array(letter.utf8))
            }
            try await server.on { _, handler in handler.held[0].abort() }
            #expect(client.readToEnd() == ([], .reset))
        }
    }

    @Test("Releasing the exchange after raw bytes resets the connection")
    func droppedRaw() async throws {
        try await TestServer.run { server in
            let client = try server.client()
            client.send("GET /later HTTP/1.1\r\nHost: x\r\n\r\n")
            try await server.log.wait(for: "held 1")
            try await server.on { _, handler in
                handler.held[0].writeRaw([120])
                handler.forget()
            }
            #expect(client.readToEnd().end == .reset)
        }
    }
}
