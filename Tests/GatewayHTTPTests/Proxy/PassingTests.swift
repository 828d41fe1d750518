import GatewayCore
import JSONBytes
import Networking
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("What passes through over sockets", .timeLimit(.minutes(1)))
struct ProxyPassingTests {
    @Test("Fields of one connection pass in neither direction")
    func hopByHop() throws {
        let answer =
            "HTTP/1.1 200 OK\r\nConnection: keep-alive, X-Own, ETag\r\nKeep-Alive: timeout=5\r\nX-Own: 1\r\nETag: \"a\"\r\n"
            + "Upgrade: h2c\r\nProxy-Authenticate: Basic\r\nSet-Cookie: a=b\r\nServer: x\r\nContent-Type: text/plain\r\n"
            + "Date: Tue, 24 Nov 2026 10:00:00 GMT\r\nContent-Length: 2\r\n\r\nok"
        try withProxy(.answering(answer)) { server, upstream in
            let client = try RawClient(port: server.port)
            client.begin(
                "GET /files/a?b=%2F&c", "Connection: Accept, TE, keep-alive", "Accept: text/plain",
                "TE: trailers",
                "Keep-Alive: 5", "Upgrade: h2c", "HTTP2-Settings: AAMAAABk", "Proxy-Authorization: Basic a",
                "Cookie: a=b",
                "Authorization: Basic a", "X-Forwarded-For: 1.2.3.4", "Range: bytes=0-1",
                "Accept-Language: ko")
            let reply = try client.reply()
            #expect(reply.text == "ok")
            #expect(
                Set(fieldNames(reply.head)) == [
                    "content-type", "date", "content-length", "x-request-id", "x-content-type-options",
                ], "\(reply)")
            #expect(reply.values("Date").count == 1)
            let head = try #require(upstream.requests.first)
            #expect(head.hasPrefix("GET /a?b=%2F&c HTTP/1.1\r\n"))
            #expect(
                Set(fieldNames(head)) == [
                    "host", "range", "accept-language", "accept-encoding", "via", "x-request-id",
                    "traceparent",
                ], "\(head)")
            #expect(head.contains("\r\nHost: 127.0.0.1:\(upstream.port)\r\n"))
            #expect(head.contains("\r\nAccept-Encoding: identity\r\n"))
        }
    }

    @Test("A WebSocket is refused with 501, and the upstream hears nothing of it")
    func webSocket() throws {
        try withProxy(.next) { server, upstream in
            let client = try RawClient(port: server.port)
            client.begin(
                "GET /files/a", "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
                "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==")
            let reply = try client.reply()
            #expect(reply.status == 501)
            #expect(reply.text.contains("\"code\":\"NOT_IMPLEMENTED\""))
            #expect(upstream.connections == 0)
            #expect(try client.goesOn())
        }
    }

    @Test("Middleware refuses a request before the upstream hears of it and before any byte of the body")
    func middleware() throws {
        try withProxy(
            .next,
            declare: { gateway, files in
                gateway.before { request in
                    guard request.header("X-API-Key") == "secret" else {
                        throw GatewayError.unauthorized("The API key is missing", challenge: "APIKey")
                    }
                }
                gateway.proxy("/files/{path...}", to: files)
            }
        ) { server, upstream in
            let client = try RawClient(port: server.port)
            client.begin("PUT /files/a", "Content-Length: 100", "Expect: 100-continue")
            let reply = try client.reply()
            #expect(reply.status == 401)
            #expect(reply.value("Connection") == "close")
            let other = try RawClient(port: server.port)
            other.begin("GET /files/a")
            #expect(try other.reply().status == 401)
            #expect(upstream.connections == 0)
            other.begin("GET /files/a", "X-API-Key: secret")
            #expect(try other.reply().text == "next")
        }
    }

    private static let resets: [String: Script] = [
        "without content": [.send("HTTP/1.1 205 Reset Content\r\nContent-Length: 0\r\n\r\n")],
        "with content": [
            .send("HTTP/1.1 205 Reset Content\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello")
        ],
        "with late content": [
            .send("HTTP/1.1 205 Reset Content\r\nContent-Length: 10\r\n\r\n"), .send("hello"), .send("hello"),
        ],
        "in chunks": [
            .send("HTTP/1.1 205 Reset Content\r\nTransfer-Encoding: chunked\r\n\r\n"),
            .send("5\r\nhello\r\n"), .send("0\r\n\r\n"),
        ],
        "with a large content": [
            .send("HTTP/1.1 205 Reset Content\r\nContent-Encoding: gzip\r\nContent-Length: 100000\r\n\r\n"),
            .sendBytes([UInt8](repeating: 65, count: 100_000)),
        ],
    ]

    @Test("A 205 passes without the content that it must not have", arguments: resets.keys)
    func resetContent(name: String) throws {
        try withProxy([.readRequest] + (Self.resets[name] ?? []) + .next) { server, upstream in
            let client = try RawClient(port: server.port)
            client.begin("POST /files/a", "Content-Length: 0")
            let reply = try client.reply()
            #expect(reply.status == 205)
            #expect(reply.value("Content-Length") == "0")
            #expect(Set(fieldNames(reply.head)).isDisjoint(with: ["content-type", "content-encoding"]))
            #expect(reply.text == "")
            #expect(try client.goesOn())
            #expect(upstream.connections == 1)
        }
    }

    @Test("A 205 to HEAD tells no length but 0")
    func resetContentToHead() throws {
        try withProxy(
            [.readRequest, .send("HTTP/1.1 205 Reset Content\r\nContent-Length: 5\r\n\r\n")] + .next
        ) { server, _ in
            let client = try RawClient(port: server.port)
            client.begin("HEAD /files/a")
            let reply = try client.reply(toHead: true)
            #expect(reply.status == 205)
            #expect(reply.value("Content-Length") == "0")
            #expect(try client.goesOn())
        }
    }

    @Test("A response that a handler passes on as a 205 loses its content")
    func madeResetContent() throws {
        try withProxy(
            .answering("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello"),
            declare: { gateway, _ in
                let parts = gateway.provider(PartsAPI.self, upstream: "files", policy: .single)
                gateway.get("/reset") { _ in .proxy(parts.call(.first)).status(.resetContent) }
            }
        ) { server, _ in
            let client = try RawClient(port: server.port)
            for _ in 1...2 {
                client.begin("GET /reset")
                let reply = try client.reply()
                #expect(reply.status == 205)
                #expect(reply.value("Content-Length") == "0")
                #expect(reply.value("Content-Type") == nil)
            }
        }
    }

    @Test("A response in a content coding passes undecoded, with its length")
    func coded() throws {
        let bytes: [UInt8] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0]
        let head =
            "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nVary: Accept-Encoding\r\nContent-Length: 8\r\n\r\n"
        try withProxy([.readRequest, .sendBytes(Array(head.utf8) + bytes)] + .next) { server, upstream in
            let client = try RawClient(port: server.port)
            client.begin("GET /files/a", "Accept-Encoding: gzip")
            let reply = try client.reply()
            #expect(reply.body == bytes)
            #expect(reply.value("Content-Encoding") == "gzip")
            #expect(upstream.requests[0].contains("\r\nAccept-Encoding: gzip\r\n"))
            #expect(try client.goesOn())
        }
    }

    @Test("A client's slow reading holds the upstream back, and its slow reading the client")
    func backpressure() throws {
        let size = 64 << 20
        let (first, second) = (Signal(), Signal())
        let body = [UInt8](repeating: 65, count: size)
        try withProxy(
            [
                .readHead, .wait(first), .readSame(body),
                .sendBytes(Array("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n".utf8) + body),
                .fire(second),
            ] + .next
        ) { server, _ in
            let client = try RawClient(port: server.port, receiveBuffer: 1 << 16)
            client.begin("POST /files/a", "Content-Length: \(size)")
            let sent = client.sendUntilBlocked(body, for: 200)
            #expect(sent < 32 << 20)
            first.fire()
            #expect(client.send([UInt8](repeating: 65, count: size - sent)))
            _ = try client.read(through: "\r\n\r\n")
            let other = try RawClient(port: server.port)
            for _ in 1...1000 { #expect(other.get("/health/live")?.status == 200) }
            #expect(second.count == 0)
            #expect(try client.read(count: size).count == size)
            try second.waitBlocking()
            #expect(try client.goesOn())
        }
    }
}
