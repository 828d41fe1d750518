import GatewayCore
import JSONBytes
import Networking
import TestSupport
import Testing

@testable import GatewayHTTP

private struct RemoteAPI: TargetType {
    let scheme: String

    var baseURL: String { "\(scheme)://remote.example" }
    var path: RequestPath { "/" }
}

@Suite("Failures of upstreams behind a proxy", .timeLimit(.minutes(1)))
struct ProxyFailureTests {
    private static let silent: [String: (steps: Script, reason: String)] = [
        "reset": ([.reset], "connection_terminated"),
        "closed": ([.close], "connection_terminated"),
        "in the head": ([.send("HTTP/1.1 200 OK\r\nContent-Le"), .close], "http_response_incomplete"),
        "no HTTP": ([.send("nonsense\r\n\r\n"), .awaitEnd], "http_protocol_error"),
        "two lengths": (
            [.send("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n"), .awaitEnd],
            "http_protocol_error"
        ),
    ]

    @Test("A failure before the head is answered in the gateway's style", arguments: silent.keys)
    func beforeTheHead(name: String) throws {
        let (steps, reason) = try #require(Self.silent[name])
        let lines = try withProxy([.readRequest] + steps, .next) { server, _ in
            let client = try RawClient(port: server.port)
            client.begin("GET /files/a")
            let reply = try client.reply()
            #expect(reply.status == 502)
            #expect(reply.value("Content-Type")?.hasPrefix("application/json") == true)
            #expect(reply.value("Proxy-Status") == "sluice; error=\(reason)")
            #expect(reply.text.contains("\"reason\":\"\(reason)\""))
            #expect(try client.goesOn())
        }
        #expect(lines.ends == ["complete", "complete"])
        #expect(lines.statuses == [502, 200])
    }

    private static func refusal(_ method: String) -> Script {
        let head =
            "HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm=\"inner\"\r\n"
        return [
            .readRequest, .send(head + "Content-Type: text/html\r\nContent-Length: 12\r\n\r\n"),
            .send(method == "HEAD" ? "" : "secret proxy"),
        ]
    }

    private func checkRefusal(_ reply: RawClient.Reply) {
        #expect(reply.status == 502)
        #expect(reply.value("Proxy-Status")?.hasPrefix("sluice; received-status=407") == true)
        #expect(reply.value("Proxy-Authenticate") == nil)
        #expect(!reply.text.contains("secret"))
    }

    @Test(
        "A 407 is the gateway's own affair, so the client gets 502",
        arguments: ["GET", "HEAD", "POST", "DELETE"])
    func proxyAuthentication(method: String) throws {
        let lines = try withProxy(Self.refusal(method) + .next) { server, _ in
            let client = try RawClient(port: server.port)
            client.begin("\(method) /files/a", method == "POST" ? "Content-Length: 0" : "Accept: */*")
            let reply = try client.reply(toHead: method == "HEAD")
            checkRefusal(reply)
            if method != "HEAD" { #expect(reply.text.contains(#""status":407"#)) }
            #expect(try client.goesOn())
        }
        #expect(lines.ends == ["complete", "complete"])
        #expect(lines.statuses == [502, 200])
    }

    @Test("The 407 of an upstream is not blamed on a proxy that nobody has configured")
    func upstreamsOwn() throws {
        _ = try withProxy(Self.refusal("GET")) { server, _ in
            let client = try RawClient(port: server.port)
            client.begin("GET /files/a")
            let reply = try client.reply()
            checkRefusal(reply)
            #expect(
                reply.text.contains("the upstream, or a proxy before it, asked for a proxy's credentials"))
        }
    }

    @Test(
        "The 407 of the gateway's forward proxy, also to CONNECT, does not pass, for either kind of endpoint",
        arguments: ["http", "https"])
    func forwardProxy(scheme: String) throws {
        let proxy = try ScriptedUpstream(Self.refusal("GET") + [.again])
        defer { proxy.stop() }
        let configuration = try OutboundProxy("http://127.0.0.1:\(proxy.port)")
        _ = try withLoggedGateway(
            stops: true, configure: { $0.connections.proxy = .fixed(configuration) },
            declare: { gateway in
                let files = gateway.proxyUpstream(
                    "files", baseURL: "\(scheme)://files.example", policy: .single)
                gateway.proxy("/files/{path...}", to: files)
                let target = gateway.provider(RemoteAPI.self, upstream: "remote", policy: .single)
                gateway.get("/passed") { _ in .proxy(target.call(RemoteAPI(scheme: scheme))) }
                gateway.get("/json") { _ in
                    .parts(only: target.rx.request(RemoteAPI(scheme: scheme)).fragment())
                }
            }
        ) { server in
            let client = try RawClient(port: server.port)
            for path in ["/files/a", "/passed", "/json"] {
                client.begin("GET \(path)")
                checkRefusal(try client.reply())
            }
            #expect(proxy.requests.count == 3)
            let method = scheme == "http" ? "GET http://" : "CONNECT "
            #expect(proxy.requests.allSatisfy { $0.hasPrefix(method) })
        }
    }

    private static let early: [String: Script] = [
        "reset": [.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello"), .reset],
        "short of its length": [.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello"), .close],
        "short in a later read": [
            .send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n"), .send("hello"), .close,
        ],
        "without a byte": [.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n"), .close],
        "without a byte of a large body": [
            .send("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n"), .close,
        ],
        "without a chunk": [.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"), .close],
        "of an event stream": [
            .send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"),
            .close,
        ],
    ]

    @Test(
        "A response that breaks off before its first byte has reached the client is answered with 502",
        arguments: early.keys, ["1.1", "1.0"])
    func beforeTheFirstByte(name: String, version: String) throws {
        let lines = try withProxy([.readRequest] + (Self.early[name] ?? []), .next) { server, _ in
            let client = try RawClient(port: server.port)
            client.send("GET /files/a HTTP/\(version)\r\nHost: test\r\n\r\n")
            let reply = try client.reply()
            #expect(reply.status == 502)
            #expect(reply.text.contains("\"reason\":\"http_response_incomplete\""))
            #expect(reply.value("Content-Type")?.hasPrefix("application/json") == true)
            #expect(try RawClient(port: server.port).goesOn())
        }
        #expect(lines.ends == ["complete", "complete"])
        #expect(lines.statuses == [502, 200])
    }

    @Test(
        "A response that breaks off before its first byte has reached the client is repeated",
        arguments: early.keys)
    func repeated(name: String) throws {
        let broken: Script = [.readRequest] + (Self.early[name] ?? [])
        try withProxy(broken, broken, .next, policy: .patient(attempts: 3)) { server, upstream in
            let client = try RawClient(port: server.port)
            #expect(try client.goesOn())
            #expect(upstream.requests.count == 3)
        }
    }

    @Test("An invalid first chunk is answered with 502 and not repeated")
    func invalidFirstChunk() throws {
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        try withProxy(
            [.readRequest, .send(head + "zz\r\n"), .awaitEnd], policy: .patient(attempts: 3)
        ) { server, upstream in
            let client = try RawClient(port: server.port)
            client.begin("GET /files/a")
            let reply = try client.reply()
            #expect(reply.status == 502)
            #expect(reply.value("Proxy-Status") == "sluice; error=http_protocol_error")
            #expect(upstream.requests.count == 1)
        }
    }

    private static let broken: [String: Script] = [
        "without its last chunk": [
            .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"), .close,
        ],
        "with a broken chunk": [
            .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nzz\r\n"), .awaitEnd,
        ],
        "large and short of its length": [
            .send("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\nhello"), .reset,
        ],
    ]

    @Test(
        "A body that breaks off is reset after what has come of it, and the log says aborted",
        arguments: broken.keys, ["1.1", "1.0"])
    func inTheBody(name: String, version: String) throws {
        let lines = try withProxy(
            [.readRequest] + (Self.broken[name] ?? []), .next, policy: .patient(attempts: 3)
        ) { server, upstream in
            let client = try RawClient(port: server.port)
            client.send("GET /files/a HTTP/\(version)\r\nHost: test\r\n\r\n")
            let (bytes, end) = client.readToEnd()
            #expect(end == .reset)
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(text.hasPrefix("HTTP/1.1 200 OK\r\n"), "\(text)")
            #expect(text.contains("hello"), "\(text)")
            #expect(upstream.requests.count == 1)
            #expect(try RawClient(port: server.port).goesOn())
        }
        #expect(lines.ends == ["aborted", "complete"])
    }

    @Test("A head whose body takes long reaches the client before the body, and a break then is a reset")
    func headAlone() throws {
        let hasHead = Signal()
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
        let lines = try withProxy(
            [.readRequest, .send(head), .wait(hasHead), .close], policy: .patient(attempts: 3)
        ) { server, upstream in
            let client = try RawClient(port: server.port)
            client.begin("GET /files/a")
            #expect(try client.read(through: "\r\n\r\n").contains("text/event-stream"))
            hasHead.fire()
            #expect(client.readToEnd().end == .reset)
            #expect(upstream.requests.count == 1)
        }
        #expect(lines.ends == ["aborted"])
    }

    enum Phase: String, CaseIterable, Sendable {
        case beforeTheHead, inTheResponse, inTheUpload, beforeTheContinue
    }

    @Test(
        "When the client leaves, the upstream sees the end within 100 ms", arguments: Phase.allCases,
        [true, false])
    func clientLeaves(phase: Phase, byReset: Bool) throws {
        let script: Script
        switch phase {
        case .beforeTheHead: script = [.readRequest, .awaitEnd]
        case .inTheResponse:
            script = [.readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhello"), .awaitEnd]
        case .inTheUpload, .beforeTheContinue: script = [.readHead, .awaitEnd]
        }
        let rounds = 3
        let lines = try withProxy(script, configure: { $0.outbound.continueTimeout = .seconds(300) }) {
            server, upstream in
            for _ in 0..<rounds {
                let client = try RawClient(port: server.port)
                switch phase {
                case .beforeTheHead: client.begin("GET /files/a")
                case .inTheResponse:
                    client.begin("GET /files/a")
                    _ = try client.read(through: "hello")
                case .inTheUpload:
                    client.begin("PUT /files/a", "Content-Length: 100")
                    client.send("some")
                case .beforeTheContinue:
                    client.begin("PUT /files/a", "Content-Length: 100", "Expect: 100-continue")
                }
                try upstream.requestRead.waitBlocking()
                let start = ContinuousClock.now
                if byReset { client.reset() } else { client.close() }
                try upstream.clientEnded.waitBlocking()
                #expect(ContinuousClock.now - start < .milliseconds(100 * Sanitizer.slowdown))
            }
            #expect(upstream.requests.count == rounds)
        }
        #expect(lines.count == rounds)
        if phase == .inTheResponse {
            #expect(Set(lines.ends) == ["client_gone"])
        } else {
            #expect(Set(lines.statuses) == [499])
        }
    }
}
