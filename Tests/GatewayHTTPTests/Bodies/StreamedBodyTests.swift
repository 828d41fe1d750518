import GatewayCore
import JSONBytes
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("Request bodies that endpoints read as they arrive", .serialized, .timeLimit(.minutes(1)))
struct StreamedBodyTests {
    @Test("A client with 64 MiB waits for a slow handler, and all of it arrives")
    func backpressure() throws {
        let (gate, log) = (Gate(), HandlerLog())
        let size = 64 << 20
        let lines = try withBodyGateway(gate: gate, log: log) { server in
            let client = try RawClient(port: server.port)
            client.post("/slow", "Content-Length: \(size)")
            try log.wait(for: "began")
            let sent = client.sendUntilBlocked([UInt8](repeating: 1, count: size), for: 200)
            // The kernel's buffers and 128 KiB of the gateway.
            #expect(sent < 32 << 20)
            gate.open()
            #expect(client.send([UInt8](repeating: 1, count: size - sent)))
            let reply = try client.reply()
            #expect(reply.text.contains("\"data\":\(size)"))
            #expect(reply.value("Connection") == nil)
            #expect(client.get("/nothing")?.status == 404)
        }
        let received = try #require(lines.first?[member: "bytesIn"]?.intValue)
        #expect(received > size && received < size + 200)
    }

    @Test("A body is read on the request's loop, or on another thread", arguments: ["/count", "/elsewhere"])
    func reads(path: String) throws {
        try withBodyGateway { server in
            let client = try RawClient(port: server.port)
            for _ in 0..<3 {
                client.post(path, "Transfer-Encoding: chunked")
                for _ in 0..<50 { client.send("5\r\nhello\r\n") }
                client.send("0\r\n\r\n")
                #expect(try client.reply().text.contains("\"data\":250"))
            }
            client.send("POST \(path) HTTP/1.0\r\nContent-Length: 3\r\n\r\nabc")
            #expect(try client.reply().text.contains("\"data\":3"))
            #expect(client.reachesEnd())
        }
    }

    @Test("When a client leaves in the middle, the handler's read is cancelled, and the log says 499")
    func clientLeaves() throws {
        let log = HandlerLog()
        let lines = try withBodyGateway(log: log) { server in
            let client = try RawClient(port: server.port)
            client.post("/count", "Content-Length: 1000")
            client.send("some")
            try log.wait(for: "first")
            client.close()
            try log.wait(for: "CancellationError")
        }
        #expect(lines.map { $0[member: "status"]?.intValue } == [499])
    }

    struct Refused: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var fields: String
        var body: String
        var status: Int
        var code: String
        var message: String
    }

    private static let refused = [
        Refused(
            testDescription: "Content-Length over the limit", fields: "Content-Length: 11", body: "",
            status: 413,
            code: "PAYLOAD_TOO_LARGE", message: "The request body is too large"),
        Refused(
            testDescription: "chunks over the limit", fields: "Transfer-Encoding: chunked",
            body: "5\r\nhello\r\n6\r\n world\r\n", status: 413, code: "PAYLOAD_TOO_LARGE",
            message: "The request body exceeds 10 bytes"),
        Refused(
            testDescription: "malformed", fields: "Transfer-Encoding: chunked", body: "5\r\nhello\r\nzz\r\n",
            status: 400, code: "INVALID_REQUEST", message: "chunk"),
    ]

    @Test("A body that breaks a rule or a limit is answered like a buffered one", arguments: refused)
    func refuses(request: Refused) throws {
        try withBodyGateway(limit: 10) { server in
            let client = try RawClient(port: server.port)
            client.post("/count", request.fields)
            client.send(request.body)
            let reply = try client.reply()
            #expect(reply.status == request.status)
            #expect(reply.text.contains("\"code\":\"\(request.code)\""))
            #expect(reply.text.contains(request.message), "\(reply.text)")
            #expect(reply.value("Connection") == "close")
            #expect(client.readToEnd() == ([], .fin))
        }
    }

    @Test("A body that stalls is 408")
    func stalled() throws {
        try withBodyGateway(configure: { $0.inbound.bodyDeadline = .milliseconds(30) }) { server in
            let client = try RawClient(port: server.port)
            client.post("/count", "Content-Length: 100")
            client.send("some")
            let reply = try client.reply()
            #expect(reply.status == 408)
            #expect(reply.text.contains("\"code\":\"REQUEST_TIMEOUT\""))
            #expect(reply.value("Connection") == "close")
        }
    }

    @Test("The endpoint's deadline includes the upload")
    func deadline() throws {
        try withBodyGateway(configure: { $0.limits.deadline = .milliseconds(50) }) { server in
            let client = try RawClient(port: server.port)
            client.post("/count", "Content-Length: 100")
            let reply = try client.reply()
            #expect(reply.status == 504)
            #expect(reply.value("Connection") == "close")
            #expect(client.readToEnd() == ([], .fin))
        }
    }

    @Test("The 100 that a client expects is sent when the handler reads, and not if it answers at once")
    func expectation() throws {
        try withBodyGateway { server in
            let client = try RawClient(port: server.port)
            client.post("/count", "Content-Length: 4\r\nExpect: 100-continue")
            #expect(try client.read(through: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
            client.send("body")
            #expect(try client.reply().text.contains("\"data\":4"))

            client.post("/early", "Content-Length: 4\r\nExpect: 100-continue")
            let reply = try client.reply()
            #expect(reply.status == 200)
            #expect(reply.value("Connection") == "close")
            #expect(client.readToEnd() == ([], .fin))
        }
    }

    @Test("An answer before the end of the body closes the connection; the rest is no request")
    func early() throws {
        let request = "POST /early HTTP/1.1\r\nHost: test\r\nContent-Length: 0\r\n\r\n"
        let lines = try withBodyGateway { server in
            let client = try RawClient(port: server.port)
            client.post("/early", "Content-Length: 100000")
            let reply = try client.reply()
            #expect(reply.text.contains("\"data\":\"early\""))
            #expect(reply.value("Connection") == "close")
            client.send(request)
            #expect(client.readToEnd() == ([], .fin))
        }
        #expect(lines.count == 1)
    }

    @Test("An upload in progress completes during a drain")
    func drains() throws {
        let log = HandlerLog()
        try withBodyGateway(log: log) { server in
            let client = try RawClient(port: server.port)
            client.post("/count", "Content-Length: 8")
            client.send("half")
            try log.wait(for: "first")
            server.drain()
            client.send("half")
            let reply = try client.reply()
            #expect(reply.text.contains("\"data\":8"))
            #expect(reply.value("Connection") == "close")
        }
    }

    @Test("An upload that outlasts the drain deadline is reset, and its handler cancelled")
    func drainDeadline() throws {
        let log = HandlerLog()
        try withBodyGateway(log: log, configure: { $0.drainDeadline = .milliseconds(50) }) { server in
            let client = try RawClient(port: server.port)
            client.post("/count", "Content-Length: 8")
            client.send("half")
            try log.wait(for: "first")
            server.drain()
            try log.wait(for: "CancellationError")
            #expect(client.readToEnd().end == .reset)
        }
    }
}
