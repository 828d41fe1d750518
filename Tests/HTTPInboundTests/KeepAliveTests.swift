import TestSupport
import Testing

@testable import HTTPInbound

@Suite(.timeLimit(.minutes(1)), .bothCarriers)
struct KeepAliveTests {
    static let get = "GET /hello HTTP/1.1\r\nHost: x\r\n\r\n"

    @Test("Requests on one connection are answered one after the other")
    func keepAlive() async throws {
        try await TestServer.run { server in
            let client = try server.client()
            for _ in 0..<3 {
                client.send(Self.get)
                let reply = try client.reply()
                #expect(reply.status == 200)
                #expect(reply.text == "hello")
                #expect(reply.values("Connection") == [])
                #expect(reply.values("Content-Length") == ["5"])
                #expect(reply.values("Date").count == 1)
                #expect(reply.value("Date")?.hasSuffix(" GMT") == true)
            }
            #expect(try await server.on { server, _ in server.connectionCount } == 1)
        }
    }

    @Test("A request that arrives one byte at a time is answered like any other")
    func trickle() async throws {
        try await TestServer.run { server in
            let client = try server.client()
            for byte in "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc".utf8 {
                client.send([byte])
            }
            #expect(try client.reply().text == "abc")
        }
    }

    struct Closing: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var request: String
    }

    @Test(
        "The connection closes after the answer if the client or its HTTP version requires it",
        arguments: [
            Closing(
                testDescription: "Connection: close",
                request: "GET /hello HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"),
            Closing(
                testDescription: "close in a list",
                request: "GET /hello HTTP/1.1\r\nHost: x\r\nConnection: foo, Close\r\n\r\n"),
            Closing(testDescription: "HTTP/1.0", request: "GET /hello HTTP/1.0\r\n\r\n"),
            Closing(
                testDescription: "HTTP/1.0 that asks for keep-alive",
                request: "GET /hello HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"),
        ])
    func closes(_ row: Closing) async throws {
        try await TestServer.run { server in
            let client = try server.client()
            client.send(row.request)
            let reply = try client.reply()
            #expect(reply.head.hasPrefix("HTTP/1.1 200 OK\r\n"))
            #expect(reply.value("Connection") == "close")
            #expect(reply.text == "hello")
            #expect(client.readToEnd() == ([], .fin))
        }
    }

    @Test("The last request allowed on a connection is answered with Connection: close")
    func requestsPerConnection() async throws {
        try await TestServer.run({ $0.requestsPerConnection = 3 }) { server in
            let client = try server.client()
            client.send(String(repeating: Self.get, count: 5))
            #expect(try client.reply().value("Connection") == nil)
            #expect(try client.reply().value("Connection") == nil)
            #expect(try client.reply().value("Connection") == "close")
            #expect(client.readToEnd() == ([], .fin))
        }
    }

    @Test("An idle connection is closed silently after its time limit")
    func idle() async throws {
        try await TestServer.run({ $0.keepAliveIdle = .milliseconds(30) }) { server in
            let client = try server.client()
            client.send(Self.get)
            _ = try client.reply()
            #expect(client.readToEnd() == ([], .fin))
        }
    }

    @Test("A HEAD request gets the head of the GET answer, with Content-Length and no body")
    func head() async throws {
        try await TestServer.run { server in
            let client = try server.client()
            client.send("HEAD /hello HTTP/1.1\r\nHost: x\r\n\r\n" + Self.get)
            let reply = try client.reply(toHead: true)
            #expect(reply.status == 200)
            #expect(reply.value("Content-Length") == "5")
            #expect(try client.reply().text == "hello")
            #expect(server.log.events.contains("decide GET /hello"))
        }
    }

    @Test("OPTIONS lists the handler's methods, HEAD and OPTIONS")
    func options() async throws {
        try await TestServer.run { server in
            let client = try server.client()
            client.send("OPTIONS /hello HTTP/1.1\r\nHost: x\r\n\r\n")
            let reply = try client.reply()
            #expect(reply.status == 204)
            #expect(reply.values("Allow") == ["GET, POST, HEAD, OPTIONS"])
            #expect(reply.values("Content-Length") == [])
            client.send("OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(try client.reply().status == 204)
            try await server.log.wait(for: "direct OPTIONS 204 completed")
        }
    }

    @Test("OPTIONS goes to the handler if the handler lists no methods")
    func optionsForTheHandler() async throws {
        try await TestServer.run { server in
            let client = try server.client()
            client.send("OPTIONS /missing HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(try client.reply().status == 404)
            client.send("OPTIONS /cors HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(try client.reply().text == "hello")
        }
    }
}

func == (left: (bytes: [UInt8], end: RawClient.End), right: ([UInt8], RawClient.End)) -> Bool {
    left.bytes == right.0 && left.end == right.1
}
