import GatewayCore
import Glibc
import JSONBytes
import Networking
import Rx
import TestSupport
import Testing

@testable import GatewayHTTP

/// Checks the messages at `debug` about connections and calls.
@Suite("Messages at debug")
struct DebugMessageTests {
    /// Serves `/page`, which makes one call, at this log level, and returns the messages about upstreams and
    /// refusals.
    private func messages(
        _ upstream: ScriptedUpstream, level: LogLevel = .debug, retry: CallRetryPolicy = .never,
        configure: (inout GatewayServerConfiguration) -> Void = { _ in }, _ body: (RawClient) throws -> Void
    ) throws -> [JSONFragment] {
        let pipe = RawPipe()
        defer { close(pipe.reader) }
        _ = try withLoggedGateway(errors: pipe.writer) { configuration in
            configuration.logLevel = level
            configuration.upstreams = ["parts": "http://127.0.0.1:\(upstream.port)/hidden"]
            configure(&configuration)
        } declare: { gateway in
            var policy = CallPolicy()
            policy.retry = retry
            let parts = gateway.provider(PartsAPI.self, upstream: "parts", policy: policy)
            gateway.get("/page", .deadline(.seconds(1))) { _ in
                .parts(first: parts.rx.request(.first).fragment())
            }
            gateway.get("/both", .deadline(.milliseconds(300))) { _ in
                .parts(
                    first: parts.rx.request(.first).fragment(), second: parts.rx.request(.second).fragment())
            }
        } _: { server in
            try body(RawClient(port: server.port))
        }
        close(pipe.writer)
        let lines = try pipe.readAll().split(separator: "\n").map {
            try JSONFragment(validating: Array($0.utf8)[...])
        }
        return lines.filter { line in
            let message = line[member: "message"]?.stringValue ?? ""
            return message.hasPrefix("upstream") || message.hasSuffix("refused")
        }
    }

    private func ask(_ client: RawClient, times: Int = 1) {
        for _ in 0..<times {
            client.send("GET /page?key=hidden HTTP/1.1\r\nHost: test\r\nAuthorization: hidden\r\n\r\n")
            _ = client.receive()
        }
    }

    private func words(_ messages: [JSONFragment]) -> [String?] {
        messages.map { line in
            let word = line[member: "message"]?.stringValue ?? ""
            return (["reason"].compactMap { line[member: $0]?.stringValue }).reduce(word) { "\($0): \($1)" }
        }
    }

    private static let whole = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1"

    // MARK: Failures

    @Test(
        "A retried call is logged with attempt, reason and delay, and its discarded connection with the reason"
    )
    func retries() throws {
        let upstream = try ScriptedUpstream(
            [.readRequest, .reset], [.readRequest, .send(Self.whole), .awaitEnd])
        defer { upstream.stop() }
        let messages = try messages(upstream, retry: CallRetryPolicy()) { ask($0) }
        #expect(
            words(messages).prefix(4) == [
                "upstream connection opened", "upstream connection discarded: connection_terminated",
                "upstream call retried: connection_terminated", "upstream connection opened",
            ])
        let retry = try #require(messages.dropFirst(2).first)
        #expect(retry[member: "attempt"]?.intValue == 1)
        #expect(retry[member: "upstream"]?.stringValue == "parts")
        #expect(retry[member: "address"]?.stringValue == "127.0.0.1:\(upstream.port)")
        #expect(retry[member: "delayMs"]?.intValue != nil)
    }

    @Test("A response that breaks rules without harm is used, and logged with the rules")
    func toleratedResponse() throws {
        let upstream = try ScriptedUpstream([
            .readRequest,
            .send("HTTP/1.1 200 OK\r\nX-Folded: a\r\n b\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n1"),
            .readRequest, .send("HTTP/1.1 999 X\r\nContent-Length: 1\r\n\r\n1"), .awaitEnd,
        ])
        defer { upstream.stop() }
        let messages = try messages(upstream) { client in
            client.send("GET /page HTTP/1.1\r\nHost: test\r\n\r\n")
            #expect(client.receive()?.status == 200)
            client.send("GET /page HTTP/1.1\r\nHost: test\r\n\r\n")
            #expect(client.receive()?.status == 502)
        }
        let tolerated = messages.filter {
            $0[member: "message"]?.stringValue == "upstream response tolerated"
        }
        #expect(
            tolerated.map { $0[member: "rules"]?.stringValue } == [
                "a field value is folded; Content-Length is repeated", "the status is above 599",
            ])
        #expect(
            tolerated.allSatisfy {
                $0[member: "origin"]?.stringValue == "http://127.0.0.1:\(upstream.port)"
                    && $0[member: "address"]?.stringValue == "127.0.0.1:\(upstream.port)"
            })
    }

    @Test("A call that finds no free connection and a full queue is logged as refused")
    func refusedCalls() throws {
        let upstream = try ScriptedUpstream([.readRequest, .awaitEnd])
        defer { upstream.stop() }
        let messages = try messages(upstream) { configuration in
            configuration.outbound.connectionsPerUpstream = 1
            configuration.outbound.waitingCalls = 0
        } _: { client in
            client.send("GET /both HTTP/1.1\r\nHost: test\r\n\r\n")
            _ = client.receive()
        }
        #expect(words(messages).contains("upstream call refused: concurrency_limit"))
        // The refused call has ended the answer, which cancels the first one, but costs it no connection.
        #expect(!words(messages).contains("upstream connection discarded: call_cancelled"))
    }

    @Test("A malformed request is logged with the reason")
    func refusedRequests() throws {
        let upstream = try ScriptedUpstream([.awaitEnd])
        defer { upstream.stop() }
        let messages = try messages(upstream) { client in
            client.send("GET /page HTTP/1.1\r\nHost: test\r\nhidden field: x\r\n\r\n")
            #expect(client.receive()?.status == 400)
        }
        #expect(words(messages) == ["request refused: malformed"])
        #expect(messages.first?[member: "status"]?.intValue == 400)
    }

    @Test(
        "A request for a foreign host is logged as refused, without its name; an unknown path is not"
    )
    func misdirected() throws {
        let upstream = try ScriptedUpstream([.awaitEnd])
        defer { upstream.stop() }
        let messages = try messages(upstream) {
            $0.hosts = .localhost
        } _: { client in
            client.send("GET /page HTTP/1.1\r\nHost: hidden.example\r\n\r\n")
            #expect(client.receive()?.status == 421)
            client.send("GET /nowhere HTTP/1.1\r\nHost: localhost\r\n\r\n")
            #expect(client.receive()?.status == 404)
        }
        #expect(words(messages) == ["request refused: misdirected"])
        #expect(!messages.contains { $0.description.contains("hidden") })
    }

    @Test(
        "A discarded connection is logged with the reason",
        arguments: [
            ("Connection: close\r\n", "", "peer_closes"), ("", "HTTP/1.1 200 OK\r\n", "unexpected_bytes"),
        ])
    func discarded(field: String, stray: String, reason: String) throws {
        let response = "HTTP/1.1 200 OK\r\n\(field)Content-Length: 1\r\n\r\n1\(stray)"
        let upstream = try ScriptedUpstream([.readRequest, .send(response), .awaitEnd])
        defer { upstream.stop() }
        let messages = try messages(upstream) { ask($0) }
        #expect(
            words(messages) == ["upstream connection opened", "upstream connection discarded: \(reason)"])
    }

    @Test("A connection that has served its maximum of requests is logged as discarded with that reason")
    func usedUp() throws {
        let upstream = try ScriptedUpstream([.answer { _ in Self.whole }])
        defer { upstream.stop() }
        let messages = try messages(upstream) {
            $0.outbound.requestsPerConnection = 2
        } _: {
            ask($0, times: 2)
        }
        #expect(
            words(messages) == [
                "upstream connection opened", "upstream connection reused",
                "upstream connection discarded: requests_used_up",
            ])
    }

    @Test("A pooled connection that the upstream closes is logged as discarded with that reason")
    func peerClosed() throws {
        let answered = Signal()
        let upstream = try ScriptedUpstream(
            [.readRequest, .send(Self.whole), .wait(answered), .close],
            [.readRequest, .send(Self.whole), .awaitEnd])
        defer { upstream.stop() }
        let messages = try messages(upstream) { client in
            ask(client)
            answered.fire()
            ask(client)
        }
        // The upstream's close arrives before the second call, or with it.
        #expect(words(messages).contains("upstream connection discarded: peer_closed"))
    }

    // MARK: Successes

    @Test(
        "Opened and reused connections are logged with origin and address, without paths, queries or credentials"
    )
    func connections() throws {
        let upstream = try ScriptedUpstream([.answer { _ in Self.whole }])
        defer { upstream.stop() }
        let messages = try messages(upstream) { ask($0, times: 2) }
        #expect(
            words(messages).prefix(2) == ["upstream connection opened", "upstream connection reused"])
        for message in messages {
            #expect(message[member: "level"]?.stringValue == "debug")
            #expect(message[member: "origin"]?.stringValue == "http://127.0.0.1:\(upstream.port)")
            #expect(message[member: "address"]?.stringValue == "127.0.0.1:\(upstream.port)")
            #expect(!message.description.contains("hidden"))
        }
        #expect(messages.first?[member: "connectMs"]?.intValue != nil)
    }

    @Test("At level info, connections and calls are not logged")
    func quiet() throws {
        let upstream = try ScriptedUpstream([.answer { _ in Self.whole }])
        defer { upstream.stop() }
        #expect(try messages(upstream, level: .info) { ask($0, times: 2) }.isEmpty)
    }
}
