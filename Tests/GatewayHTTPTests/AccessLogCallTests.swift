import GatewayCore
import JSONBytes
import Locking
import Networking
import Rx
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("Upstream calls in the access log")
struct AccessLogCallTests {
    private static func answering(_ status: String = "200 OK", _ body: String = "1") throws
        -> ScriptedUpstream
    {
        try ScriptedUpstream([
            .answer { _ in "HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)" }
        ])
    }

    /// Serves with upstreams at these ports, sends the requests one after another, and returns their log
    /// lines.
    private static func lines(
        _ upstreams: [String: UInt16], requests: [String] = ["/page"],
        declare: (Gateway) throws -> Void
    ) throws -> [JSONFragment] {
        try withLoggedGateway { configuration in
            configuration.upstreams = upstreams.mapValues { "http://127.0.0.1:\($0)" }
        } declare: {
            try declare($0)
        } _: { server in
            let client = try RawClient(port: server.port)
            for path in requests {
                client.send("GET \(path) HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer hidden\r\n\r\n")
                _ = client.receive()
            }
        }
    }

    private static func calls(of part: String, in line: JSONFragment?) throws -> [String] {
        let calls = try #require(line?[member: "parts"]?[member: part]?[member: "calls"])
        return calls.elements.map(told)
    }

    /// What a call is, without its times and details.
    private static func told(_ call: JSONFragment) -> String {
        let left = call.members.filter { !["startMs", "elapsedMs", "tries", "detail"].contains($0.name) }
        return "{" + left.map { "\"\($0.name)\":\($0.value)" }.joined(separator: ",") + "}"
    }

    private static let once: CallPolicy = {
        var policy = CallPolicy()
        policy.retry = .never
        return policy
    }()

    @Test(
        "Each call is logged with its own upstream and address, even if there are more upstreams than cached texts"
    )
    func manyUpstreams() throws {
        let servers = try (0..<3).map { _ in try Self.answering() }
        defer { for server in servers { server.stop() } }
        let names = (0..<150).map { "api\($0)" }
        let upstreams = Dictionary(
            uniqueKeysWithValues: names.indices.map { (names[$0], servers[$0 % 3].port) })
        // Twice in the same order, so that each cached text is evicted before its second use.
        let requests = (names + names).map { "/\($0)" }
        let lines = try Self.lines(upstreams, requests: requests) { gateway in
            for name in names {
                let parts = gateway.provider(PartsAPI.self, upstream: name)
                gateway.get("/\(name)") { _ in .parts(only: parts.rx.request(.first).fragment()) }
            }
        }
        #expect(lines.count == 300)
        for (line, index) in zip(lines, (0..<150).map { $0 } + (0..<150)) {
            let port = servers[index % 3].port
            let call =
                #"{"upstream":"api\#(index)","address":"127.0.0.1:\#(port)","attempts":1,"status":200}"#
            #expect(try Self.calls(of: "only", in: line) == [call])
        }
    }

    @Test("A call that meets only stale connections is silently resent once, not once per attempt")
    func staleConnections() throws {
        let go = Signal()
        let ok = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1"
        // Three connections become idle. The upstream closes them and all later ones on the next request.
        let warm: [ScriptedUpstream.Step] = [.readRequest, .wait(go), .send(ok), .readRequest, .close]
        let upstream = try ScriptedUpstream(warm, warm, warm, [.readRequest, .close])
        defer { upstream.stop() }
        let lines = try withLoggedGateway { configuration in
            configuration.upstreams = ["parts": "http://127.0.0.1:\(upstream.port)"]
        } declare: { gateway in
            let parts = gateway.provider(PartsAPI.self, upstream: "parts")
            gateway.get("/warm") { _ in
                .parts(
                    a: parts.rx.request(.first).fragment(), b: parts.rx.request(.first).fragment(),
                    c: parts.rx.request(.first).fragment())
            }
            gateway.get("/page") { _ in .parts(only: parts.rx.request(.first).fragment()) }
        } _: { server in
            let client = try RawClient(port: server.port)
            client.send("GET /warm HTTP/1.1\r\nHost: test\r\n\r\n")
            for _ in 0..<3 { try upstream.requestRead.waitBlocking() }
            for _ in 0..<3 { go.fire() }
            #expect(client.receive()?.status == 200)
            client.send("GET /page HTTP/1.1\r\nHost: test\r\n\r\n")
            #expect(client.receive()?.status == 502)
        }
        let part = try #require(lines.last?[member: "parts"]?[member: "only"])
        #expect(part[member: "attempts"]?.intValue == 3)
        #expect(upstream.requests.count == 3 + 4)
    }

    // MARK: Failures

    @Test("A refused call is logged with its reason, number of attempts and address")
    func refused() throws {
        let upstream = try ScriptedUpstream(.closed, [])
        defer { upstream.stop() }
        let lines = try Self.lines(["parts": upstream.port]) { gateway in
            let parts = gateway.provider(PartsAPI.self, upstream: "parts")
            gateway.get("/page") { _ in .parts(first: parts.rx.request(.first).fragment()) }
        }
        let part = try #require(lines.first?[member: "parts"]?[member: "first"])
        let attempts = try #require(part[member: "attempts"]?.intValue)
        #expect(attempts > 1)
        #expect(
            try Self.calls(of: "first", in: lines.first) == [
                #"{"upstream":"parts","address":"127.0.0.1:\#(upstream.port)","attempts":\#(attempts),"#
                    + #""reason":"connection_refused"}"#
            ])
    }

    @Test("A call to a host that does not resolve is logged with a reason and no address")
    func unresolved() throws {
        let lines = try withLoggedGateway { configuration in
            configuration.upstreams = ["parts": "http://nobody.invalid"]
        } declare: { gateway in
            let parts = gateway.provider(PartsAPI.self, upstream: "parts", policy: Self.once)
            gateway.get("/page") { _ in .parts(first: parts.rx.request(.first).fragment()) }
        } _: { server in
            let client = try RawClient(port: server.port)
            client.send("GET /page HTTP/1.1\r\nHost: test\r\n\r\n")
            _ = client.receive()
        }
        let call = try #require(
            lines.first?[member: "parts"]?[member: "first"]?[member: "calls"]?[element: 0])
        #expect(["dns_error", "dns_timeout"].contains(call[member: "reason"]?.stringValue))
        #expect(call[member: "address"] == nil)
        #expect(call[member: "status"] == nil)
    }

    @Test("A failed call is logged with its status and reason")
    func failingStatus() throws {
        let upstream = try Self.answering("404 Not Found")
        defer { upstream.stop() }
        let lines = try Self.lines(["parts": upstream.port]) { gateway in
            let parts = gateway.provider(PartsAPI.self, upstream: "parts")
            gateway.get("/page") { _ in .parts(first: parts.rx.request(.first).fragment().optional()) }
        }
        #expect(
            try Self.calls(of: "first", in: lines.first) == [
                #"{"upstream":"parts","address":"127.0.0.1:\#(upstream.port)","attempts":1,"status":404,"#
                    + #""reason":"upstream_status"}"#
            ])
    }

    @Test("A call that the deadline ends is logged as cancelled, with its address")
    func deadline() throws {
        let upstream = try ScriptedUpstream([.readRequest, .awaitEnd])
        defer { upstream.stop() }
        let lines = try Self.lines(["parts": upstream.port]) { gateway in
            let parts = gateway.provider(PartsAPI.self, upstream: "parts")
            gateway.get("/page", .deadline(.milliseconds(200))) { _ in
                .parts(
                    first: parts.rx.request(.first).fragment(),
                    second: parts.rx.request(.second).fragment().map { $0 }.optional())
            }
        }
        let told =
            #"{"upstream":"parts","address":"127.0.0.1:\#(upstream.port)","attempts":1,"cancelled":true}"#
        #expect(try Self.calls(of: "first", in: lines.first) == [told])
        #expect(try Self.calls(of: "second", in: lines.first) == [told])
    }

    @Test("If one of two zipped calls fails, the other is logged as cancelled")
    func sibling() throws {
        let silent = try ScriptedUpstream([.readRequest, .awaitEnd])
        let failing = try ScriptedUpstream([.readRequest, .reset])
        defer {
            silent.stop()
            failing.stop()
        }
        let lines = try Self.lines(["silent": silent.port, "failing": failing.port]) { gateway in
            let silent = gateway.provider(PartsAPI.self, upstream: "silent")
            let failing = gateway.provider(PartsAPI.self, upstream: "failing", policy: Self.once)
            gateway.get("/page") { _ in
                let both = Single.zip(
                    silent.rx.request(.first).fragment(), failing.rx.request(.second).fragment())
                return .parts(both: both.map { $0.0 })
            }
        }
        #expect(
            try Self.calls(of: "both", in: lines.first) == [
                #"{"upstream":"silent","address":"127.0.0.1:\#(silent.port)","attempts":1,"cancelled":true}"#,
                #"{"upstream":"failing","address":"127.0.0.1:\#(failing.port)","attempts":1,"#
                    + #""reason":"connection_terminated"}"#,
            ])
    }

    @Test("When a client leaves, its calls are logged as cancelled")
    func left() throws {
        let upstream = try ScriptedUpstream([.readRequest, .awaitEnd])
        defer { upstream.stop() }
        let lines = try withLoggedGateway { configuration in
            configuration.upstreams = ["parts": "http://127.0.0.1:\(upstream.port)"]
        } declare: { gateway in
            let parts = gateway.provider(PartsAPI.self, upstream: "parts")
            gateway.get("/page") { _ in .parts(first: parts.rx.request(.first).fragment()) }
        } _: { server in
            do {
                let client = try RawClient(port: server.port)
                client.send("GET /page HTTP/1.1\r\nHost: test\r\n\r\n")
                try upstream.requestRead.waitBlocking()
            }
            try upstream.clientEnded.waitBlocking()
        }
        #expect(lines.first?[member: "status"]?.intValue == 499)
        #expect(
            try Self.calls(of: "first", in: lines.first) == [
                #"{"upstream":"parts","address":"127.0.0.1:\#(upstream.port)","attempts":1,"cancelled":true}"#
            ])
    }

    @Test("A line lists 64 calls of combined parts and counts the omitted calls")
    func cap() throws {
        let upstream = try Self.answering()
        defer { upstream.stop() }
        let lines = try Self.lines(["parts": upstream.port]) { gateway in
            let parts = gateway.provider(PartsAPI.self, upstream: "parts")
            gateway.get("/page") { _ in
                let all = (0..<70).map { _ in parts.rx.request(.first).fragment().asObservable() }
                return .parts(
                    all: Observable.concat(all).toArray(), last: parts.rx.request(.second).fragment())
            }
        }
        let line = try #require(lines.first)
        let told =
            try Self.calls(of: "all", in: line).count
            + (line[member: "parts"]?[member: "last"]?[member: "calls"]?.elements.count ?? 0)
        #expect(told == 65)
        #expect(line[member: "omitted"]?.intValue == 6)
    }

    // MARK: Attribution of calls

    @Test("Each part and step lists its own calls; the handler's own calls are listed separately")
    func belonging() throws {
        let upstream = try Self.answering()
        let other = try Self.answering("204 No Content", "")
        defer {
            upstream.stop()
            other.stop()
        }
        let lines = try Self.lines(["parts": upstream.port, "other": other.port]) { gateway in
            let parts = gateway.provider(PartsAPI.self, upstream: "parts")
            let other = gateway.provider(PartsAPI.self, upstream: "other")
            gateway.get("/page") { _ async throws in
                _ = try await other.request(.first)
                let chained = parts.rx.request(.first).fragment()
                    .flatMap { _ in other.rx.request(.second).fragment() }
                return Answer.first(step: other.rx.request(.first).fragment()).then {
                    .parts(
                        alone: parts.rx.request(.first).fragment(), chained: chained,
                        task: Part.task {
                            _ = try await parts.request(.first)
                            return try await Task(executorPreference: OtherThread()) {
                                try await other.request(.second).fragment()
                            }.value
                        },
                        value: 1)
                }
            }
        }
        let line = try #require(lines.first)
        #expect(line[member: "status"]?.intValue == 200)
        func told(_ calls: JSONFragment?) -> [String?] {
            (calls?.elements ?? []).map { $0[member: "upstream"]?.stringValue }
        }
        #expect(told(line[member: "calls"]) == ["other"])
        #expect(told(line[member: "steps"]?[element: 0]?[member: "step"]?[member: "calls"]) == ["other"])
        let parts = try #require(line[member: "parts"])
        #expect(told(parts[member: "alone"]?[member: "calls"]) == ["parts"])
        #expect(told(parts[member: "chained"]?[member: "calls"]) == ["parts", "other"])
        #expect(told(parts[member: "task"]?[member: "calls"]) == ["parts", "other"])
        #expect(parts[member: "value"]?[member: "calls"] == nil)
        #expect(
            line[member: "calls"]?[element: 0].map(Self.told)
                == #"{"upstream":"other","address":"127.0.0.1:\#(other.port)","attempts":1,"status":204}"#)
    }

    @Test("A call over a pooled connection is logged with its address, a retried call with its attempts")
    func reused() throws {
        let upstream = try ScriptedUpstream([
            .readRequest, .send("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n"),
            .answer { _ in "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1" },
        ])
        defer { upstream.stop() }
        let lines = try Self.lines(["parts": upstream.port], requests: ["/page", "/page"]) { gateway in
            let parts = gateway.provider(PartsAPI.self, upstream: "parts")
            gateway.get("/page") { _ in .parts(first: parts.rx.request(.first).fragment()) }
        }
        #expect(upstream.connections == 1)
        let calls = try lines.map { try Self.calls(of: "first", in: $0) }
        #expect(
            calls
                == [2, 1].map { attempts in
                    [
                        #"{"upstream":"parts","address":"127.0.0.1:\#(upstream.port)","attempts":\#(attempts),"#
                            + #""status":200}"#
                    ]
                })
    }

    @Test("No line contains a query, a field, a body or a base URL's path of an upstream call")
    func secrets() throws {
        let upstream = try Self.answering("403 Forbidden", #"{"message":"hidden"}"#)
        defer { upstream.stop() }
        let lines = try withLoggedGateway { configuration in
            configuration.upstreams = ["parts": "http://127.0.0.1:\(upstream.port)/hidden"]
        } declare: { gateway in
            let parts = gateway.provider(SecretAPI.self, upstream: "parts")
            gateway.get("/page", .forwardsAuthorization(to: "parts")) { _ in
                .parts(first: parts.rx.request(.find).fragment())
            }
        } _: { server in
            let client = try RawClient(port: server.port)
            client.send("GET /page?key=hidden HTTP/1.1\r\nHost: test\r\nAuthorization: hidden\r\n\r\n")
            _ = client.receive()
        }
        let sent = try #require(upstream.requests.first)
        #expect(sent.contains("/hidden/find?key=hidden"))
        #expect(sent.contains("uthorization: hidden"))
        let line = try #require(lines.first)
        #expect(line[member: "parts"]?[member: "first"]?[member: "calls"]?.elements.count == 1)
        #expect(!line.description.contains("hidden"))
    }
}

/// A call with a key in its query.
private enum SecretAPI: TargetType {
    case find

    var baseURL: String { "http://127.0.0.1:1" }
    var path: RequestPath { "/find" }
    var task: RequestTask {
        .parameters(["key": "hidden"], encoding: .query)
    }
}
