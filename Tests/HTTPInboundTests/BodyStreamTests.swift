import EventIO
import HTTPModel
import TestSupport
import Testing

@testable import HTTPInbound

@Suite("Bodies that are read as they arrive", .timeLimit(.minutes(1)), .bothCarriers)
struct BodyStreamTests {
    static func post(_ fields: String, to path: String = "/upload", version: String = "1.1") -> String {
        "POST \(path) HTTP/\(version)\r\nHost: x\r\n\(fields)\r\n\r\n"
    }

    static let chunked = post("Transfer-Encoding: chunked")

    /// Bytes that show a lost, repeated or moved piece.
    static func pattern(_ count: Int) -> [UInt8] {
        let block = (0..<10_007).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + block.count)
        while bytes.count < count { bytes += block }
        bytes.removeLast(bytes.count - count)
        return bytes
    }

    struct Request: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var text: String
        var body: String
    }

    static let requests = [
        Request(
            testDescription: "Content-Length", text: post("Content-Length: 11") + "hello world",
            body: "hello world"),
        Request(
            testDescription: "chunked", text: chunked + "5\r\nhello\r\n6;x=y\r\n world\r\n0\r\nA: b\r\n\r\n",
            body: "hello world"),
        Request(testDescription: "no body", text: "POST /upload HTTP/1.1\r\nHost: x\r\n\r\n", body: ""),
        Request(testDescription: "an empty body", text: post("Content-Length: 0"), body: ""),
    ]

    @Test("The exchange begins with the head, and reads any body to its end", arguments: requests)
    func reads(request: Request) async throws {
        try await TestServer.run { server in
            let client = try server.client()
            for round in 1...2 {
                client.send(request.text)
                try await server.log.wait(for: "upload \(round)")
                try await server.on { _, handler in handler.uploads[round - 1].readAll() }
                try await poll(while: server.log.count("body ended") < round) { server.log.recent }
                let received = try await server.on { _, handler in
                    let upload = handler.uploads[round - 1]
                    #expect(upload.exchange.request.body.isEmpty)
                    #expect(upload.exchange.bytesReceived == request.text.utf8.count)
                    upload.answer("read")
                    return upload.received
                }
                #expect(String(decoding: received, as: UTF8.self) == request.body)
                let reply = try client.reply()
                #expect(reply.text == "read")
                #expect(reply.value("Connection") == nil)
            }
        }
    }

    @Test(
        "A body that arrives one byte at a time is read whole, also with HTTP/1.0", arguments: ["1.0", "1.1"])
    func trickle(version: String) async throws {
        try await TestServer.run { server in
            let client = try server.client()
            client.send(Self.post("Content-Length: 20", version: version))
            try await server.log.wait(for: "upload 1")
            try await server.on { _, handler in handler.uploads[0].readAll() }
            for byte in Self.pattern(20) { client.send([byte]) }
            try await server.log.wait(for: "body ended")
            let received = try await server.on { _, handler in
                handler.uploads[0].answer("read")
                return handler.uploads[0].received
            }
            #expect(received == Self.pattern(20))
            #expect(try client.reply().text == "read")
        }
    }

    @Test("A client with 64 MiB is blocked while nobody reads, and everything arrives once somebody does")
    func backpressure() async throws {
        try await TestServer.run { server in
            let client = try server.client()
            let body = Self.pattern(64 << 20)
            client.send(Self.post("Content-Length: \(body.count)"))
            try await server.log.wait(for: "upload 1")
            let sent = client.sendUntilBlocked(body, for: 200)
            // What the kernel's buffers hold, and the unread bytes.
            #expect(sent < 32 << 20)
            let unread = try await server.on { server, _ in server.bodyBytes }
            #expect(unread >= 64 << 10)
            #expect(unread <= 128 << 10)
            // Used by one task at a time: this one awaits it before it reads the reply.
            nonisolated(unsafe) let sender = client
            let sending = Task.detached { sender.send(Array(body[sent...])) }
            try await server.on { _, handler in handler.uploads[0].readAll() }
            try await server.log.wait(for: "body ended")
            #expect(await sending.value)
            let isSame = try await server.on { _, handler in
                handler.uploads[0].answer("read")
                return handler.uploads[0].received == body
            }
            #expect(isSame)
            #expect(try client.reply().text == "read")
            #expect(try await server.on { server, _ in server.bodyBytes } == 0)
        }
    }

    @Test("A body whose last bytes fill the connection is read to its end")
    func fullAtTheEnd() async throws {
        try await TestServer.run({ $0.unreadBody = 4 }) { server in
            let client = try server.client()
            for round in 1...2 {
                client.send(Self.post("Content-Length: 5") + "hello")
                try await server.log.wait(for: "upload \(round)")
                try await server.on { _, handler in handler.uploads[round - 1].readAll() }
                try await poll(while: server.log.count("body ended") < round) { server.log.recent }
                try await server.on { _, handler in handler.uploads[round - 1].answer("read") }
                #expect(try client.reply().text == "read")
            }
        }
    }

    @Test("A late reader gets all that has arrived in pieces of at most 64 KiB")
    func lateReader() async throws {
        try await TestServer.run { server in
            let client = try server.client()
            let body = Self.pattern(1 << 20)
            client.send(Self.post("Content-Length: \(body.count)"))
            try await server.log.wait(for: "upload 1")
            let sent = client.sendUntilBlocked(body, for: 50)
            // Used by one task at a time: this one awaits it before it reads the reply.
            nonisolated(unsafe) let sender = client
            let sending = Task.detached { sender.send(Array(body[sent...])) }
            try await server.on { _, handler in handler.uploads[0].readAll() }
            try await server.log.wait(for: "body ended")
            #expect(await sending.value)
            let (isSame, longest) = try await server.on { server, handler in
                handler.uploads[0].answer("read")
                #expect(server.bodyBytes == 0)
                return (handler.uploads[0].received == body, handler.uploads[0].longestPiece)
            }
            #expect(isSame)
            #expect(longest <= 64 << 10)
            #expect(try client.reply().text == "read")
        }
    }

    @Test("Many tiny chunks reach the reader as few pieces")
    func tinyChunks() async throws {
        try await TestServer.run { server in
            let client = try server.client()
            _ = try await server.whileBusy {
                client.send(Self.chunked + String(repeating: "1\r\nx\r\n", count: 5000) + "0\r\n\r\n")
            }
            try await server.log.wait(for: "upload 1")
            try await server.on { _, handler in handler.uploads[0].readAll() }
            try await server.log.wait(for: "body ended")
            try await server.on { _, handler in
                #expect(handler.uploads[0].received.count == 5000)
                #expect(handler.uploads[0].pieces < 20)
                handler.uploads[0].answer("read")
            }
            #expect(try client.reply().status == 200)
        }
    }

    @Test("The reader learns that the client has left", arguments: [true, false])
    func clientLeaves(isReading: Bool) async throws {
        try await TestServer.run { server in
            let client = try server.client()
            client.send(Self.post("Content-Length: 1000") + "some")
            try await server.log.wait(for: "upload 1")
            try await server.on { _, handler in handler.uploads[0].readPiece() }
            try await server.log.wait(for: "piece 4")
            if isReading { try await server.on { _, handler in handler.uploads[0].readPiece() } }
            client.close()
            try await server.log.wait(for: "finished /upload clientGone")
            if !isReading { try await server.on { _, handler in handler.uploads[0].readPiece() } }
            try await server.log.wait(for: "body over clientGone")
            #expect(try await server.on { server, _ in server.bodyBytes + server.requestsInFlight } == 0)
        }
    }

    @Test("The client is seen to leave while its body is not read")
    func clientLeavesBlocked() async throws {
        try await TestServer.run { server in
            let client = try server.client()
            client.send(Self.post("Content-Length: \(64 << 20)"))
            try await server.log.wait(for: "upload 1")
            _ = client.sendUntilBlocked(Self.pattern(32 << 20), for: 50)
            client.reset()
            try await server.log.wait(for: "finished /upload clientGone")
            #expect(try await server.on { server, _ in server.bodyBytes } == 0)
        }
    }

    @Test("A pending read ends with the drain deadline")
    func drain() async throws {
        try await TestServer.run({ $0.drainDeadline = .milliseconds(30) }) { server in
            let client = try server.client()
            client.send(Self.post("Content-Length: 1000"))
            try await server.log.wait(for: "upload 1")
            try await server.on { server, handler in
                handler.uploads[0].readPiece()
                server.stopAccepting()
            }
            try await server.log.wait(for: "body over drain")
            try await server.log.wait(for: "finished /upload drain")
            #expect(client.readToEnd().end == .reset)
        }
    }
}
