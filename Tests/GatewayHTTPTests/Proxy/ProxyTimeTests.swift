import GatewayCore
import JSONBytes
import Networking
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("Time limits of what passes through", .timeLimit(.minutes(1)))
struct ProxyTimeTests {
    @Test("The deadline passes before the head: 504, and the upstream sees the end")
    func deadline() throws {
        try withProxy(
            [.readRequest, .awaitEnd], .next, configure: { $0.limits.deadline = .milliseconds(50) }
        ) { server, upstream in
            let client = try RawClient(port: server.port)
            client.begin("GET /files/a")
            #expect(try client.reply().status == 504)
            try upstream.clientEnded.waitBlocking()
        }
    }

    @Test("After the head a response may take longer than the deadline and than a call may take")
    func noDeadlineAfterTheHead() throws {
        var policy = CallPolicy.single
        policy.totalTimeout = .milliseconds(50)
        let last = Signal()
        let lines = try withProxy(
            [
                .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nfirst"), .wait(last),
                .send("last"),
            ], policy: policy, configure: { $0.limits.deadline = .milliseconds(50) }
        ) { server, _ in
            let client = try RawClient(port: server.port)
            client.begin("GET /files/a")
            _ = try client.read(through: "first")
            #expect(client.end(within: 200) == .silence)
            last.fire()
            #expect(try client.read(count: 4).elementsEqual("last".utf8))
        }
        #expect(lines.ends == ["complete"])
    }

    @Test("An upload may take longer than the deadline, which begins after it")
    func longUpload() throws {
        let lines = try withProxy(
            [
                .readHead, .read(8), .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"), .readHead,
                .read(8), .awaitEnd,
            ],
            configure: { $0.limits.deadline = .milliseconds(50) }
        ) { server, upstream in
            let client = try RawClient(port: server.port)
            for isAnswered in [true, false] {
                client.begin("PUT /files/a", "Content-Length: 8")
                client.send("some")
                #expect(client.end(within: 200) == .silence)
                client.send("more")
                #expect(try client.reply().status == (isAnswered ? 200 : 504))
            }
            try upstream.clientEnded.waitBlocking()
        }
        #expect(lines.statuses == [200, 504])
    }

    @Test("A gap in the response resets the connection, and the log says aborted")
    func gap() throws {
        let lines = try withProxy(
            [.readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nfirst"), .awaitEnd],
            policy: .patient(attempts: 3, gap: .milliseconds(300))
        ) { server, upstream in
            let client = try RawClient(port: server.port)
            client.begin("GET /files/a")
            let (bytes, end) = client.readToEnd()
            #expect(end == .reset)
            #expect(String(decoding: bytes, as: UTF8.self).hasSuffix("first"))
            #expect(upstream.requests.count == 1)
        }
        #expect(lines.ends == ["aborted"])
    }

    @Test("A client that pauses longer than any limit of the upstream gets all of it")
    func pausingClient() throws {
        let size = 16 << 20
        let lines = try withProxy(
            [
                .readRequest,
                .sendBytes(
                    Array("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n".utf8)
                        + [UInt8](repeating: 65, count: size)),
            ], policy: .patient(attempts: 1, gap: .milliseconds(500)),
            configure: {
                $0.outbound.pauseTimeout = .milliseconds(500)
                $0.limits.deadline = .milliseconds(500)
                $0.limits.streamGap = .milliseconds(500)
            }
        ) { server, upstream in
            let client = try RawClient(port: server.port, receiveBuffer: 1 << 16)
            client.begin("GET /files/a")
            _ = try client.read(through: "\r\n\r\n")
            for _ in 0..<2 {
                #expect(!client.isReset(within: 600))
                _ = try client.read(count: 1 << 20)
            }
            #expect(try client.read(count: size - 2 << 20).count == size - 2 << 20)
        }
        #expect(lines.ends == ["complete"])
    }

    private enum FilesAPI: TargetType {
        case large

        var baseURL: String { "http://files.test" }
        var path: RequestPath { "/large" }
    }

    @Test(
        "A handler's stream of an upstream's body has the same limits: gaps, and neither total nor deadline")
    func streamedByHandler() throws {
        let size = 16 << 20
        let head = "HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n"
        var policy = CallPolicy.patient(attempts: 1, gap: .milliseconds(500))
        policy.totalTimeout = .milliseconds(500)
        let lines = try withProxy(
            [.readRequest, .sendBytes(Array(head.utf8) + [UInt8](repeating: 65, count: size))],
            policy: policy,
            configure: {
                $0.outbound.pauseTimeout = .milliseconds(500)
                $0.limits.deadline = .milliseconds(500)
                $0.limits.streamGap = .milliseconds(500)
            },
            declare: { gateway, _ in
                let files = gateway.provider(FilesAPI.self, upstream: "files", policy: policy)
                gateway.get("/files/large") { _ in
                    .stream(files.rx.stream(.large), contentType: "text/csv", length: size)
                }
            }
        ) { server, upstream in
            let client = try RawClient(port: server.port, receiveBuffer: 1 << 16)
            client.begin("GET /files/large")
            let head = try client.read(through: "\r\n\r\n")
            try #require(
                head.hasPrefix("HTTP/1.1 200 OK\r\n"),
                "\(head) \(String(decoding: client.unread, as: UTF8.self))")
            for _ in 0..<2 {
                #expect(!client.isReset(within: 600))
                _ = try client.read(count: 1 << 20)
            }
            #expect(try client.read(count: size - 2 << 20).count == size - 2 << 20)
        }
        #expect(lines.ends == ["complete"])
    }

    @Test(
        "A client that takes less than the least rate, or nothing for a while, is reset, and the log says stalled",
        arguments: [true, false])
    func slowClient(byRate: Bool) throws {
        let size = 16 << 20
        let lines = try withProxy(
            [
                .readRequest,
                .sendBytes(
                    Array("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n".utf8)
                        + [UInt8](repeating: 65, count: size)),
            ],
            configure: {
                if byRate {
                    $0.inbound.sendRate = 1 << 50
                    $0.inbound.sendRateGrace = .milliseconds(100)
                } else {
                    $0.inbound.sendStall = .milliseconds(100)
                }
            }
        ) { server, upstream in
            let client = try RawClient(port: server.port, receiveBuffer: 1 << 16, segment: 1460)
            client.begin("GET /files/a")
            _ = try client.read(through: "\r\n\r\n")
            if byRate {
                // Only what a client acknowledges has a rate, while the gateway has more for it. What waits
                // in the gateway, 64 KiB, takes 320 ms.
                var left = 500
                while !client.isReset(within: 20), left > 0 {
                    _ = try? client.read(count: 4_000)
                    left -= 1
                }
                #expect(left > 0)
            } else {
                #expect(client.isReset(within: 20_000))
            }
            try upstream.clientEnded.waitBlocking()
        }
        #expect(lines.ends == ["stalled"])
    }

    @Test("A client whose upload stalls gets 408, and the upstream sees the end")
    func stalledUpload() throws {
        let lines = try withProxy(
            [.readHead, .awaitEnd], .next, configure: { $0.inbound.bodyDeadline = .milliseconds(50) }
        ) { server, upstream in
            let client = try RawClient(port: server.port)
            client.begin("PUT /files/a", "Content-Length: 100")
            client.send("some")
            let reply = try client.reply()
            #expect(reply.status == 408)
            #expect(reply.text.contains("\"code\":\"REQUEST_TIMEOUT\""))
            #expect(reply.value("Connection") == "close")
            try upstream.clientEnded.waitBlocking()
        }
        #expect(lines.statuses == [408])
    }

    @Test("An upstream that stops taking an upload ends the call")
    func stalledUpstream() throws {
        var policy = CallPolicy.single
        policy.attemptLimits.write = .milliseconds(100)
        let taken = Signal()
        let lines = try withProxy([.readHead, .wait(taken)], policy: policy) { server, _ in
            let client = try RawClient(port: server.port)
            client.begin("PUT /files/a", "Content-Length: \(64 << 20)")
            let sent = client.sendUntilBlocked([UInt8](repeating: 65, count: 64 << 20), for: 2_000)
            #expect(sent < 64 << 20)
            #expect(try client.reply().status == 504)
            taken.fire()
        }
        #expect(lines.statuses == [504])
    }
}
