import EventIO
import TestSupport
import Testing

@testable import HTTPInbound

@Suite("Streamed bodies that are refused, or answered early", .timeLimit(.minutes(1)), .bothCarriers)
struct BodyStreamFailureTests {
    private static func post(_ fields: String, to path: String = "/upload") -> String {
        BodyStreamTests.post(fields, to: path)
    }

    /// Reads the body of the first upload until it fails, then drops the exchange.
    private static func readAndDrop(_ server: TestServer, until event: String) async throws {
        try await server.log.wait(for: "upload 1")
        try await server.on { _, handler in handler.uploads[0].readAll() }
        try await server.log.wait(for: event)
        try await server.on { _, handler in handler.forget() }
    }

    @Test("A Content-Length over the limit gets 413 without an exchange and without a 100")
    func tooLongByLength() async throws {
        try await TestServer.run { server in
            let client = try server.client()
            client.send(Self.post("Content-Length: 11\r\nExpect: 100-continue", to: "/short"))
            let reply = try client.reply()
            #expect(reply.status == 413)
            #expect(reply.value("Connection") == "close")
            #expect(client.readToEnd() == ([], .fin))
            #expect(!server.log.events.contains("upload 1"))
        }
    }

    @Test("The limit of a streamed body may exceed that of buffered ones")
    func largerThanBuffered() async throws {
        try await TestServer.run({ $0.requestBody = 10 }) { server in
            let client = try server.client()
            client.send(Self.post("Content-Length: 11") + "hello world")
            try await server.log.wait(for: "upload 1")
            try await server.on { _, handler in handler.uploads[0].readAll() }
            try await server.log.wait(for: "body ended")
            try await server.on { _, handler in handler.uploads[0].answer("read") }
            #expect(try client.reply().text == "read")
        }
    }

    @Test("A chunked body over the limit fails, and an exchange that is dropped then is answered 413")
    func tooLongByChunks() async throws {
        try await TestServer.run { server in
            let client = try server.client()
            client.send(
                Self.post("Transfer-Encoding: chunked", to: "/short")
                    + "5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n")
            try await Self.readAndDrop(server, until: "body refused 413 body_too_large")
            let reply = try client.reply()
            #expect(reply.status == 413)
            #expect(reply.value("Connection") == "close")
            #expect(client.readToEnd() == ([], .fin))
        }
    }

    @Test(
        "A malformed chunk fails the body with 400 after the bytes before it, and nothing behind it is a request"
    )
    func malformed() async throws {
        try await TestServer.run { server in
            let client = try server.client()
            client.send(BodyStreamTests.chunked + "5\r\nhello\r\nzz\r\n\r\n" + KeepAliveTests.get)
            try await server.log.wait(for: "upload 1")
            try await server.on { _, handler in handler.uploads[0].readAll() }
            try await server.log.wait(for: "body refused 400 malformed")
            try await server.on { _, handler in
                #expect(handler.uploads[0].received == Array("hello".utf8))
                handler.uploads[0].answer("enough")
            }
            let reply = try client.reply()
            #expect(reply.text == "enough")
            #expect(reply.value("Connection") == "close")
            #expect(client.readToEnd() == ([], .fin))
            #expect(!server.log.events.contains("decide GET /hello"))
        }
    }

    @Test("A body that stalls while it is read fails with 408")
    func stalled() async throws {
        try await TestServer.run({ $0.bodyDeadline = .milliseconds(30) }) { server in
            let client = try server.client()
            client.send(Self.post("Content-Length: 100") + "ab")
            try await Self.readAndDrop(server, until: "body refused 408 timeout")
            let reply = try client.reply()
            #expect(reply.status == 408)
            #expect(reply.value("Connection") == "close")
            #expect(client.readToEnd() == ([], .fin))
        }
    }

    @Test("Unread bytes count as memory of bodies; beyond it, the body fails with 503")
    func tooManyBytesHeld() async throws {
        try await TestServer.run({ $0.bufferedBodies = 100 }) { server in
            let client = try server.client()
            _ = try await server.whileBusy {
                client.send(Self.post("Content-Length: 101") + String(repeating: "x", count: 101))
            }
            try await Self.readAndDrop(server, until: "body refused 503 body_memory")
            #expect(try client.reply().status == 503)
            #expect(try await server.on { server, _ in server.bodyBytes } == 0)
        }
    }

    @Test("The 100 that a client expects is sent when the body is first read, and counts as sent")
    func sendsContinue() async throws {
        try await TestServer.run { server in
            let client = try server.client()
            client.send(Self.post("Content-Length: 4\r\nExpect: 100-continue"))
            try await server.log.wait(for: "upload 1")
            try await server.on { _, handler in
                #expect(handler.uploads[0].exchange.bytesSent == 0)
                handler.uploads[0].readAll()
                #expect(handler.uploads[0].exchange.bytesSent == 25)
            }
            #expect(try client.read(through: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
            client.send("body")
            try await server.log.wait(for: "body ended")
            try await server.on { _, handler in handler.uploads[0].answer("read") }
            let reply = try client.reply()
            #expect(reply.text == "read")
            #expect(reply.value("Connection") == nil)
        }
    }

    @Test("An answer without a read is sent instead of the 100, and the connection closes")
    func answersInsteadOfContinue() async throws {
        try await TestServer.run { server in
            let client = try server.client()
            client.send(Self.post("Content-Length: 4\r\nExpect: 100-continue"))
            try await server.log.wait(for: "upload 1")
            try await server.on { _, handler in handler.uploads[0].answer("no") }
            let reply = try client.reply()
            #expect(reply.text == "no")
            #expect(reply.value("Connection") == "close")
            #expect(client.readToEnd() == ([], .fin))
        }
    }

    @Test("After an early answer the rest of the body is discarded and never read as a request")
    func early() async throws {
        try await TestServer.run({ $0.discardTime = .seconds(60) }) { server in
            let client = try server.client()
            client.send(Self.post("Content-Length: 1000000") + KeepAliveTests.get)
            try await server.log.wait(for: "upload 1")
            try await server.on { _, handler in
                handler.uploads[0].readPiece()
                handler.uploads[0].readPiece()
                handler.uploads[0].answer("enough")
            }
            try await server.log.wait(for: "body over completed")
            let rest = Array(String(repeating: KeepAliveTests.get, count: 3000).utf8)
            #expect(client.send(rest))
            let reply = try client.reply()
            #expect(reply.text == "enough")
            #expect(reply.value("Connection") == "close")
            #expect(client.readToEnd() == ([], .fin))
            #expect(server.log.count("decide GET /hello") == 0)
            #expect(try await server.on { server, _ in server.bodyBytes } == 0)
        }
    }

    @Test("A body that has arrived unread lets the connection serve the next request")
    func unread() async throws {
        try await TestServer.run { server in
            let client = try server.client()
            _ = try await server.whileBusy {
                client.send(Self.post("Content-Length: 4") + "body" + KeepAliveTests.get)
            }
            try await server.log.wait(for: "upload 1")
            try await server.on { _, handler in handler.uploads[0].answer("unread") }
            #expect(try client.reply().text == "unread")
            #expect(try client.reply().text == "hello")
            try await server.on { server, handler in
                #expect(server.bodyBytes == 0)
                handler.uploads[0].readPiece()
            }
            try await server.log.wait(for: "body over completed")
        }
    }

    @Test("An answer can be streamed while the body is still read")
    func bothWays() async throws {
        try await TestServer.run { server in
            let client = try server.client()
            client.send(Self.post("Content-Length: 8") + "ping")
            try await server.log.wait(for: "upload 1")
            try await server.on { _, handler in handler.uploads[0].readPiece() }
            try await server.log.wait(for: "piece 4")
            try await server.on { _, handler in handler.streamUpload() }
            _ = try client.read(through: "\r\n\r\n")
            client.send("pong")
            try await server.log.wait(for: "body ended")
            try await server.on { _, handler in
                handler.writers[0].write(handler.uploads[0].received[...])
                handler.writers[0].finish()
            }
            #expect(try client.read(through: "0\r\n\r\n") == "8\r\npingpong\r\n0\r\n\r\n")
            #expect(client.readToEnd() == ([], .fin))
        }
    }
}
