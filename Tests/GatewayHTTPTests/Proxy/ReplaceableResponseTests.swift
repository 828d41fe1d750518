import GatewayCore
import HTTPModel
import Networking
import Rx
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("Failures that pass through and might be repeated", .timeLimit(.minutes(1)))
struct ReplaceableResponseTests {
    private static func head(_ status: Int, length: Int, _ fields: String = "") -> String {
        "HTTP/1.1 \(status) Failed\r\nContent-Length: \(length)\r\n\(fields)\r\n"
    }

    /// Sends a head, and the body only after the client has the head.
    private func check(_ status: Int, _ fields: String, attempts: Int, to method: String = "GET") throws {
        let hasHead = Signal()
        let lines = try withProxy(
            [
                .readRequest, .send(Self.head(status, length: 10, fields)), .wait(hasHead),
                .send("0123456789"),
            ] + .next, policy: .patient(attempts: attempts)
        ) { server, upstream in
            let client = try RawClient(port: server.port)
            client.begin("\(method) /files/a", "Content-Length: 0")
            #expect(try client.read(through: "\r\n\r\n").hasPrefix("HTTP/1.1 \(status) "))
            hasHead.fire()
            #expect(try client.read(count: 10).elementsEqual("0123456789".utf8))
            #expect(upstream.requests.count == 1)
            #expect(try client.goesOn())
        }
        #expect(lines.ends == ["complete", "complete"])
        #expect(lines.statuses == [status, 200])
    }

    @Test("The head of a failure whose body takes long passes alone", arguments: [502, 503, 504], [1, 3])
    func slowBody(status: Int, attempts: Int) throws { try check(status, "", attempts: attempts) }

    @Test("A failure that is not repeated is not kept for it", arguments: [429, 503])
    func notRepeated(status: Int) throws {
        try check(status, "Retry-After: 3000\r\n", attempts: 3)
        try check(status, "Retry-After: 1\r\n", attempts: 3, to: "POST")
        try check(429, "", attempts: 3)
    }

    @Test("A failure with a large body passes, whether it could be repeated or not", arguments: [429, 503])
    func largeBody(status: Int) throws {
        let size = 9 << 20
        let lines = try withProxy(
            [
                .readRequest,
                .sendBytes(Array(Self.head(status, length: size).utf8) + [UInt8](repeating: 65, count: size)),
            ] + .next, policy: .patient(attempts: 3)
        ) { server, upstream in
            let client = try RawClient(port: server.port)
            client.begin("GET /files/a")
            let reply = try client.reply()
            #expect(reply.status == status)
            #expect(reply.text.utf8.count == size)
            #expect(upstream.requests.count == 1)
            #expect(try client.goesOn())
        }
        #expect(lines.statuses == [status, 200])
    }

    @Test("A failure is repeated if it is complete in time, whatever its framing")
    func repeated() throws {
        let chunk = String(repeating: "a", count: 0x8000)
        try withProxy(
            [.readRequest, .send(Self.head(503, length: chunk.utf8.count) + chunk)],
            [
                .readRequest, .send("HTTP/1.1 502 Bad\r\nTransfer-Encoding: chunked\r\n\r\n"),
                .send("8000\r\n\(chunk)\r\n"), .send("0\r\n\r\n"),
            ] + .next, policy: .patient(attempts: 3)
        ) { server, upstream in
            let client = try RawClient(port: server.port)
            #expect(try client.goesOn())
            #expect(upstream.requests.count == 3)
        }
    }

    private struct Renewal: RequestInterceptor {
        func retry(
            _ request: HTTPRequest, dueTo error: NetworkError, retryCount: Int
        ) -> Single<RetryResult> { .just(error.statusCode == 401 ? .retry : .doNotRetry) }
    }

    @Test("An interceptor gets a failure whose body takes longer than a head may wait")
    func interceptor() throws {
        let isLate = Signal()
        try withProxy(
            [.readRequest, .send(Self.head(401, length: 5)), .wait(isLate), .send("later")] + .next,
            declare: { gateway, _ in
                let files = gateway.proxyUpstream("files", policy: .single, interceptor: Renewal())
                gateway.proxy("/files/{path...}", to: files)
            }
        ) { server, upstream in
            let client = try RawClient(port: server.port)
            client.begin("GET /files/a")
            #expect(client.end(within: 200) == .silence)
            isLate.fire()
            #expect(try client.reply().text == "next")
            #expect(upstream.requests.count == 2)
        }
    }

    @Test("A response that may be replaced counts while it is held; without memory for it, it passes")
    func memory() throws {
        let isLate = Signal()
        let size = 200 << 10
        try withProxy(
            [
                .readRequest, .send(Self.head(401, length: size + 5)),
                .sendBytes([UInt8](repeating: 65, count: size)), .wait(isLate), .send("later"),
            ] + .answering("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nnext"),
            configure: { $0.upstreamBodies = 1 << 20 },
            declare: { gateway, _ in
                let files = gateway.proxyUpstream("files", policy: .single, interceptor: Renewal())
                gateway.proxy("/files/{path...}", to: files)
            }
        ) { server, _ in
            var held: [RawClient] = []
            for count in 1...2 {
                let client = try RawClient(port: server.port)
                client.begin("GET /files/a")
                held.append(client)
                // All but the last small piece.
                try spin(while: server.settled.upstreamBodyBytes < count * (size - (16 << 10))) {
                    "\(server.settled.upstreamBodyBytes) bytes of \(count) responses"
                }
            }
            let last = try RawClient(port: server.port)
            last.begin("GET /files/a")
            #expect(try last.read(through: "\r\n\r\n").hasPrefix("HTTP/1.1 401 "))
            for _ in 1...3 { isLate.fire() }
            for client in held { #expect(try client.reply().text == "next") }
            #expect(try last.read(count: size + 5).count == size + 5)
            try spin(while: server.settled.upstreamBodyBytes > 0) {
                "\(server.settled.upstreamBodyBytes) bytes of responses"
            }
        }
    }

    @Test("The body of a 205, which has no content, neither delays nor breaks the answer")
    func resetContent() throws {
        let lines = try withProxy(
            [.readRequest, .send(Self.head(205, length: 10)), .awaitEnd], .next
        ) { server, _ in
            let client = try RawClient(port: server.port)
            client.begin("GET /files/a")
            let reply = try client.reply()
            #expect(reply.status == 205)
            #expect(reply.text.isEmpty)
            #expect(try client.goesOn())
        }
        #expect(lines.statuses == [205, 200])
    }
}
