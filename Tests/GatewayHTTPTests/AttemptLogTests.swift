import Dispatch
import GatewayCore
import JSONBytes
import Locking
import Networking
import Rx
import TestSupport
import TestWaiting
import Testing

@testable import GatewayHTTP

@Suite("The attempts of a loop's requests", .timeLimit(.minutes(1)))
struct AttemptLogTests {
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1"
    private static let busy = "HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n"

    /// Upstream, attempts, listed attempts and result of each call of a part.
    private static func calls(of part: String, in line: JSONFragment) -> [String] {
        (line[member: "parts"]?[member: part]?[member: "calls"]?.elements ?? []).map { call in
            let result = call[member: "status"]?.description ?? call[member: "reason"]?.stringValue
            let tries = call[member: "tries"]?.elements.count ?? 0
            return "\(call[member: "upstream"]?.stringValue ?? "") \(call[member: "attempts"]?.intValue ?? 0)"
                + " \(tries) \(result ?? "cancelled")"
        }
    }

    @Test("The line of a request lists no call of the requests before it, whose memory it uses")
    func reuse() throws {
        let upstream = try ScriptedUpstream([.answer { $0.contains("/second") ? Self.busy : Self.ok }])
        defer { upstream.stop() }
        let lines = try withLoggedGateway { configuration in
            configuration.upstreams = ["parts": "http://127.0.0.1:\(upstream.port)"]
        } declare: { gateway in
            var policy = CallPolicy()
            policy.retry.backoff = .constant(.milliseconds(1))
            let parts = gateway.provider(PartsAPI.self, upstream: "parts", policy: policy)
            gateway.get("/bad") { _ in
                .parts(
                    one: parts.rx.request(.second).fragment().optional(),
                    two: parts.rx.request(.second).map { $0 }.fragment().optional())
            }
            gateway.get("/good") { _ in .parts(one: parts.rx.request(.first).fragment()) }
            gateway.get("/none") { _ in .parts(one: Part.value(1)) }
        } _: { server in
            let client = try RawClient(port: server.port)
            for target in ["/bad", "/good", "/none", "/bad", "/good"] { _ = try client.ask(target) }
        }
        let good = ["parts 1 0 200"]
        #expect(lines.map { Self.calls(of: "one", in: $0).count } == [1, 1, 0, 1, 1])
        #expect(Self.calls(of: "one", in: lines[1]) == good)
        #expect(Self.calls(of: "one", in: lines[4]) == good)
        #expect(Self.calls(of: "two", in: lines[0]) == Self.calls(of: "two", in: lines[3]))
        for line in lines { #expect(line[member: "calls"] == nil && line[member: "omitted"] == nil) }
    }

    @Test("A call that ends after its request's line is in no other line")
    func lateEnd() throws {
        let hasEnded = Lock(false)
        let leave = Signal()
        let slow = try ScriptedUpstream([.readRequest, .wait(leave), .send(Self.busy), .close])
        let failing = try ScriptedUpstream([.readRequest, .close])
        defer {
            slow.stop()
            failing.stop()
        }
        let lines = try withLoggedGateway { configuration in
            configuration.upstreams = [
                "slow": "http://127.0.0.1:\(slow.port)", "failing": "http://127.0.0.1:\(failing.port)",
            ]
        } declare: { gateway in
            var once = CallPolicy()
            once.retry = .never
            let slow = gateway.provider(PartsAPI.self, upstream: "slow", policy: once)
            let failing = gateway.provider(PartsAPI.self, upstream: "failing", policy: once)
            gateway.get("/early") { _ in
                // Nobody disposes it.
                _ = slow.rx.request(.first).subscribe { _ in hasEnded.withLock { $0 = true } }
                return .json(1)
            }
            gateway.get("/next") { _ in .parts(own: failing.rx.request(.first).fragment().optional()) }
        } _: { server in
            let client = try RawClient(port: server.port)
            _ = try client.ask("/early")
            try slow.requestRead.waitBlocking()
            _ = try client.ask("/next")
            leave.fire()
            try spin(while: hasEnded.withLock { !$0 }) { "the call of the first request has not ended" }
            _ = try client.ask("/next")
        }
        #expect(lines.count == 3)
        let left = try #require(lines.first?[member: "calls"]).elements
        #expect(left.map { $0[member: "cancelled"]?.boolValue } == [true])
        for line in lines.dropFirst() {
            #expect(line[member: "calls"] == nil)
            #expect(Self.calls(of: "own", in: line) == ["failing 1 0 connection_terminated"])
        }
    }

    @Test("Retried calls list their attempts, however many the request has made before")
    func manyBefore() throws {
        let counts = Lock<[Bool: Int]>([:])
        // The first 40 calls fail once, and so does the last one.
        let upstream = try ScriptedUpstream([
            .answer { request in
                let isLast = request.contains("/second")
                let count = counts.withLock { counts in
                    counts[isLast, default: 0] += 1
                    return counts[isLast] ?? 0
                }
                return count <= (isLast ? 1 : 40) ? Self.busy : Self.ok
            }
        ])
        defer { upstream.stop() }
        let lines = try withLoggedGateway { configuration in
            configuration.upstreams = ["parts": "http://127.0.0.1:\(upstream.port)"]
            configuration.upstreamPolicy.breaker = nil
            configuration.retryBudget = RetryBudget(floor: 100)
        } declare: { gateway in
            var policy = CallPolicy()
            policy.retry.backoff = .constant(.milliseconds(1))
            let parts = gateway.provider(PartsAPI.self, upstream: "parts", policy: policy)
            gateway.get("/page") { _ in
                let many = (0..<40).map { _ in parts.rx.request(.first).fragment() }
                return .first(many: Single.zip(many) { $0.count }).then {
                    .parts(last: parts.rx.request(.second).fragment())
                }
            }
        } _: { server in
            let client = try RawClient(port: server.port)
            let text = try client.ask("/page").text
            #expect(text.hasPrefix(#"{"code":"OK","#), "\(text)")
        }
        let line = try #require(lines.first)
        let many = line.value(at: "/steps/0/many/calls")?.elements ?? []
        #expect(many.count == 40)
        for call in many {
            let tries = call[member: "tries"]?.elements ?? []
            let attempts = try #require(call[member: "attempts"]?.intValue)
            #expect(tries.count == (attempts > 1 ? attempts : 0))
            #expect(call[member: "status"]?.intValue == 200)
        }
        #expect(many.reduce(0) { $0 + ($1[member: "attempts"]?.intValue ?? 0) } >= 80)
        #expect(Self.calls(of: "last", in: line) == ["parts 2 2 200"])
    }
}
