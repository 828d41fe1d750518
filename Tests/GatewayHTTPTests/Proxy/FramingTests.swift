import Foundation
import GatewayCore
import JSONBytes
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("Framing of what passes through", .timeLimit(.minutes(1)))
struct ProxyFramingTests {
    struct Framing: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var fields: String
        var body: String
        /// What the client of HTTP/1.1 sees of it.
        var seen: String
        var endsByClose = false
    }

    private static let framings = [
        Framing(
            testDescription: "Content-Length", fields: "Content-Length: 5\r\n", body: "hello",
            seen: "Content-Length: 5"),
        Framing(
            testDescription: "chunks", fields: "Transfer-Encoding: chunked\r\n",
            body: "2;a=b\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n", seen: "Transfer-Encoding: chunked"),
        Framing(
            testDescription: "chunks with trailers",
            fields: "Trailer: X-Sum\r\nTransfer-Encoding: chunked\r\n",
            body: "5\r\nhello\r\n0\r\nX-Sum: 1\r\nSet-Cookie: a=b\r\n\r\n", seen: "Transfer-Encoding: chunked"
        ),
        Framing(
            testDescription: "the end of the connection", fields: "", body: "hello",
            seen: "Transfer-Encoding: chunked", endsByClose: true),
    ]

    @Test("A body of any framing arrives whole, and the connection goes on", arguments: framings)
    func response(framing: Framing) throws {
        let answer = "HTTP/1.1 200 OK\r\n\(framing.fields)\r\n\(framing.body)"
        let first: Script = [.readRequest, .send(answer)]
        let lines = try withProxy(first + (framing.endsByClose ? [.close] : .next), .next) { server, _ in
            let client = try RawClient(port: server.port)
            client.begin("GET /files/a")
            let reply = try client.reply()
            #expect(reply.status == 200)
            #expect(reply.text == "hello")
            #expect(reply.head.contains(framing.seen))
            #expect(reply.value("Trailer") == nil)
            #expect(reply.value("Connection") == nil)
            #expect(try client.goesOn())
        }
        #expect(lines.ends == ["complete", "complete"])
    }

    @Test("A client of HTTP/1.0 gets no chunks", arguments: framings)
    func oldClient(framing: Framing) throws {
        let answer = "HTTP/1.1 200 OK\r\n\(framing.fields)\r\n\(framing.body)"
        try withProxy([.readRequest, .send(answer), .close]) { server, upstream in
            let client = try RawClient(port: server.port)
            client.send("GET /files/a HTTP/1.0\r\n\r\n")
            let reply = String(decoding: client.readToEnd().bytes, as: UTF8.self)
            #expect(reply.hasPrefix("HTTP/1.1 200 OK\r\n"))
            #expect(reply.hasSuffix("\r\n\r\nhello"))
            #expect(!reply.contains("chunked"))
            #expect(upstream.requests.first?.hasPrefix("GET /a HTTP/1.1\r\n") == true)
        }
    }

    @Test(
        "An empty body is a body",
        arguments: ["Content-Length: 0\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"])
    func empty(rest: String) throws {
        try withProxy([.readRequest, .send("HTTP/1.1 200 OK\r\n\(rest)")] + .next) { server, _ in
            let client = try RawClient(port: server.port)
            client.begin("GET /files/a")
            #expect(try client.reply().text == "")
            #expect(try client.goesOn())
        }
    }

    @Test("What a response breaks without harm is repaired before it passes", arguments: [true, false])
    func tolerated(isHead: Bool) throws {
        let answer =
            "HTTP/1.1 999 Request denied\r\nContent-Language: de,\r\n\ten\r\nContent-Length: 5\r\nContent-Length: 5, 5\r\n\r\n"
        try withProxy([.readRequest, .send(answer + (isHead ? "" : "hello"))] + .next, .next) { server, _ in
            let client = try RawClient(port: server.port)
            client.begin(isHead ? "HEAD /files/a" : "GET /files/a")
            let reply = try client.reply(toHead: isHead)
            #expect(reply.status == 999)
            #expect(reply.text == (isHead ? "" : "hello"))
            #expect(reply.value("Content-Language") == "de,   en")
            #expect(reply.value("Content-Length") == "5")
            #expect(reply.head.components(separatedBy: "Content-Length").count == 2)
            #expect(try client.goesOn())
        }
    }

    @Test("HEAD passes as HEAD, and its answer tells the length of the body that it lacks")
    func head() throws {
        for fields in ["Content-Length: 12345\r\nETag: \"a\"\r\n", "Transfer-Encoding: chunked\r\n", ""] {
            try withProxy([.readRequest, .send("HTTP/1.1 200 OK\r\n\(fields)\r\n")] + .next, .next) {
                server, upstream in
                let client = try RawClient(port: server.port)
                client.begin("HEAD /files/a")
                let reply = try client.reply(toHead: true)
                #expect(reply.status == 200)
                #expect(
                    reply.value("Content-Length") == (fields.contains("12345") ? "12345" : nil), "\(reply)")
                #expect(reply.value("ETag") == (fields.contains("ETag") ? "\"a\"" : nil))
                #expect(upstream.requests.first?.hasPrefix("HEAD /a HTTP/1.1\r\n") == true)
                #expect(try client.goesOn())
            }
        }
    }

    @Test("304 keeps its validators and has no body, whatever its length says")
    func notModified() throws {
        let answer =
            "HTTP/1.1 304 Not Modified\r\nETag: \"a\"\r\nLast-Modified: Tue, 24 Nov 2026 10:00:00 GMT\r\n"
            + "Cache-Control: max-age=60\r\nContent-Length: 12345\r\n\r\n"
        try withProxy([.readRequest, .send(answer)] + .next) { server, upstream in
            let client = try RawClient(port: server.port)
            client.begin("GET /files/a", "If-None-Match: \"a\"")
            let reply = try client.reply()
            #expect(reply.status == 304)
            #expect(reply.value("ETag") == "\"a\"")
            #expect(reply.value("Last-Modified") == "Tue, 24 Nov 2026 10:00:00 GMT")
            #expect(reply.value("Cache-Control") == "max-age=60")
            #expect(upstream.requests.first?.contains("\r\nIf-None-Match: \"a\"\r\n") == true)
            #expect(try client.goesOn())
        }
    }

    @Test("A status without a body ends with its head", arguments: ["204 No Content", "205 Reset Content"])
    func noContent(status: String) throws {
        let length = status.hasPrefix("205") ? "Content-Length: 0\r\n" : ""
        try withProxy([.readRequest, .send("HTTP/1.1 \(status)\r\n\(length)\r\n")] + .next) { server, _ in
            let client = try RawClient(port: server.port)
            client.begin("DELETE /files/a")
            let reply = try client.reply()
            #expect("\(reply.status)" == status.prefix(3))
            #expect(!reply.head.contains("chunked"))
            #expect(try client.goesOn())
        }
    }

    @Test("Informational responses are skipped")
    func informational() throws {
        let answer =
            "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n"
            + "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
        try withProxy([.readRequest, .send(answer)] + .next) { server, _ in
            let client = try RawClient(port: server.port)
            client.begin("GET /files/a")
            let reply = try client.reply()
            #expect(reply.status == 200)
            #expect(reply.value("Link") == nil)
            #expect(try client.goesOn())
        }
    }

    @Test("A switch of protocols that nobody asked for is an error of the upstream")
    func unaskedSwitch() throws {
        try withProxy(
            [.readRequest, .send("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n"), .awaitEnd], .next
        ) {
            server, _ in
            let client = try RawClient(port: server.port)
            client.begin("GET /files/a")
            let reply = try client.reply()
            #expect(reply.status == 502)
            #expect(reply.text.contains("\"code\":\"BAD_GATEWAY\""))
            #expect(try client.goesOn())
        }
    }

    @Test("A request's body keeps its framing, without trailers and extensions")
    func request() throws {
        let cases: [(fields: String, body: String, field: String, wire: String)] = [
            ("Content-Length: 5", "hello", "Content-Length: 5", "hello"),
            ("Content-Length: 0", "", "Content-Length: 0", ""),
            (
                "Transfer-Encoding: chunked", "5;a=b\r\nhello\r\n0\r\nX-Sum: 1\r\n\r\n",
                "Transfer-Encoding: chunked", "5\r\nhello\r\n0\r\n\r\n"
            ),
            ("Transfer-Encoding: chunked", "0\r\n\r\n", "Transfer-Encoding: chunked", "0\r\n\r\n"),
        ]
        for (fields, body, field, wire) in cases {
            for method in ["POST", "PUT", "PATCH"] {
                try withProxy(
                    [
                        .readHead, .read(wire.utf8.count),
                        .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"),
                    ] + .next
                ) { server, upstream in
                    let client = try RawClient(port: server.port)
                    client.send("\(method) /files/a HTTP/1.1\r\nHost: test\r\n\(fields)\r\n\r\n\(body)")
                    #expect(try client.reply().text == "ok")
                    let head = try #require(upstream.requests.first)
                    #expect(head.hasPrefix("\(method) /a HTTP/1.1\r\n"))
                    #expect(head.contains("\r\n\(field)\r\n"), "\(head)")
                    #expect(
                        fieldNames(head).filter { $0.hasPrefix("content-length") || $0.hasPrefix("transfer") }
                            .count == 1)
                    #expect(upstream.requests.dropFirst().first == wire)
                    #expect(try client.goesOn())
                }
            }
        }
    }

    @Test("A request without a body passes without one")
    func noRequestBody() throws {
        try withProxy(.answering("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")) { server, upstream in
            let client = try RawClient(port: server.port)
            client.begin("GET /files/a")
            #expect(try client.reply().text == "ok")
            let names = fieldNames(try #require(upstream.requests.first))
            #expect(!names.contains("content-length") && !names.contains("transfer-encoding"))
        }
    }

    @Test("The body of an HTTP/1.0 client and a GET's body pass")
    func unusualRequests() throws {
        try withProxy(.answering("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")) { server, upstream in
            let old = try RawClient(port: server.port)
            old.send("POST /files/a HTTP/1.0\r\nContent-Length: 3\r\n\r\nabc")
            #expect(old.readToEnd().bytes.suffix(2).elementsEqual("ok".utf8))
            let client = try RawClient(port: server.port)
            client.send("GET /files/a HTTP/1.1\r\nHost: test\r\nContent-Length: 3\r\n\r\nabc")
            #expect(try client.reply().text == "ok")
            #expect(upstream.requests.map { String($0.suffix(3)) } == ["abc", "abc"])
        }
    }

    @Test("Pipelined requests are answered in their order")
    func pipelined() throws {
        let lines = try withProxy([
            .answer { request in
                let path = request.split(separator: " ")[1]
                let body = request.components(afterHead: true)
                return "HTTP/1.1 200 OK\r\nContent-Length: \(path.count + body.count)\r\n\r\n\(path)\(body)"
            }
        ]) { server, _ in
            let client = try RawClient(port: server.port)
            client.send(
                (1...3).map {
                    "GET /files/\($0) HTTP/1.1\r\nHost: test\r\n\r\n"
                        + "POST /files/p\($0) HTTP/1.1\r\nHost: test\r\nContent-Length: 3\r\n\r\nab\($0)"
                }.joined())
            for number in 1...3 {
                #expect(try client.reply().text == "/\(number)")
                #expect(try client.reply().text == "/p\(number)ab\(number)")
            }
        }
        #expect(lines.ends == Array(repeating: "complete", count: 6))
    }
}

extension String {
    fileprivate func components(afterHead: Bool) -> String {
        guard let end = range(of: "\r\n\r\n") else { return "" }
        return String(self[end.upperBound...])
    }
}
