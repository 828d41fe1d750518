import TestSupport
import Testing

@testable import HTTPInbound

@Suite(.timeLimit(.minutes(1)), .bothCarriers)
struct BodyTests {
    static let chunked = "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"

    @Test("A body longer than the handler's limit gets 413 before it is read, and no 100")
    func tooLongByLength() async throws {
        try await TestServer.run { server in
            let client = try server.client()
            client.send(
                "POST /small HTTP/1.1\r\nHost: x\r\nContent-Length: 11\r\nExpect: 100-continue\r\n\r\n")
            let reply = try client.reply()
            #expect(reply.status == 413)
            #expect(reply.value("Connection") == "close")
            #expect(client.readToEnd() == ([], .fin))
            #expect(server.log.events.contains("refused 413 body_too_large"))
        }
    }

    @Test(
        "A body longer than the server's limit gets 413, unless the head has its answer already",
        arguments: [
            ("/echo", "Content-Length: 1048577\r\n\r\n", 413),
            ("/echo", "Transfer-Encoding: chunked\r\n\r\n100001\r\n", 413),
            ("/missing", "Content-Length: 1048577\r\n\r\n", 404),
        ])
    func tooLongForTheServer(path: String, body: String, status: Int) async throws {
        try await TestServer.run { server in
            let client = try server.client()
            client.send("POST \(path) HTTP/1.1\r\nHost: x\r\n\(body)")
            if body.hasPrefix("Transfer") { #expect(client.send([UInt8](repeating: 0x61, count: 1_048_577))) }
            let reply = try client.reply()
            #expect(reply.status == status)
            #expect(reply.value("Connection") == "close")
            #expect(client.readToEnd() == ([], .fin))
        }
    }

    @Test("A client that sends all of an oversized body can still read the 413")
    func tooLongAndSentWhole() async throws {
        try await TestServer.run({ $0.discardTime = .seconds(60) }) { server in
            let client = try server.client()
            client.send("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 12582912\r\n\r\n")
            #expect(client.send([UInt8](repeating: 0x61, count: 12 << 20)))
            #expect(try client.reply().status == 413)
            #expect(client.readToEnd() == ([], .fin))
        }
    }

    @Test("A Content-Length that overflows an integer gets 400")
    func absurdLength() async throws {
        try await TestServer.run { server in
            let client = try server.client()
            client.send("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 9999999999999999999\r\n\r\n")
            #expect(try client.reply().status == 400)
        }
    }

    @Test("A chunked body gets 413 at the first byte over the limit")
    func tooLongByChunks() async throws {
        try await TestServer.run { server in
            let client = try server.client()
            client.send(
                "POST /small HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\na\r\n0123456789\r\n1\r\nx"
            )
            #expect(try client.reply().status == 413)
            #expect(client.readToEnd() == ([], .fin))
        }
    }

    @Test(
        "A malformed body that arrives with its head gets 400 on any route", arguments: ["/echo", "/missing"])
    func brokenChunks(path: String) async throws {
        try await TestServer.run { server in
            let client = try server.client()
            client.send(
                "POST \(path) HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabcd\r\n0\r\n\r\n"
            )
            #expect(try client.reply().status == 400)
            #expect(client.readToEnd() == ([], .fin))
        }
    }

    @Test("A request with an unknown expectation gets 417 and never reaches the handler")
    func unknownExpectation() async throws {
        try await TestServer.run { server in
            let client = try server.client()
            client.send("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nExpect: miracles\r\n\r\n")
            #expect(try client.reply().status == 417)
            #expect(client.readToEnd() == ([], .fin))
            #expect(!server.log.events.contains("decide POST /echo"))
        }
    }

    @Test("An answer that needs no body is sent at once, without the 100 that the client expects")
    func answeredInsteadOf100() async throws {
        try await TestServer.run { server in
            let client = try server.client()
            client.send(
                "POST /missing HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n")
            let reply = try client.reply()
            #expect(reply.status == 404)
            #expect(reply.value("Connection") == "close")
            #expect(client.readToEnd() == ([], .fin))
        }
    }

    @Test("A body that takes too long gets 408")
    func late() async throws {
        try await TestServer.run({ $0.bodyDeadline = .milliseconds(30) }) { server in
            let client = try server.client()
            client.send("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nab")
            let reply = try client.reply()
            #expect(reply.status == 408)
            #expect(reply.value("Connection") == "close")
            #expect(client.readToEnd() == ([], .fin))
        }
    }

    @Test("A body below the minimum rate gets 408")
    func slow() async throws {
        try await TestServer.run({
            $0.bodyRateGrace = .milliseconds(30)
            $0.bodyRate = 1000
        }) { server in
            let client = try server.client()
            client.send("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 3000\r\n\r\nab")
            #expect(try client.reply().status == 408)
        }
    }

    @Test("A body beyond the loop's memory limit gets 503, and its memory is released")
    func tooManyBytesHeld() async throws {
        try await TestServer.run({ $0.bufferedBodies = 100 }) { server in
            for _ in 0..<3 {
                let client = try server.client()
                client.send(
                    "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 101\r\n\r\n"
                        + String(repeating: "x", count: 101))
                #expect(try client.reply().status == 503)
                let other = try server.client()
                other.send(
                    "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n"
                        + String(repeating: "y", count: 100))
                #expect(try other.reply().status == 200)
            }
        }
    }

    @Test("A body that the handler does not want is discarded, and the next request is read")
    func drained() async throws {
        try await TestServer.run { server in
            let client = try server.client()
            let body = String(repeating: "GET / HTTP/1.1\r\n\r\n", count: 1000)
            client.send(
                "PUT /missing HTTP/1.1\r\nHost: x\r\nContent-Length: \(body.utf8.count)\r\n\r\n" + body)
            #expect(try client.reply().status == 404)
            client.send(
                "FOO /missing HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n")
            #expect(try client.reply().status == 404)
            client.send(KeepAliveTests.get)
            #expect(try client.reply().text == "hello")
        }
    }

    @Test("A client that expects a 100 gets it, and then the answer")
    func continues() async throws {
        try await TestServer.run { server in
            let client = try server.client()
            client.send("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nExpect: 100-Continue\r\n\r\n")
            #expect(try client.read(through: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
            client.send("abc")
            #expect(try client.reply().text == "abc")
        }
    }

    @Test("The body of a HEAD request is framed like any other")
    func bodyOfHead() async throws {
        try await TestServer.run { server in
            let client = try server.client()
            client.send(
                "HEAD /hello HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc" + KeepAliveTests.get)
            #expect(try client.reply(toHead: true).status == 200)
            #expect(try client.reply().text == "hello")
        }
    }

    @Test("A body of the maximum size arrives complete, whether it has a length or is chunked")
    func largest() async throws {
        try await TestServer.run { server in
            let client = try server.client()
            let body = [UInt8]((0..<1_048_576).map { UInt8(truncatingIfNeeded: $0 &* 7) })
            client.send("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 1048576\r\n\r\n")
            client.send(body)
            #expect(try client.reply().body == body)
            client.send(Self.chunked)
            for start in stride(from: 0, to: body.count, by: 100_000) {
                let piece = body[start..<min(start + 100_000, body.count)]
                client.send(Array((String(piece.count, radix: 16) + "\r\n").utf8) + piece + [13, 10])
            }
            client.send("0\r\n\r\n")
            #expect(try client.reply().body == body)
        }
    }
}
