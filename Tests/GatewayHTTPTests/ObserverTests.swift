import GatewayConfig
import GatewayCore
import HTTPModel
import JSONBytes
import Locking
import Metrics
import Networking
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("The observer of requests", .timeLimit(.minutes(1)))
struct ObserverTests {
    @Test(
        "It gets each request once, with its parts, upstream calls and attempts, as the access log has them")
    func requests() throws {
        let seen = Lock<[FinishedRequest]>([])
        // They hold the gateway, which holds the observer.
        defer { seen.withLock { $0 = [] } }
        let upstream = try ScriptedUpstream([
            .readRequest,
            .send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1\r\n\r\n7"), .close,
        ])
        defer { upstream.stop() }
        let lines = try withLoggedGateway(
            configure: { configuration in
                configuration.observer = { request in seen.withLock { $0.append(request) } }
                configuration.upstreams["parts"] = "http://127.0.0.1:\(upstream.port)"
            },
            declare: { gateway in
                let parts = gateway.provider(PartsAPI.self, upstream: "parts")
                gateway.get("/page") { request in
                    .parts(first: parts.rx.request(.first).fragment(), own: 1)
                }
            }
        ) { server in
            let client = try RawClient(port: server.port)
            for target in ["/page?secret=1", "/none", "/health/live"] { _ = try client.ask(target) }
            #expect(server.settled.connections == 1)
        }
        let requests = seen.withLock { $0 }
        #expect(requests.map(\.path) == ["/page", "/none", "/health/live"])
        #expect(requests.last?.status == 200)
        // A health check has no line.
        let logged = requests.dropLast()
        #expect(logged.map(\.status) == lines.map { $0[member: "status"]?.intValue })
        #expect(logged.map(\.bytesSent) == lines.map { $0[member: "bytesOut"]?.intValue })
        #expect(logged.map(\.remoteAddress) == lines.map { $0[member: "remote"]?.stringValue })
        #expect(requests.map(\.end) == [.completed, .completed, .completed])
        #expect(requests.map { $0.summary?.route } == ["/page", nil, nil])
        let summary = try #require(requests[0].summary)
        #expect(summary.code == "OK")
        #expect(summary.parts.map(\.name) == ["first", "own"])
        #expect(summary.parts[0].calls.map(\.upstream) == ["parts"])
        #expect(summary.parts[0].calls.map(\.attempts) == [1])
        #expect(summary.parts[0].calls.map(\.status) == [200])
        #expect(summary.parts[0].calls.map(\.address) == ["127.0.0.1:\(upstream.port)"])
        #expect(lines[0].value(at: "/parts/first/calls/0/upstream")?.stringValue == "parts")
    }

    @Test("When it gets a request, that is counted, traced and, if it failed, kept")
    func order() throws {
        let collector = try SpanCollector(.ok)
        defer { collector.stop() }
        let server = Lock<GatewayServer?>(nil)
        // It holds the gateway, which holds the observer.
        defer { server.withLock { $0 = nil } }
        let seen = Lock<[String]>([])
        _ = try withLoggedGateway { configuration in
            configuration.accessLog = false
            configuration.upstreams["parts"] = "http://127.0.0.1:1"
            configuration.traces.collector = try? TraceSettings.collector(collector.url)
            configuration.observer = { _ in
                guard let server = server.withLock({ $0 }) else { return }
                let labels = ["/page", "GET", "502", "BAD_GATEWAY"]
                let counted = server.metrics.value(.httpRequests, labels) ?? 0
                // It is called on the loop.
                let worker = server.workers[0].value
                let kept = worker.records.failed.reduce(0) { $0 + 1 + $1.repeats }
                seen.withLock { $0.append("\(counted) \(kept) \(worker.heldSpans > 0)") }
            }
        } declare: { gateway in
            let parts = gateway.provider(PartsAPI.self, upstream: "parts")
            gateway.get("/page") { _ in .parts(first: parts.rx.request(.first).fragment()) }
        } _: { running in
            server.withLock { $0 = running }
            let client = try RawClient(port: running.port)
            for _ in 0..<2 { #expect(client.get("/page")?.status == 502) }
            try spin(while: seen.withLock { $0.count } < 2) { "\(seen.withLock { $0 })" }
        }
        #expect(seen.withLock { $0 } == ["1 1 true", "2 2 true"])
    }

    @Test("It gets requests without an access log, and those whose clients leave")
    func withoutLog() throws {
        let seen = Lock<[FinishedRequest]>([])
        // They hold the gateway, which holds the observer.
        defer { seen.withLock { $0 = [] } }
        let began = Lock(false)
        let lines = try withLoggedGateway(
            stops: true,
            configure: { configuration in
                configuration.accessLog = false
                configuration.observer = { request in seen.withLock { $0.append(request) } }
            },
            declare: { gateway in
                gateway.get("/page") { _ in
                    began.withLock { $0 = true }
                    try await untilCancelled()
                }
            }
        ) { server in
            let client = try RawClient(port: server.port)
            client.send("GET /page HTTP/1.1\r\nHost: test\r\n\r\n")
            try spin(while: began.withLock { !$0 }) { "the handler has not begun" }
            client.reset()
            try spin(while: seen.withLock { $0.isEmpty }) {
                "no request was observed, \(server.settled.requests) are in flight"
            }
        }
        #expect(lines.isEmpty)
        #expect(seen.withLock { $0.map(\.status) } == [499])
        #expect(seen.withLock { $0.map(\.end) } == [.clientGone])
        #expect(seen.withLock { $0.map { $0.summary?.code } } == ["CANCELLED"])
    }

    @Test("A handler finds its own request in the gateway's report, which is empty after the end")
    func report() throws {
        let server = Lock<GatewayServer?>(nil)
        _ = try withLoggedGateway(
            configure: { _ in },
            declare: { gateway in
                gateway.get("/report") { _ in
                    let report = server.withLock { $0 }?.report
                    return .json([report?.connections, report?.requests])
                }
            }
        ) { running in
            server.withLock { $0 = running }
            let text = try RawClient(port: running.port).ask("/report").text
            #expect(text.contains(#""data":[1,1]"#))
            #expect(running.report.requests == 0)
        }
        #expect(server.withLock { $0 }?.report == GatewayReport())
    }
}
