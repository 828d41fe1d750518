import Foundation
import GatewayCore
import JSONBytes
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("Expectations and early answers through a proxy", .timeLimit(.minutes(1)))
struct ProxyExpectationTests {
    private static let bodies = [
        "Content-Length: 5": "hello", "Transfer-Encoding: chunked": "5\r\nhello\r\n0\r\n\r\n",
    ]

    @Test("The client gets its 100 once the upstream has sent one, not before", arguments: bodies.keys)
    func proceeds(framing: String) throws {
        let body = Self.bodies[framing] ?? ""
        let continues = Signal()
        try withProxy(
            [
                .readHead, .wait(continues), .send("HTTP/1.1 100 Continue\r\n\r\n"), .read(body.utf8.count),
                .send("HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\nok"),
            ] + .next, configure: { $0.outbound.continueTimeout = .seconds(300) }
        ) { server, upstream in
            let client = try RawClient(port: server.port)
            client.begin("PUT /files/a", framing, "Expect: 100-continue")
            try upstream.requestRead.waitBlocking()
            #expect(upstream.requests[0].contains("\r\nExpect: 100-continue\r\n"))
            #expect(client.end(within: 50) == .silence)
            continues.fire()
            #expect(try client.read(through: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
            client.send(body)
            let reply = try client.reply()
            #expect(reply.status == 201)
            #expect(reply.text == "ok")
            #expect(upstream.requests[1] == body)
            #expect(try client.goesOn())
        }
    }

    @Test("An expectation of HTTP/1.0 does not pass, and nothing waits for it")
    func oldClient() throws {
        try withProxy([.readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")]) {
            server, upstream in
            let client = try RawClient(port: server.port)
            client.send("PUT /files/a HTTP/1.0\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\nhello")
            #expect(try client.reply().text == "ok")
            #expect(upstream.requests[0].lowercased().contains("expect") == false)
            #expect(upstream.requests[0].hasSuffix("hello"))
        }
    }

    @Test("If the upstream ignores the expectation, the body passes after a while")
    func ignored() throws {
        try withProxy(
            [.readHead, .read(5), .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")] + .next,
            configure: { $0.outbound.continueTimeout = .milliseconds(30) }
        ) { server, upstream in
            let client = try RawClient(port: server.port)
            client.begin("PUT /files/a", "Content-Length: 5", "Expect: 100-continue")
            #expect(try client.read(through: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
            client.send("hello")
            #expect(try client.reply().text == "ok")
            #expect(try client.goesOn())
        }
    }

    @Test(
        "A refusal reaches a client that waits for 100, and nothing of the body is asked for",
        arguments: bodies.keys)
    func refused(framing: String) throws {
        let lines = try withProxy(
            [
                .readHead, .send("HTTP/1.1 413 Content Too Large\r\nContent-Length: 3\r\n\r\nbig"),
                .awaitEnd,
            ], .next, configure: { $0.outbound.continueTimeout = .seconds(300) }
        ) { server, upstream in
            let client = try RawClient(port: server.port)
            client.begin("PUT /files/a", framing, "Expect: 100-continue")
            let reply = try client.reply()
            #expect(reply.status == 413)
            #expect(reply.text == "big")
            #expect(reply.value("Connection") == "close")
            #expect(client.reachesEnd())
            #expect(upstream.requests.count == 1)
        }
        #expect(lines.statuses == [413])
    }

    @Test("A body that the client sends without waiting passes")
    func impatient() throws {
        try withProxy(
            [
                .readHead, .send("HTTP/1.1 100 Continue\r\n\r\n"), .read(5),
                .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"),
            ]
                + .next, configure: { $0.outbound.continueTimeout = .seconds(300) }
        ) { server, _ in
            let client = try RawClient(port: server.port)
            client.begin("PUT /files/a", "Content-Length: 5", "Expect: 100-continue")
            client.send("hello")
            var reply = try client.reply()
            if reply.status == 100 { reply = try client.reply() }
            #expect(reply.text == "ok")
            #expect(try client.goesOn())
        }
    }

    @Test(
        "A refusal of the beginning of an upload reaches the client, and the rest is not passed on",
        arguments: [303, 403, 503])
    func early(status: Int) throws {
        let lines = try withProxy(
            [
                .readHead, .read(4), .send("HTTP/1.1 \(status) Early\r\nContent-Length: 5\r\n\r\nearly"),
                .awaitEnd,
            ], .next
        ) { server, upstream in
            let client = try RawClient(port: server.port)
            client.begin("POST /files/a", "Content-Length: 1000000")
            client.send("some")
            let reply = try client.reply()
            #expect(reply.status == status)
            #expect(reply.text == "early")
            #expect(reply.value("Connection") == "close")
            try upstream.clientEnded.waitBlocking()
            // What the client still sends is read and dropped, so that it can read the answer.
            client.send([UInt8](repeating: 65, count: 100_000))
            client.shutdownWrite()
            #expect(client.readToEnd() == ([], .fin))
            #expect(try RawClient(port: server.port).goesOn())
        }
        #expect(lines.statuses == [status, 200])
    }

    /// Successes that come before the upload: whole at once, with a body of known length, without a body, and
    /// without a length.
    private static let successes = [
        "HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\nok",
        "HTTP/1.1 201 Created\r\nContent-Length: 20000\r\n\r\n" + String(repeating: "o", count: 20_000),
        "HTTP/1.1 204 No Content\r\n\r\n",
        "HTTP/1.1 205 Reset Content\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
    ]

    @Test(
        "If the upstream answers 2xx and then breaks the connection, the client sees no whole answer",
        arguments: successes.indices)
    func brokenOff(index: Int) throws {
        let size = 16 << 20
        let lines = try withProxy([.readHead, .send(Self.successes[index]), .read(1 << 20), .reset]) {
            server, upstream in
            let client = try RawClient(port: server.port)
            client.begin("PUT /files/a", "Content-Length: \(size)")
            client.send([UInt8](repeating: 65, count: size))
            if let reply = try? client.reply() { #expect(reply.status == 502) }
            #expect(upstream.connections == 1)
        }
        #expect(lines.count == 1)
        #expect(lines.statuses.first == 502 || lines.ends == ["aborted"], "\(lines)")
    }

    @Test("A 2xx that the upstream sends first passes once the upload is whole", arguments: successes.indices)
    func answeredFirst(index: Int) throws {
        let (size, answered, read) = (4 << 20, Signal(), Signal())
        let lines = try withProxy(
            [.readHead, .send(Self.successes[index]), .fire(answered), .read(size), .fire(read)] + .next
        ) { server, upstream in
            let client = try RawClient(port: server.port)
            client.begin("PUT /files/a", "Content-Length: \(size)")
            try answered.waitBlocking()
            client.send([UInt8](repeating: 65, count: size))
            let reply = try client.reply()
            #expect(reply.status / 100 == 2)
            try read.waitBlocking()
            #expect(upstream.requests.last?.utf8.count == size)
            // The upstream's connection is used again.
            #expect(try RawClient(port: server.port).goesOn())
            #expect(upstream.connections == 1)
        }
        #expect(lines.ends == ["complete", "complete"])
    }

    @Test(
        "curl uploads everything to an upstream that answers first", .enabled(if: Curl.program != nil),
        arguments: successes.indices, [["-H", "Expect:"], []])
    func curl(index: Int, options: [String]) throws {
        let (size, read) = (8 << 20, Signal())
        let folder = ScratchFolder()
        let file = folder.file("upload")
        try Data(repeating: 65, count: size).write(to: URL(fileURLWithPath: file))
        try withProxy([.readHead, .send(Self.successes[index]), .read(size), .fire(read), .awaitEnd]) {
            server, _ in
            let curl = Curl(base: "http://127.0.0.1:\(server.port)", in: folder)
            let answer = try curl.get("/files/a", ["-T", file] + options)
            #expect(answer.status / 100 == 2)
            try read.waitBlocking()
        }
    }

    @Test("A response that begins during the upload and lasts until its end passes")
    func bothWays() throws {
        let size = 1 << 20
        let lines = try withProxy(
            [
                .readHead, .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nfirst\r\n"),
                .read(size),
                .send("4\r\nlast\r\n0\r\n\r\n"),
            ]
        ) { server, _ in
            let client = try RawClient(port: server.port)
            client.begin("POST /files/a", "Content-Length: \(size)")
            client.send([UInt8](repeating: 65, count: size))
            let reply = try client.reply()
            #expect(reply.status == 200)
            #expect(reply.text == "firstlast")
        }
        #expect(lines.ends == ["complete"])
    }
}
