import GatewayCore
import JSONBytes
import Networking
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("Sizes and repeats of what passes through", .timeLimit(.minutes(1)))
struct ProxyLimitTests {
    private static func declareSmall(_ gateway: Gateway, _ files: ProxyUpstream) {
        gateway.proxy("/files/{path...}", to: files, .bodyLimit(10))
    }

    @Test("Without a limit, bodies larger than all of the gateway's pass both ways")
    func noLimit() throws {
        let size = 3 << 20
        let bytes = [UInt8](repeating: 65, count: size)
        let head = Array("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n".utf8)
        try withProxy(
            [.readHead, .readSame(bytes), .sendBytes(head + bytes)] + .next,
            configure: {
                $0.outbound.responseBody = 1000
                $0.limits.requestBody = 1000
                $0.limits.answer = 1000
            }
        ) { server, _ in
            let client = try RawClient(port: server.port)
            client.begin("POST /files/a", "Content-Length: \(size)")
            client.send(bytes)
            #expect(try client.reply().body == bytes)
            #expect(try client.goesOn())
        }
    }

    @Test("A body whose length exceeds the limit is 413, and the upstream hears nothing of it")
    func tooLong() throws {
        try withProxy(.next, declare: Self.declareSmall) { server, upstream in
            for fields in ["Content-Length: 11", "Content-Length: 11\r\nExpect: 100-continue"] {
                let client = try RawClient(port: server.port)
                client.begin("POST /files/a", fields)
                let reply = try client.reply()
                #expect(reply.status == 413)
                #expect(reply.value("Connection") == "close")
            }
            #expect(upstream.connections == 0)
        }
    }

    @Test("Chunks beyond the limit are 413, and the upstream never sees the end of the body")
    func tooManyChunks() throws {
        let lines = try withProxy([.readHead, .awaitEnd], .next, declare: Self.declareSmall) {
            server, upstream in
            let client = try RawClient(port: server.port)
            client.begin("POST /files/a", "Transfer-Encoding: chunked")
            client.send("5\r\nhello\r\n")
            try upstream.requestRead.waitBlocking()
            client.send("6\r\n world\r\n0\r\n\r\n")
            let reply = try client.reply()
            #expect(reply.status == 413)
            #expect(reply.text.contains("\"code\":\"PAYLOAD_TOO_LARGE\""))
            try upstream.clientEnded.waitBlocking()
        }
        #expect(lines.statuses == [413])
    }

    @Test("A malformed body is 400, and the upstream sees the end")
    func malformed() throws {
        try withProxy([.readHead, .awaitEnd], .next) { server, upstream in
            let client = try RawClient(port: server.port)
            client.begin("POST /files/a", "Transfer-Encoding: chunked")
            client.send("5\r\nhello\r\n")
            try upstream.requestRead.waitBlocking()
            client.send("zz\r\n")
            #expect(try client.reply().status == 400)
            try upstream.clientEnded.waitBlocking()
        }
    }

    // MARK: - Repeats

    private static let busy = "HTTP/1.1 503 Busy\r\nContent-Length: 4\r\n\r\nbusy"

    @Test("A GET is repeated after 503, and only the last response passes")
    func repeated() throws {
        try withProxy([.readRequest, .send(Self.busy)] + .next, policy: .patient(attempts: 3)) {
            server, upstream in
            let client = try RawClient(port: server.port)
            client.begin("GET /files/a")
            #expect(try client.reply().text == "next")
            #expect(upstream.requests.count == 2)
        }
    }

    @Test("The last of three failures passes as it is")
    func lastFailure() throws {
        try withProxy(.answering(Self.busy), policy: .patient(attempts: 3)) { server, upstream in
            let client = try RawClient(port: server.port)
            for _ in 1...2 {
                client.begin("GET /files/a")
                let reply = try client.reply()
                #expect(reply.status == 503)
                #expect(reply.text == "busy")
            }
            #expect(upstream.requests.count == 6)
        }
    }

    @Test("A POST, or a PUT whose body has been sent, is not repeated", arguments: ["POST", "PUT"])
    func notRepeated(method: String) throws {
        try withProxy([.readRequest, .send(Self.busy)] + .next, policy: .patient(attempts: 3)) {
            server, upstream in
            let client = try RawClient(port: server.port)
            client.begin("\(method) /files/a", "Content-Length: 4")
            client.send("body")
            let reply = try client.reply()
            #expect(reply.status == 503)
            #expect(reply.text == "busy")
            #expect(upstream.requests.count == 1)
            #expect(try client.goesOn())
        }
    }

    @Test("A PUT of which nothing was sent is repeated with all of its body")
    func repeatedUpload() throws {
        try withProxy(
            [.readHead, .reset],
            [
                .readHead, .send("HTTP/1.1 100 Continue\r\n\r\n"), .read(4),
                .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"),
            ],
            policy: .patient(attempts: 3), configure: { $0.outbound.continueTimeout = .seconds(300) }
        ) { server, upstream in
            let client = try RawClient(port: server.port)
            client.begin("PUT /files/a", "Content-Length: 4", "Expect: 100-continue")
            #expect(try client.read(through: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
            client.send("body")
            #expect(try client.reply().text == "ok")
            #expect(upstream.requests.last == "body")
        }
    }

    @Test("A PUT that is refused with 503 before its body is repeated once, like any other")
    func refusedUpload() throws {
        try withProxy(
            [.readHead, .send(Self.busy), .awaitEnd],
            [
                .readHead, .send("HTTP/1.1 100 Continue\r\n\r\n"), .read(4),
                .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"),
            ],
            policy: .patient(attempts: 3), configure: { $0.outbound.continueTimeout = .seconds(300) }
        ) { server, upstream in
            let client = try RawClient(port: server.port)
            client.begin("PUT /files/a", "Content-Length: 4", "Expect: 100-continue")
            #expect(try client.read(through: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
            client.send("body")
            #expect(try client.reply().text == "ok")
        }
    }

    @Test("An upload whose upstream refuses the expectation with 417 is sent without it")
    func expectationFailed() throws {
        try withProxy(
            [.readHead, .send("HTTP/1.1 417 Expectation Failed\r\nContent-Length: 0\r\n\r\n"), .awaitEnd],
            [.readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")],
            configure: { $0.outbound.continueTimeout = .seconds(300) }
        ) { server, upstream in
            let client = try RawClient(port: server.port)
            client.begin("POST /files/a", "Content-Length: 4", "Expect: 100-continue")
            client.send("body")
            var reply = try client.reply()
            if reply.status == 100 { reply = try client.reply() }
            #expect(reply.text == "ok")
            #expect(upstream.requests.last?.contains("Expect") == false)
        }
    }

    @Test("A connection that the upstream closed while it was idle costs a GET nothing")
    func stale() throws {
        try withProxy(.next + [.readRequest, .close], .next) { server, upstream in
            let client = try RawClient(port: server.port)
            #expect(try client.goesOn())
            // The second request arrives, but the upstream has no answer to it.
            #expect(try client.goesOn())
            #expect(upstream.connections == 2)
        }
    }

    @Test("An upload on a connection that the upstream closed meanwhile is never sent twice")
    func staleUpload() throws {
        try withProxy(.next + [.readRequest, .close], .next) { server, upstream in
            let client = try RawClient(port: server.port)
            #expect(try client.goesOn())
            client.begin("POST /files/a", "Content-Length: 4")
            client.send("body")
            #expect(try client.reply().status == 502)
            #expect(upstream.requests.count == 2)
        }
    }
}
