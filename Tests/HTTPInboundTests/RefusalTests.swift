import TestSupport
import Testing

@testable import HTTPInbound

@Suite(.timeLimit(.minutes(1)), .bothCarriers)
struct RefusalTests {
    struct Bad: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var bytes: String
        var status: Int
        /// The method as logged: the text before the first space.
        var method: String { bytes.first == "\u{16}" ? "-" : String(bytes.prefix { $0 != " " }) }

        init(_ name: String, _ bytes: String, _ status: Int) {
            testDescription = name
            self.bytes = bytes
            self.status = status
        }
    }

    static let bad: [Bad] = [
        Bad("bare LF", "GET / HTTP/1.1\nHost: x\n\n", 400),
        Bad("no Host", "GET / HTTP/1.1\r\n\r\n", 400),
        Bad(
            "two lengths", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", 400
        ),
        Bad(
            "length and chunks",
            "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
        Bad("unknown coding", "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\n", 501),
        Bad("CONNECT", "CONNECT x:80 HTTP/1.1\r\nHost: x\r\n\r\n", 405),
        Bad("HTTP/2", "GET / HTTP/2.0\r\nHost: x\r\n\r\n", 505),
        Bad(
            "long target", "GET /" + String(repeating: "a", count: 8192) + " HTTP/1.1\r\nHost: x\r\n\r\n", 414
        ),
        Bad(
            "long line",
            "GET / HTTP/1.1\r\nHost: x\r\nA: " + String(repeating: "a", count: 16_384) + "\r\n\r\n", 431),
        Bad(
            "many fields",
            "GET / HTTP/1.1\r\nHost: x\r\n" + String(repeating: "A: b\r\n", count: 100) + "\r\n", 431),
        Bad(
            "large block",
            "GET / HTTP/1.1\r\nHost: x\r\n"
                + String(repeating: "A: " + String(repeating: "a", count: 6000) + "\r\n", count: 3) + "\r\n",
            431),
        Bad("TLS", "\u{16}\u{3}\u{1}\u{2}\u{0}\r\n\r\n", 400),
    ]

    @Test(
        "A malformed request gets one error with Connection: close, and then the connection closes",
        arguments: bad)
    func malformed(_ row: Bad) async throws {
        try await TestServer.run { server in
            let client = try server.client()
            client.send(row.bytes + KeepAliveTests.get)
            let reply = try client.reply()
            #expect(reply.status == row.status)
            #expect(reply.values("Connection") == ["close"])
            #expect(reply.values("Date").count == 1)
            #expect(reply.text.hasPrefix("malformed: "))
            #expect(reply.text.dropFirst("malformed: ".count).first?.isUppercase == true, "\(reply.text)")
            #expect(client.readToEnd() == ([], .fin))
            #expect(!server.log.events.contains("decide GET /hello"))
            try await server.log.wait(for: "direct \(row.method) \(row.status) completed")
        }
    }

    @Test("A refused HEAD gets no body (RFC 9110, section 9.3.2)")
    func malformedHead() async throws {
        try await TestServer.run { server in
            let client = try server.client()
            client.send("HEAD / HTTP/1.1\r\n\r\n")
            let reply = try client.reply(toHead: true)
            #expect(reply.status == 400)
            #expect(reply.value("Content-Length").flatMap { Int($0) } ?? 0 > 0)
            #expect(client.readToEnd() == ([], .fin))
        }
    }

    @Test("The configured limits apply")
    func ownLimits() async throws {
        try await TestServer.run({
            $0.target = 10
            $0.headerCount = 2
            $0.headerLine = 20
            $0.headerBlock = 30
        }) { server in
            for (bytes, status) in [
                ("GET /hello HTTP/1.1\r\nHost: x\r\n\r\n", 200),
                ("GET /hello?1234 HTTP/1.1\r\nHost: x\r\n\r\n", 414),
                ("GET / HTTP/1.1\r\nHost: x\r\nA: b\r\nC: d\r\n\r\n", 431),
                ("GET / HTTP/1.1\r\nHost: 123456789012345\r\n\r\n", 431),
                ("GET / HTTP/1.1\r\nHost: 12345678901\r\nA: 1234567890\r\n\r\n", 431),
            ] {
                let client = try server.client()
                client.send(bytes)
                #expect(try client.reply().status == status)
            }
        }
    }

    @Test("The server closes its side right after the error, while the client may still send")
    func shutsAtOnce() async throws {
        try await TestServer.run({ $0.discardTime = .seconds(3600) }) { server in
            let client = try server.client()
            client.send("BAD\r\n\r\n")
            #expect(try client.reply().status == 400)
            #expect(client.readToEnd() == ([], .fin))
            // Further input is discarded and does no harm.
            #expect(client.send([UInt8](repeating: 0, count: 65_000)))
            #expect(try await server.on { server, _ in server.connectionCount } == 1)
            client.close()
        }
    }

    @Test("A client that keeps sending after the error is disconnected")
    func discardsOnlySoMuch() async throws {
        try await TestServer.run({ $0.discardTime = .seconds(3600) }) { server in
            let client = try server.client()
            client.send("BAD\r\n\r\n")
            #expect(try client.reply().status == 400)
            var sent = 0
            while sent < 64 << 20, client.send([UInt8](repeating: 0, count: 65_536)) { sent += 65_536 }
            #expect(sent < 64 << 20)
            #expect(try await server.on { server, _ in server.connectionCount } == 0)
        }
    }

    @Test("A client that keeps the connection open after the error is disconnected")
    func discardsOnlySoLong() async throws {
        try await TestServer.run({ $0.discardTime = .milliseconds(30) }) { server in
            let client = try server.client()
            client.send("BAD\r\n\r\n")
            #expect(try client.reply().status == 400)
            try await server.connectionsLeft()
        }
    }

    @Test("A head that takes too long gets 408")
    func lateHead() async throws {
        try await TestServer.run({ $0.headerDeadline = .milliseconds(30) }) { server in
            let client = try await server.whileBusy {
                let client = try server.client()
                client.send("GET / HT")
                return client
            }
            let reply = try client.reply()
            #expect(reply.status == 408)
            #expect(reply.value("Connection") == "close")
            #expect(reply.text.hasPrefix("timeout: "))
            #expect(client.readToEnd() == ([], .fin))
        }
    }

    @Test("A connection that sends no byte is closed silently")
    func silent() async throws {
        try await TestServer.run({ $0.headerDeadline = .milliseconds(30) }) { server in
            let client = try server.client()
            #expect(client.readToEnd() == ([], .fin))
            #expect(server.log.events == [])
        }
    }

    @Test("The head of a later request that takes too long also gets 408")
    func lateLaterHead() async throws {
        try await TestServer.run({ $0.headerDeadline = .milliseconds(100) }) { server in
            let client = try await server.whileBusy {
                let client = try server.client()
                client.send(KeepAliveTests.get + "GET / HT")
                return client
            }
            #expect(try client.reply().status == 200)
            #expect(try client.reply().status == 408)
        }
    }

    @Test("Releasing an unanswered exchange sends a 500, and the connection stays open")
    func droppedExchange() async throws {
        try await TestServer.run { server in
            let client = try server.client()
            client.send("GET /dropped HTTP/1.1\r\nHost: x\r\n\r\n")
            let reply = try client.reply()
            #expect(reply.status == 500)
            #expect(reply.text.hasPrefix("unanswered: "))
            client.send(KeepAliveTests.get)
            #expect(try client.reply().text == "hello")
            #expect(try await server.on { server, _ in server.requestsInFlight } == 0)
        }
    }

    @Test("An answer with a line break in a field value is replaced by a 500")
    func splitResponse() async throws {
        try await TestServer.run { server in
            let client = try server.client()
            client.send("GET /split HTTP/1.1\r\nHost: x\r\n\r\n")
            let reply = try client.reply()
            #expect(reply.status == 500)
            #expect(reply.text.hasPrefix("unwritable: "))
            #expect(reply.values("Injected") == [])
            client.send(KeepAliveTests.get)
            #expect(try client.reply().text == "hello")
        }
    }
}
